"""Tiny real models, made once a session."""

from pathlib import Path

import pytest
from made_models import CLASSES, other, tiny


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("llama") / "base", steps=30)


@pytest.fixture(scope="session")
def models(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A model folder of each family."""
    folder = tmp_path_factory.mktemp("models")
    return {"llama": llama} | {kind: other(kind, folder / kind, llama) for kind in CLASSES}
