"""A brief with everything that six tools find, its report by the template, and the paper where it lies."""

import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from made_brief import AS_OF, analysis_brief

from finground.records.bundle import Series
from finground.records.report import Report
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.template import TemplateWriter

PAPER = Path(__file__).parents[2].parent / "shared" / "papers" / "000_3576843d50492a70.txt"
SESSIONS = 100


@pytest.fixture
def brief() -> Brief:
    """A company with a hundred sessions behind it."""
    days = [(AS_OF - timedelta(days=back)).date().isoformat() for back in range(SESSIONS - 1, -1, -1)]
    times = np.array([f"{day}T20:00:00" for day in days], dtype="datetime64[s]")
    close = np.linspace(20.0, 25.28, SESSIONS)
    series = Series("bars:us:AAA", "us:AAA", ("close",), times, (close,), "USD", "test prices")
    return analysis_brief(series=(series,))


@pytest.fixture
def report(brief: Brief) -> Report:
    return check(TemplateWriter().write(brief), brief)


@pytest.fixture(scope="session")
def paper() -> str:
    """FinSphere, read where it lies."""
    if not PAPER.is_file():
        pytest.skip("the papers are not at hand")
    return PAPER.read_text()
