"""One small world for all tests of this room."""

from datetime import date
from pathlib import Path

import pytest

from finground.sample.world import make
from finground.settings import Sample

SMALL = Sample(companies=24, years=3, news=120, stories=80, ends=date(2025, 6, 30))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "raw"
    make(folder, SMALL, seed=7)
    return folder
