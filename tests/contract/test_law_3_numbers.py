"""Law 3: every number of a report traces to what was read; one changed digit or unit is found."""

import dataclasses
import re
from collections.abc import Iterator
from datetime import date

import pytest

from finground.agent.rules import RulesAgent
from finground.answer import World, answer
from finground.catalog.dates import as_of_of
from finground.core.paths import Root
from finground.records.report import Answer, Report
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.template import TemplateWriter
from finground.roles import open_world
from finground.settings import load

AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?(?= million USD| USD|%)")


@pytest.fixture(scope="module")
def world(walked: Root) -> Iterator[World]:
    with open_world(walked.live, load(walked.params)) as opened:
        yield opened


@pytest.fixture(
    scope="module", params=["Please analyze {0}", "Compare the net income of {0} and {1} in Q1 2025"]
)
def answered(request: pytest.FixtureRequest, world: World) -> tuple[Answer, Brief]:
    question = request.param.format(*(company.name for company in world.catalog.companies.all[:2]))
    found = answer(
        question,
        as_of=as_of_of("2025-06-30"),
        world=world,
        agent=RulesAgent(world.catalog),
        writer=TemplateWriter(),
    )
    brief = Brief(question, found.plan, found.request, found.bundle, found.findings, world.catalog)
    return found, brief


def with_text(report: Report, section: int, text: str) -> Report:
    changed = dataclasses.replace(report.sections[section], text=text)
    sections = (*report.sections[:section], changed, *report.sections[section + 1 :])
    return dataclasses.replace(report, sections=sections)


def amounts(report: Report) -> Iterator[tuple[int, re.Match[str]]]:
    for number, section in enumerate(report.sections):
        yield from ((number, found) for found in AMOUNT.finditer(section.text))


def test_what_the_template_writes_is_all_borne_out(answered: tuple[Answer, Brief]):
    assert answered[0].report.ungrounded == ()
    assert len(list(amounts(answered[0].report))) >= 4


def test_one_changed_digit_is_found(answered: tuple[Answer, Brief]):
    """The first digit, as the last may be one of rounding and others may meet another figure by chance."""
    found, brief = answered
    missed = []
    for number, amount in amounts(found.report):
        text = found.report.sections[number].text
        if len(re.sub(r"\D", "", amount[0])) < 3:
            continue
        digit = "1" if amount[0][0] == "9" else str(int(amount[0][0]) + 1)
        wrong = text[: amount.start()] + digit + text[amount.start() + 1 :]
        if not check(with_text(found.report, number, wrong), brief).ungrounded:
            missed.append(text[max(amount.start() - 40, 0) : amount.end() + 12])
    assert missed == []


def test_a_report_with_a_wrong_number_is_not_complete(answered: tuple[Answer, Brief]):
    found, brief = answered
    wrong = with_text(found.report, 0, found.report.sections[0].text + " Net income is 987,654 million USD.")
    checked = check(wrong, brief)
    assert checked.status == "partial"
    assert "987,654 million USD" in " ".join(flaw.text for flaw in checked.ungrounded)


@pytest.mark.parametrize("unit", ["million EUR", "%"])
def test_another_unit_is_found(answered: tuple[Answer, Brief], unit: str):
    found, brief = answered
    section = next(n for n, part in enumerate(found.report.sections) if " million USD" in part.text)
    right = re.search(r"(\d[\d,.]*\d) million USD", found.report.sections[section].text)
    assert right is not None
    written = right[1] + ("%" if unit == "%" else f" {unit}")
    wrong = with_text(found.report, section, f"Net income is {written}.")
    assert [flaw.text for flaw in check(wrong, brief).ungrounded] != []


def test_an_invented_date_is_found(answered: tuple[Answer, Brief]):
    found, brief = answered
    wrong = with_text(found.report, 0, "The report was filed on 2019-02-03.")
    assert [flaw.why for flaw in check(wrong, brief).ungrounded] == ["no such date was read"]


def test_each_value_carries_its_unit_and_currency(answered: tuple[Answer, Brief]):
    for fact in answered[0].bundle.facts:
        assert fact.unit in ("currency", "per-share", "ratio", "shares", "count")
        assert (fact.currency is None) == (fact.unit in ("ratio", "shares", "count")), fact.id
    assert [series.id for series in answered[0].bundle.series if not series.currency] == []


def test_figures_in_different_currencies_are_not_combined():
    from finground.catalog.metrics import Metric, Metrics
    from finground.store.computed import Ledger
    from finground.store.facts import Reported

    metrics = Metrics((
        Metric("income", "Income", tags=("NetIncomeLoss",)),
        Metric("revenue", "Revenue", tags=("Revenues",)),
        Metric("margin", "Margin", unit="ratio", formula="income / revenue"),
    ))  # fmt: skip

    def row(metric: str, currency: str) -> Reported:
        return Reported(
            "c", metric, metric, 0, date(2024, 1, 1), date(2024, 3, 31), 10.0, "currency", currency,
            1714608000, "1-24", "10-Q", "EDGAR", 1714608000,
        )  # fmt: skip

    same = Ledger({"income": [row("income", "USD")], "revenue": [row("revenue", "USD")]}, metrics)
    mixed = Ledger({"income": [row("income", "USD")], "revenue": [row("revenue", "EUR")]}, metrics)
    assert [fact.value for fact in same.of("margin")["quarter"]] == [1.0]
    assert mixed.of("margin").get("quarter", []) == []
