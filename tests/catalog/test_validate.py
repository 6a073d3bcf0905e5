"""The shipped catalogue has no fault, and each kind of fault that could get into it is told by name."""

from dataclasses import replace

import pytest

from finground.catalog.metrics import Metric, Metrics
from finground.catalog.validate import validate

DAY = {"instant": True}
SOUND = (
    Metric("revenue", "Revenue", ("sales",), tags=("Revenues",), related=("profit",)),
    Metric("profit", "Profit", formula="revenue - costs", related=("revenue", "costs")),
    Metric("costs", "Costs", related=("revenue",)),
    Metric("margin", "Margin", unit="ratio", formula="1 - costs / revenue", related=("profit",)),
    Metric("shares", "Shares", unit="shares", related=("book",), **DAY),
    Metric("staff", "Staff", unit="count", related=("per-head",)),
    Metric("per-head", "Revenue Per Head", formula="revenue / staff", related=("revenue",)),
    Metric("book", "Book Value", related=("shares",), **DAY),
    Metric("book-each", "Book Value Each", unit="per-share", formula="book / shares", related=("book",),
           **DAY),
    Metric("price", "Price", unit="per-share", frequency="daily", related=("value",)),
    Metric("value", "Value", frequency="daily", formula="price * shares", related=("price",)),
    Metric("year", "Year's Revenue", frequency="annual", related=("revenue",)),
    Metric("multiple", "Multiple", unit="ratio", frequency="daily", related=("value",),
           formula="price * shares / year"),
    Metric("model", "Model", unit="text", numeric=False, trackable=False),
)  # fmt: skip


def told(slug: str, **changed: object) -> list[str]:
    """The faults of the sound catalogue with one metric changed."""
    return validate(replace(one, **changed) if one.slug == slug else one for one in SOUND)


def test_the_shipped_catalogue_has_no_fault():
    assert validate(Metrics.load().all) == []


def test_a_sound_catalogue_has_no_fault():
    assert validate(SOUND) == []


@pytest.mark.parametrize(
    ("slug", "changed", "fault"),
    [
        ("profit", {"formula": "revenue - losses"}, "profit: its formula takes losses, which is no metric"),
        ("profit", {"formula": "revenue - model"}, "profit: its formula takes model, which is no number"),
        ("profit", {"formula": "revenue - (costs"}, "profit: its formula cannot be read: a formula opens a "),
        ("profit", {"formula": "revenue = costs"}, "profit: its formula cannot be read: formula 'revenue = "),
        ("profit", {"formula": "revenue - margin"}, "'revenue - margin' adds currency and ratio"),
        ("profit", {"formula": "revenue + 1"}, "'revenue + 1' adds currency and ratio"),
        ("profit", {"formula": "revenue / costs"}, "'revenue / costs' gives ratio; its unit is currency"),
        ("profit", {"formula": "revenue * costs"}, "gives money^2 shares^0 count^0; its unit is currency"),
        ("margin", {"formula": "staff * costs / revenue"}, "gives count; its unit is ratio"),
        ("book-each", {"unit": "currency"}, "'book / shares' gives per-share; its unit is currency"),
        ("book-each", {"formula": "shares / book"}, "shares^1 count^0; its unit is per-share"),
        ("profit", {"related": ("revenue", "losses")}, "profit: related to losses, which is no metric"),
        ("profit", {"related": ("profit", "revenue")}, "profit: related to itself"),
        ("profit", {"related": ("costs", "costs")}, "profit: related to costs 2 times"),
        ("profit", {"related": ()}, "profit: has 0 related metrics; a number has 1 to 6"),
        ("model", {"formula": "revenue"}, "model: has a formula, though it is no number"),
        ("model", {"tags": ("Revenues",)}, "model: has tags, though it is no number"),
        ("model", {"trackable": True}, "model: trackable, though it is no number"),
        ("model", {"unit": "currency"}, "model: numeric is False and its unit currency"),
        ("staff", {"unit": "text"}, "staff: numeric is True and its unit text"),
        ("costs", {"aliases": ("Sales",)}, "costs: 'sales' also means revenue; a name means one metric"),
        ("costs", {"name": "revenue"}, "costs: 'revenue' also means revenue"),
        ("costs", {"aliases": ("per head",)}, "per-head: 'per head' also means costs"),
        ("costs", {"aliases": ("outlay", "outlay")}, "costs: 'outlay' is there 2 times"),
        ("costs", {"aliases": (" ".join("abcdefghijk"),)}, "has 11 words; a name has 1 to 10"),
        ("costs", {"aliases": ("-",)}, "costs: '' has 0 words"),
        ("costs", {"aliases": ("revenue costs",)}, "its related Revenue, Costs read as costs"),
        ("revenue", {"tags": ("us-gaap:Revenues",)}, "tag 'us-gaap:Revenues' is no us-gaap concept"),
        ("revenue", {"tags": ("Revenues", "Revenues")}, "revenue: tag Revenues is there 2 times"),
        ("price", {"tags": ("SharePrice",)}, "price: has tags and is daily"),
        ("price", {"instant": True}, "price: daily and instant"),
        ("margin", {"formula": "costs / value"}, "quarterly, but its formula takes value, which is daily"),
        ("book", {"formula": "revenue - costs"}, "book: holds on a day, but its formula takes revenue"),
        ("margin", {"formula": "book / book"}, "of a period, but all that its formula takes holds on"),
        ("value", {"formula": "book"}, "value: daily, but nothing that its formula takes is"),
        ("multiple", {"formula": "value / year"}, "takes value, which is computed daily itself"),
        ("multiple", {"formula": "price * shares / revenue"}, "takes one quarter's revenue; take that of"),
    ],
)  # fmt: skip
def test_a_fault_is_told(slug, changed, fault):
    found = told(slug, **changed)
    assert any(fault in sentence for sentence in found), found


def test_every_circle_of_formulas_is_told():
    turned = {"costs": "revenue - profit", "staff": "staff * 2"}
    found = validate(replace(one, formula=turned.get(one.slug, one.formula)) for one in SOUND)
    circles = [sentence for sentence in found if "needs itself" in sentence]
    assert len(circles) == 2
    assert "staff: its formula needs itself: staff -> staff" in circles
    assert any("profit" in sentence and "costs" in sentence for sentence in circles)


def test_a_slug_means_one_metric_and_is_written_as_one():
    twice = validate([*SOUND, replace(SOUND[0], name="Turnover", aliases=())])
    assert "revenue: the slug of 2 metrics; each metric has its own" in twice
    assert any("Net_Income: not a slug" in one for one in validate([*SOUND, Metric("Net_Income", "Net")]))


def test_all_faults_are_told_at_once():
    spoiled = [replace(one, related=("nothing",)) for one in SOUND]
    assert sum("related to nothing" in sentence for sentence in validate(spoiled)) == len(SOUND)
