"""A tokenizer small enough to check by hand, and settings to go with it."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from finground.records.document import Document
from finground.settings import Corpus

SETTINGS = Corpus(
    min_words=5, block=8, holdout_from=date(2024, 6, 1), holdout_source="headlines", holdout_documents=100
)


@pytest.fixture
def settings() -> Corpus:
    return SETTINGS


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """One token a word (all of them unknown but the end token), which makes counts those of a hand."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"<unk>": 0, "</s>": 1}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return words


def article(id: str, text: str, day: str = "2024-01-01", source: str = "reuters", **more: Any) -> Document:
    return Document(
        id, source, datetime.fromisoformat(day).replace(tzinfo=UTC), more.pop("title", ""), text, **more
    )


@pytest.fixture
def write_article() -> Any:
    return article
