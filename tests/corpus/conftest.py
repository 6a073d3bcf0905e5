"""The room's settings, tokenizer and documents as fixtures; `made_corpus` says what they are."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from made_corpus import SETTINGS, Chosen, article, put, words

from finground.corpus.select import select
from finground.corpus.work import Workplace
from finground.records.document import Document
from finground.settings import Corpus


@pytest.fixture
def settings() -> Corpus:
    return SETTINGS


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return words()


@pytest.fixture
def write_article() -> Any:
    return article


@pytest.fixture
def choose(tmp_path: Path) -> Callable[..., Chosen]:
    """Documents through the room without tokens, each call in a folder of its own."""

    def run(
        documents: Sequence[Document], settings: Corpus = SETTINGS, *, seed: int = 7, raw: Path | None = None
    ) -> Chosen:
        here = tmp_path / f"run-{len(list(tmp_path.glob('run-*')))}"
        put(here / "raw", documents)
        return Chosen(select(raw or here / "raw", settings, seed, Workplace(here / "work", map)))

    return run
