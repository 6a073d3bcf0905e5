"""One read for a request: as of a moment, with gaps for what is not there."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_by_hand import end_of, vectors_of

from finground.core.errors import CatalogError
from finground.records.bundle import Needs
from finground.records.request import Entity, Interval, Rank, Request, RequestedMetric
from finground.store.lookup import lookup

ALPHA, BETA = (
    Entity("company", "cik:0000000001", "Alpha Inc."),
    Entity("company", "cik:0000000002", "Beta Corp"),
)
MARKET = Entity("market", "market", "General Companies")
Q2 = Interval(date(2023, 4, 1), date(2023, 6, 30))
LAST_WEEK = Interval(date(2023, 6, 26), date(2023, 6, 30))


def ask(
    world,
    entities,
    slugs,
    interval=None,
    as_of=None,
    *,
    rank=None,
    needs=None,
    vector=None,
    unresolved=(),
    k=5,
):
    metrics = tuple(RequestedMetric(slug, True) for slug in slugs)
    request = Request("comparative", tuple(entities), metrics, interval, "", rank, unresolved)
    return lookup(
        world.store,
        request,
        needs or {},
        as_of=as_of or end_of(2023, 12, 1),
        catalog=world.catalog,
        vector=vector,
        k=k,
        threshold=-1.0,
    )


def shown(bundle):
    return [(fact.entity[-1], fact.metric, round(fact.value, 6)) for fact in bundle.facts]


def test_latest_is_the_last_filed_and_an_amendment_counts_from_its_day(world):
    def revenue(*day):
        return shown(
            ask(world, [ALPHA], ["revenue"], Interval(date(2023, 10, 1), date(2023, 12, 31)), end_of(*day))
        )

    assert revenue(2024, 1, 20) == []
    assert revenue(2024, 3, 1) == [("1", "revenue", 150)]
    assert revenue(2024, 6, 1) == [("1", "revenue", 160)]
    assert shown(ask(world, [ALPHA], ["revenue"], None, end_of(2024, 1, 20))) == [("1", "revenue", 120)]


def test_a_figure_is_unknown_until_the_day_it_is_filed(world):
    bundle = ask(world, [ALPHA, BETA], ["revenue"], Q2, end_of(2023, 7, 31))
    assert shown(bundle) == [("2", "revenue", 55)]
    (gap,) = bundle.gaps
    assert (gap.entity, gap.nearest.value, gap.nearest.period_end) == (ALPHA.id, 100, date(2023, 3, 31))
    assert shown(ask(world, [ALPHA], ["revenue"], Q2, end_of(2023, 8, 1))) == [("1", "revenue", 110)]


def test_ratios_come_from_inputs_of_the_same_period(world):
    bundle = ask(world, [ALPHA], ["margin", "return"], Q2)
    assert shown(bundle) == [("1", "margin", 0.1), ("1", "return", 0.25)]
    assert bundle.facts[0].rule.startswith("computed: income / revenue")
    (gap,) = ask(world, [ALPHA], ["margin"], Interval(date(2023, 7, 1), date(2023, 9, 30))).gaps
    assert gap.nearest.value == pytest.approx(0.1)


def test_daily_metrics_are_the_series_of_the_interval_and_its_last_value(world):
    bundle = ask(world, [ALPHA], ["stock-price", "stock-price-growth"], LAST_WEEK)
    assert shown(bundle) == [("1", "stock-price", 14), ("1", "stock-price-growth", 0.8)]
    (series,) = bundle.series
    assert series.column("close").tolist() == [10, 11, 12, 13, 14] and series.column("adj_close")[0] == 5
    assert series.times[0] == np.datetime64("2023-06-26T20:00:00")


def test_a_days_close_and_its_late_headline_are_unknown_in_the_morning(world):
    morning = datetime(2023, 6, 30, 10, tzinfo=UTC)
    bundle = ask(world, [ALPHA], ["stock-price"], None, morning)
    assert shown(bundle) == [("1", "stock-price", 13)] and bundle.passages == ()
    evening = ask(world, [ALPHA], ["stock-price"], None, end_of(2023, 6, 30))
    assert shown(evening) == [("1", "stock-price", 14)]
    assert [passage.headline for passage in evening.passages] == ["Alpha  buys Beta"]


def test_a_metric_without_a_source_and_a_company_without_data_are_gaps(world):
    gone = Entity("company", "us:GONE", "Gone Co")
    bundle = ask(world, [ALPHA, gone], ["beta", "revenue"], unresolved=("Foo Bar Inc",))
    assert [(gap.entity, gap.what) for gap in bundle.gaps] == [
        ("Foo Bar Inc", "data"),
        (ALPHA.id, "Beta"),
        (gone.id, "Beta"),
        (gone.id, "Revenue"),
    ]


def test_an_id_the_catalogue_does_not_know_is_refused_and_harms_nothing(world):
    with pytest.raises(CatalogError):
        ask(world, [Entity("company", "'; DROP TABLE companies; --", "x")], ["revenue"])
    bundle = ask(world, [], ["revenue"], unresolved=("'; DROP TABLE companies; --",))
    assert bundle.gaps[0].entity == "'; DROP TABLE companies; --" and len(world.store.companies()) == 3


def test_a_ranking_gives_the_first_in_order_with_what_else_was_asked(world):
    bundle = ask(world, [MARKET], ["revenue", "stock-price"], Q2, rank=Rank("stock-price", 1))
    assert shown(bundle) == [("2", "stock-price", 18), ("2", "revenue", 55)]
    assert shown(ask(world, [MARKET], ["revenue"], Q2, rank=Rank("revenue", 2, False))) == [
        ("2", "revenue", 55),
        ("1", "revenue", 110),
    ]


def test_peers_are_of_the_same_industry_and_an_industry_is_all_of_it(world):
    assert shown(ask(world, [Entity("peers", ALPHA.id, "")], ["revenue"], Q2)) == [("2", "revenue", 55)]
    assert len(ask(world, [Entity("industry", "Chips", "")], ["revenue"], Q2).facts) == 2
    nobody = ask(world, [Entity("peers", ALPHA.id, "Alpha Peers")], ["revenue"], None, end_of(2020, 1, 1))
    assert nobody.gaps[0].what == "Alpha Peers" and nobody.facts == ()


def test_needs_of_tools_are_read_for_the_company_its_peers_and_the_index(world):
    needs = {ALPHA.id: Needs(metrics=("revenue",), quarters=2, bars=3, peers=True, index=True, news_days=400)}
    bundle = ask(world, [ALPHA], [], None, needs=needs)
    assert shown(bundle) == [("1", "revenue", 110), ("1", "revenue", 120), ("2", "revenue", 55)]
    assert {series.entity: len(series.times) for series in bundle.series} == {
        "market": 1,
        ALPHA.id: 3,
        BETA.id: 3,
    }


def test_news_of_a_request_without_a_company_is_everyones_and_of_an_unknown_one_nobodys(world):
    assert len(ask(world, [], []).passages) == 2
    assert ask(world, [], [], unresolved=("Foo Bar Inc",)).passages == ()


def test_passages_are_ranked_by_their_cosine_with_the_question(world):
    vector = vectors_of(["Beta rises"])[0]
    found = ask(world, [BETA], [], vector=vector).passages
    assert found[0].headline == "Beta rises" and found[0].score == pytest.approx(1)
    assert len(ask(world, [BETA], [], vector=vector, k=1).passages) == 1


@given(st.integers(0, 600))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_comes_back_that_was_not_known_then(world, days):
    as_of = datetime(2022, 12, 1, 15, tzinfo=UTC) + timedelta(days=days)
    needs = {
        ALPHA.id: Needs(
            metrics=("revenue", "income"), quarters=9, bars=9, peers=True, index=True, news_days=900
        )
    }
    bundle = ask(
        world, [ALPHA, BETA], ["revenue", "margin", "market-capitalisation"], None, as_of, needs=needs
    )
    assert all(fact.filed_at <= as_of for fact in bundle.facts)
    assert all(gap.nearest is None or gap.nearest.filed_at <= as_of for gap in bundle.gaps)
    assert all(passage.published_at <= as_of for passage in bundle.passages)
    moment = np.datetime64(as_of.replace(tzinfo=None), "s")
    assert all((series.times <= moment).all() for series in bundle.series)


def test_a_naive_as_of_is_refused(world):
    with pytest.raises(ValueError, match="time zone"):
        ask(world, [ALPHA], ["revenue"], None, datetime(2023, 12, 1))
