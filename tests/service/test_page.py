"""The page of an answer stands alone: nothing is loaded or run, what came from outside is escaped, charts
are drawn.
"""

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from made_brief import AS_OF, NEWS, analysis_brief, data_brief, fact

from finground.quant.subject import bars_of
from finground.records.bundle import Gap, Series
from finground.records.report import Answer
from finground.report.grounding import check
from finground.report.template import TemplateWriter
from finground.service.chart import Mark, chart
from finground.service.page import page


def prices(n=150):
    days = np.busday_offset("2024-06-28", np.arange(-n + 1, 1)).astype("datetime64[s]") + 72000
    close = np.linspace(20.0, 25.28, n) + np.sin(np.arange(n))
    columns = {
        "open": close,
        "high": close + 1,
        "low": close - 1,
        "close": close,
        "volume": np.full(n, 1000.0),
    }
    return Series("bars", "us:AAA", tuple(columns), days, tuple(columns.values()), "USD", "test")


def answered(brief, report=None):
    report = check(report or TemplateWriter().write(brief), brief)
    return Answer(
        brief.query, AS_OF, brief.plan, brief.request, brief.bundle, brief.findings, report, None, {}, {}
    )


def test_a_page_holds_report_chart_findings_sources_and_gaps_and_loads_nothing():
    brief = analysis_brief(series=(prices(),), gaps=(Gap("us:AAA", "index", "none was read"),))
    html = page(answered(brief))
    assert not re.search(r"<script|<link|<img|\bsrc=|\bhref=|url\(|https?://", html)
    for text in (
        "RSI(14) is 80.54, overbought.",
        "<svg",
        "What the tools found",
        "Sources",
        "none was read",
        "150 sessions",
    ):
        assert text in html
    assert all(
        section.text.split("\n")[0][:40].replace('"', "&quot;") in html
        for section in answered(brief).report.sections
    )


def test_text_from_outside_is_escaped_and_invented_data_and_flaws_are_said_first():
    evil = replace(NEWS[0], headline="<script>alert(1)</script> Aaa", source="<b>wire</b>")
    brief = analysis_brief(passages=(evil,), synthetic=True)
    report = TemplateWriter().write(brief)
    wrong = replace(
        report, sections=(replace(report.sections[0], text="It costs 99 USD."), *report.sections[1:])
    )
    html = page(answered(brief, wrong))
    assert "<script>" not in html and "<b>wire" not in html and "&lt;script&gt;alert(1)" in html
    assert (
        html.index("none of this is real")
        < html.index("Not borne out by data: “99 USD”")
        < html.index("It costs")
    )


def test_a_data_answer_has_its_table_and_no_chart():
    html = page(answered(data_brief([fact("us:AAA", 19_881e6), fact("us:BBB", 18_368e6)])))
    assert '<pre class="table">Entity' in html and "<svg" not in html and "19,881 million USD" in html


def test_the_chart_draws_every_defined_value_of_the_last_sessions_and_no_other():
    drawn = chart(
        bars_of(prices(250)),
        [Mark(bars_of(prices(250)).day(-3), "a cross"), Mark(AS_OF.date().replace(year=2020), "old")],
    )
    lines = re.findall(r'<polyline class="(\w+)" points="([^"]*)"', drawn)
    assert [kind for kind, _ in lines] == ["close", "short", "long", "close", "other", "close"]
    assert [len(points.split()) for _, points in lines] == [120] * 6
    assert drawn.count("<rect") == 120 and drawn.count("<title>a cross</title>") == 1 and "old" not in drawn
    young = chart(bars_of(prices(30)))
    assert [
        len(points.split()) for _, points in re.findall(r'<polyline class="(\w+)" points="([^"]*)"', young)
    ][:2] == [30, 11]
    assert chart(bars_of(prices(1))) == ""
