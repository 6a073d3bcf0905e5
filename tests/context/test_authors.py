"""The authors' rows are read in both of their wordings; what cannot be read is counted with the reason."""

from datetime import date

import pytest

from finground.context.authors import Unread, read_authors
from finground.core.errors import InputError
from finground.records.request import Interval, Pair

HEAD = "Query,Required Data,Structured Data Request\n"
THEIRS = (
    '"How was revenue of Orrin in the past 6 weeks?","Companies: Orrin Dynamics Inc.\n'
    'Information: Total Revenue (Related Concepts: Sales Revenue)\nDates: in the past 6 weeks",'
    '"(Orrin Dynamics Inc.) (Total Revenue; Sales Revenue) (19/5/2024 - 30/6/2024)"\n'
)
PAPERS = (
    '"Net income of Pellam and its peers in 2023?","Companies: Pellam Foods Corporation; Pellam Peers\n'
    'Metrics: Net Income (Related Metrics: Total Revenue)\nDates: in 2023",\n'
)
BAD = (
    '"Whose?","Companies: Foo Bar Inc.\nMetrics: Net Income\nDates: 2023",\n'
    '"What?","Companies: Orrin\nMetrics: Flying Carpets\nDates: 2023",\n'
    '"When?","Companies: Orrin\nMetrics: Net Income\nDates: soon",\n'
    '"How?","just words",\n'
    '"Which?","Companies: Orrin\nMetrics: Net Income\nDates: 2023",'
    '"(Orrin) (Net Income) (1/1/2022 - 31/12/2022)"\n'
)


@pytest.fixture
def read(catalog, as_of, tmp_path):
    def rows(text: str) -> list[Pair | Unread]:
        path = tmp_path / "theirs.csv"
        path.write_text(text)
        return list(read_authors(path, catalog, as_of))

    return rows


def test_both_wordings_are_read(read):
    theirs, papers = read(HEAD + THEIRS + PAPERS)
    assert [entity.name for entity in theirs.request.entities] == ["Orrin Dynamics Inc."]
    assert [(m.slug, m.primary) for m in theirs.request.metrics] == [
        ("total-revenue", True),
        ("sales-revenue", False),
    ]
    assert theirs.request.interval == Interval(date(2024, 5, 19), date(2024, 6, 30))
    assert theirs.as_of.date() == date(2024, 6, 30)  # its phrase means those days on no other
    assert [entity.kind for entity in papers.request.entities] == ["company", "peers"]
    assert papers.request.interval == Interval(date(2023, 1, 1), date(2023, 12, 31))
    assert {(pair.part, pair.template) for pair in (theirs, papers)} == {("train", "authors")}


def test_unreadable_rows_are_dropped_with_the_reason(read):
    rows = read(HEAD + BAD + THEIRS)
    assert [type(row) for row in rows] == [Unread] * 5 + [Pair]
    unknown = "the catalogue does not hold a name"
    assert [row.reason for row in rows[:5]] == [
        unknown, unknown, "its dates are none", "it is not of the form",
        "its phrase and its structured request mean different days",
    ]  # fmt: skip
    assert "Foo Bar Inc." in rows[0].detail and "Flying Carpets" in rows[1].detail


def test_a_file_without_their_columns_is_refused(read):
    with pytest.raises(InputError, match="no column Query and no Required Data"):
        read("question,answer\na,b\n")
