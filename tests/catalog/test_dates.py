"""Phrases and intervals (cases D1, D2, P7); intervals worked out on a calendar."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finground.catalog import dates
from finground.core.errors import DateError
from finground.records.request import Interval


def span(start: str, end: str) -> Interval:
    return Interval(date.fromisoformat(start), date.fromisoformat(end))


AS_OF = dates.as_of_of("2024-07-07")
PHRASES = [
    ("previous 6 months", "2024-01-07", "2024-07-07"),
    ("for the previous 6 months", "2024-01-07", "2024-07-07"),
    ("last quarter", "2024-04-01", "2024-06-30"),
    ("in the last quarter", "2024-04-01", "2024-06-30"),
    ("last 4 quarters", "2023-07-01", "2024-06-30"),
    ("Apr 2016 to Jul 2017", "2016-04-01", "2017-07-31"),
    ("from Apr 2016 to Jul 2017", "2016-04-01", "2017-07-31"),
    ("Sep 2018", "2018-09-01", "2018-09-30"),
    ("Sept. 2018", "2018-09-01", "2018-09-30"),
    ("Q4 2024", "2024-10-01", "2024-12-31"),
    ("2024Q4", "2024-10-01", "2024-12-31"),
    ("4Q24", "2024-10-01", "2024-12-31"),
    ("fourth quarter of 2023", "2023-10-01", "2023-12-31"),
    ("Q4", "2023-10-01", "2023-12-31"),
    ("FY2023", "2023-01-01", "2023-12-31"),
    ("fiscal year 2023", "2023-01-01", "2023-12-31"),
    ("FY23", "2023-01-01", "2023-12-31"),
    ("past 19 days", "2024-06-18", "2024-07-07"),
    ("past 6 weeks", "2024-05-26", "2024-07-07"),
    ("since 2019", "2019-01-01", "2024-07-07"),
    ("from 2019 onwards", "2019-01-01", "2024-07-07"),
    ("after 2019", "2020-01-01", "2024-07-07"),
    ("2019 to date", "2019-01-01", "2024-07-07"),
    ("YTD", "2024-01-01", "2024-07-07"),
    ("TTM", "2023-07-07", "2024-07-07"),
    ("between March and May", "2024-03-01", "2024-05-31"),
    ("2022", "2022-01-01", "2022-12-31"),
    ("2019-2021", "2019-01-01", "2021-12-31"),
    ("in the last 2 years", "2022-07-07", "2024-07-07"),
    ("last two years", "2022-07-07", "2024-07-07"),
    ("last year", "2023-01-01", "2023-12-31"),
    ("past year", "2023-07-07", "2024-07-07"),
    ("this year", "2024-01-01", "2024-12-31"),
    ("last week", "2024-06-24", "2024-06-30"),
    ("yesterday", "2024-07-06", "2024-07-06"),
    ("2024-03-15", "2024-03-15", "2024-03-15"),
    ("15/3/2024", "2024-03-15", "2024-03-15"),
    ("March 15, 2024", "2024-03-15", "2024-03-15"),
    ("15 March", "2024-03-15", "2024-03-15"),
    ("H1 2023", "2023-01-01", "2023-06-30"),
    ("second half of 2022", "2022-07-01", "2022-12-31"),
    ("Nov to Feb 2020", "2019-11-01", "2020-02-29"),
    ("Q1-Q3 2023", "2023-01-01", "2023-09-30"),
    ("7/1/2024 - 7/7/2024", "2024-01-07", "2024-07-07"),
    ("2023 and 2022", "2022-01-01", "2023-12-31"),
    ("3 months ago", "2024-04-01", "2024-04-30"),
]


@pytest.mark.parametrize(("phrase", "start", "end"), PHRASES)
def test_a_phrase_means_its_interval(phrase, start, end):
    assert dates.parse(phrase, AS_OF) == span(start, end)


@pytest.mark.parametrize(
    ("as_of", "phrase", "start", "end"),
    [
        ("2024-05-31", "last month", "2024-04-01", "2024-04-30"),
        ("2024-03-31", "last month", "2024-02-01", "2024-02-29"),
        ("2024-03-31", "previous 1 months", "2024-02-29", "2024-03-31"),
        ("2024-02-29", "past year", "2023-02-28", "2024-02-29"),
        ("2024-01-01", "last quarter", "2023-10-01", "2023-12-31"),
        ("2023-12-31", "last quarter", "2023-07-01", "2023-09-30"),
        ("2024-01-31", "last year", "2023-01-01", "2023-12-31"),
        ("2024-04-10", "between March and May", "2023-03-01", "2023-05-31"),
        ("2024-01-01", "yesterday", "2023-12-31", "2023-12-31"),
    ],
)
def test_ends_of_months_and_years(as_of, phrase, start, end):
    assert dates.parse(phrase, dates.as_of_of(as_of)) == span(start, end)


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("May 2024 to May 2023", "ends .* before it starts"),
        ("30/9/2018 - 1/9/2018", "ends .* before it starts"),
        ("between 2021 and 2019", "ends .* before it starts"),
        ("Q7 2023", "quarters are Q1 to Q4"),
        ("H3 2023", "halves are H1 and H2"),
        ("31/2/2024", "not a day of the calendar"),
        ("3/15/2024", "day/month/year"),
        ("29 February 2023", "not a day of the calendar"),
        ("2019-20", "2019 to 2021"),
        ("last few years", "last 3 years"),
        ("before 2019", "no start"),
        ("since 2030", "starts after"),
        ("soon", "not a date or a period"),
        ("", "not a date or a period"),
        ("past 99999 years", "smaller number"),
        ("last 0 days", "from 1"),
    ],
)
def test_what_is_no_date_is_refused_with_what_would_be_right(phrase, why):
    with pytest.raises(DateError, match=why):
        dates.parse(phrase, AS_OF)


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("Based on net income in the last quarter, how do Apple and Google compare?", ["last quarter"]),
        ("adobe's Sep 2018 sales", ["Sep 2018"]),
        ("income from Apr 2016 to Jul 2017 compared", ["from Apr 2016 to Jul 2017"]),
        ("between March and May, did it", ["between March and May"]),
        ("Has it risen since 2019?", ["since 2019"]),
        ("How was 2023 against 2022?", ["2023", "2022"]),
        ("May I ask if Apple may march on?", []),
        ("sales in May", ["May"]),
        ("the top 2000 companies and the Russell 2000 at $2000", []),
        ("2000 shares", []),
        ("no date", []),
    ],
)
def test_date_phrases_are_found_where_they_stand(question, phrases):
    found = dates.find(question, AS_OF)
    assert [one[2] for one in found] == phrases
    assert all(question[start:end] == phrase for start, end, phrase, _ in found)


@pytest.mark.parametrize(
    "question", ["in Q7 2023?", "on 31/2/2024", "what happened on 2024-13-01", "over the last few years"]
)
def test_what_only_looks_like_a_date_in_a_question_is_refused(question):
    with pytest.raises(DateError):
        dates.find(f"What was Apple's income {question}", AS_OF)


days = st.dates(date(2001, 1, 1), date(2024, 7, 7))


@given(days, days)
def test_every_way_to_say_an_interval_means_it(one, other):
    interval = Interval(min(one, other), max(one, other))
    said = dates.phrases(interval, AS_OF)
    assert said and all(dates.parse(phrase, AS_OF) == interval for phrase in said)


@given(st.integers(2001, 2023), st.integers(1, 12), st.sampled_from([1, 3, 6, 12]))
def test_whole_months_have_names(year, month, size):
    from finground.catalog.periods import months

    interval = months(year, (month - 1) // size * size + 1, size)
    said = dates.phrases(interval, AS_OF)
    assert len(said) > 1 and all(
        dates.find(f"Its sales, {phrase}: up?", AS_OF)[0][3] == interval for phrase in said
    )


def test_a_bare_day_is_known_to_its_last_microsecond():
    assert dates.as_of_of("2024-07-07") == datetime(2024, 7, 8, tzinfo=UTC) - timedelta(microseconds=1)
    assert dates.as_of_of("2024-07-07T10:00") == datetime(2024, 7, 7, 10, tzinfo=UTC)
    assert dates.as_of_of("2024-07-07T10:00:00+02:00") == datetime(2024, 7, 7, 8, tzinfo=UTC)
    with pytest.raises(DateError, match="write 2024-03-15"):
        dates.as_of_of("7 July")
