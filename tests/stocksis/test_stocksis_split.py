"""Parts by company and by time; what belongs elsewhere is a leak, and nothing is written."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from finground.context.split import LeakError
from finground.core.errors import InputError
from finground.records.report import WriterPair
from finground.stocksis.build import counts, write
from finground.stocksis.split import FEWEST_BARS, PARTS, check, split

FIRST = datetime(2024, 1, 1, 20, tzinfo=UTC)
AS_OF = datetime(2025, 1, 1, tzinfo=UTC)


class Prices:
    """A store that has only closes: `days` of each company."""

    def __init__(self, **days):
        self.days = days

    def covered(self, as_of):
        return set(self.days)

    def sessions(self, company, as_of):
        return [FIRST + timedelta(days=day) for day in range(self.days[company])]


def parted(seed=1, **days):
    return split(
        Prices(**(days or {"a": 180, "b": 180, "c": 180, "d": 180})),
        as_of=AS_OF,
        test_companies=0.25,
        seed=seed,
    )


def pair(company, day, part):
    as_of = FIRST + timedelta(days=day)
    id = f"{company}@{as_of:%Y-%m-%d}"
    return WriterPair(
        id, "How is it?", as_of, company, f"prompt of {id}", "A report of five words.", "expert", part
    )


def test_a_company_held_out_is_never_trained_on_and_late_dates_are_for_testing():
    found = parted()
    assert len(found.held_out) == 1
    for moment in found.moments:
        assert (moment.company in found.held_out) == (moment.part == "new-company")
        assert (moment.as_of >= found.cut) == (moment.part != "train")
    assert {moment.part for moment in found.moments} == set(PARTS)


def test_the_first_moment_has_sessions_enough_behind_it():
    first = min(moment.as_of for moment in parted().moments)
    assert first == FIRST + timedelta(days=FEWEST_BARS - 1)


def test_the_same_seed_gives_the_same_parts_and_another_seed_others():
    assert parted() == parted()
    assert parted().moments != parted(seed=2).moments


def test_a_single_company_is_trained_on():
    assert parted(a=180).held_out == frozenset()


def test_without_prices_enough_there_are_no_pairs():
    with pytest.raises(InputError, match="no company has 80 sessions"):
        parted(a=79)


@pytest.mark.parametrize("part", PARTS)
def test_a_pair_in_a_part_not_its_own_is_a_leak_and_named(part):
    found = parted()
    held, seen = next(iter(found.held_out)), min({"a", "b", "c", "d"} - found.held_out)
    right = {"train": pair(seen, 90, "train"), "new-time": pair(seen, 179, "new-time")}
    right["new-company"] = pair(held, 179, "new-company")
    check({name: [one] for name, one in right.items()}, found)
    for other in {*PARTS} - {part}:
        with pytest.raises(LeakError, match=f"is in part {other} and belongs in {part}"):
            check({other: [right[part]]}, found)
    with pytest.raises(LeakError, match="belongs in none"):
        check({part: [pair(held, 90, part)]}, found)


def test_the_same_prompt_in_training_and_in_a_test_part_is_a_leak():
    found = parted()
    seen = min({"a", "b", "c", "d"} - found.held_out)
    train = pair(seen, 90, "train")
    copied = replace(pair(seen, 179, "new-time"), prompt=train.prompt)
    with pytest.raises(LeakError, match="is in train too"):
        check({"train": [train], "new-time": [copied]}, found)


def test_a_leak_leaves_what_was_there(tmp_path):
    found = parted()
    held = next(iter(found.held_out))
    with pytest.raises(LeakError):
        write(
            tmp_path / "stocksis",
            {"train": [pair(held, 179, "train")], "new-time": [], "new-company": []},
            [],
            found,
            1,
        )
    assert list(tmp_path.iterdir()) == []


def test_lengths_are_reported():
    told = counts({"train": [pair("a", 90, "train")], "new-time": [], "new-company": []}, [])
    assert told["report_words"] == {"mean": 5.0, "median": 5, "least": 5, "most": 5}
    assert told["labels"] == {"expert": 1}
