"""A filled question and its request say the same."""

import random
from datetime import date

import pytest

from finground.catalog import dates, dialect
from finground.context import fill, vary
from finground.context.fill import Chosen, Piece, Pool, Wording
from finground.context.periods import Period, in_words, moment
from finground.context.templates import Template, templates
from finground.records.request import Interval, Rank

Q4 = Period("Q4 2024", Interval(date(2024, 10, 1), date(2024, 12, 31)))


@pytest.fixture(scope="module")
def pool(catalog):
    return Pool(catalog.companies.all, catalog.metrics.all, ("Software", "Banks"))


def test_slots_become_entities_in_the_order_of_the_text_with_related_metrics(catalog):
    text = "[metrics] of [company] and peers [date], last [number]"
    template = Template("x", "investor", "peers", text, "numeric", most=1, peers=True, rank="bottom")
    orrin = catalog.companies.by_id("us:ORRD")
    metric = catalog.metrics.by_slug("net-income")
    request = fill.request(template, Chosen({"company": (orrin,)}, (metric,), None, Q4, 5), catalog)
    assert [(entity.kind, entity.id) for entity in request.entities] == [
        ("company", "us:ORRD"),
        ("peers", "us:ORRD"),
    ]
    assert request.metrics == catalog.expand(["net-income"])
    assert (request.interval, request.phrase) == (Q4.interval, "Q4 2024")
    assert request.rank == Rank("net-income", 5, descending=False)


@pytest.fixture(scope="module")
def at(as_of):
    return moment(as_of)


def test_every_template_can_be_filled(catalog, pool, as_of, at):
    wording = Wording(catalog)
    for template in templates():
        rng = random.Random(template.id)
        pieces = wording.question(template, fill.choose(template, pool, at, rng), as_of, rng)
        assert "[" not in vary.text(pieces), template.id


@pytest.mark.parametrize("form", dialect.FORMS)
def test_a_filled_request_survives_being_written(form, catalog, pool, as_of, at):
    rng = random.Random(form)
    for template in rng.sample(templates(), 150):
        request = fill.request(template, fill.choose(template, pool, at, rng), catalog)
        read = dialect.read(dialect.write(request, form, catalog), form, catalog, as_of)
        assert set(read.entities) == set(request.entities), template.id
        assert {metric.slug for metric in read.metrics} == {metric.slug for metric in request.metrics}
        assert read.interval == request.interval


def test_a_metric_that_is_no_number_over_time_never_meets_a_question_about_change(catalog, pool):
    tracked = pool.fitting("trackable")
    assert tracked and all(metric.numeric and metric.trackable for metric in tracked)
    assert len(tracked) < len(catalog.metrics.all)


def test_written_names_vary_and_each_means_the_company_that_was_chosen(catalog, as_of):
    orrin = catalog.companies.by_id("us:ORRD")
    template = Template("x", "investor", "analysis", "[company]")
    chosen = Chosen({"company": (orrin,)}, (), None, None, None)
    wording, rng = Wording(catalog), random.Random(1)
    texts = {vary.text(wording.question(template, chosen, as_of, rng)) for _ in range(200)}
    assert texts == {"Orrin Dynamics Inc.", "orrin dynamics inc.", "Orrin", "orrin", "ORRD"}
    assert {catalog.companies.resolve(text, as_of).id for text in texts} == {"us:ORRD"}


def test_a_name_that_means_another_company_is_not_used(catalog, as_of):
    from finground.catalog.catalog import Catalog
    from finground.catalog.companies import Companies, Company

    twins = [Company("us:AAA", "Alpha One Inc.", "AAA", "", "", aliases=("Alpha",)),
             Company("us:AAB", "Alpha Two Inc.", "AAB", "", "", aliases=("Alpha",))]  # fmt: skip
    wording, rng = Wording(Catalog(Companies(twins), catalog.metrics)), random.Random(1)
    chosen = Chosen({"company": (twins[0],)}, (), None, None, None)
    template = Template("x", "investor", "analysis", "[company]")
    texts = {vary.text(wording.question(template, chosen, as_of, rng)).casefold() for _ in range(100)}
    assert texts == {"alpha one inc.", "aaa"}


def test_every_period_means_what_the_reader_of_dates_says(as_of):
    at, rng = moment(as_of), random.Random(2)
    periods = [at.draw(rng) for _ in range(1500)]
    assert len({period.phrase for period in periods}) > 100
    for period in periods:
        assert dates.parse(period.phrase, as_of) == period.interval, period
        assert date(2022, 1, 1) <= period.interval.start <= as_of.date(), period
    assert {period.phrase for period in periods if period.interval.end > as_of.date()} == {"this year"}


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("last quarter", {"last quarter"}),
        ("since 2023", {"since 2023"}),
        ("Apr 2016 to Jul 2017", {"from Apr 2016 to Jul 2017"}),
        ("past 19 days", {"over the past 19 days", "in the past 19 days", "for the past 19 days"}),
        ("Sep 2018", {"in Sep 2018", "for Sep 2018", "during Sep 2018"}),
    ],
)
def test_a_period_stands_in_a_sentence(phrase, words):
    rng = random.Random(0)
    assert {in_words(Period(phrase, Q4.interval), rng) for _ in range(50)} == words


def test_noise_touches_the_words_of_the_template_and_nothing_that_was_filled_in():
    filled = Piece("EPS", "metrics"), Piece("Orrin Dynamics Inc.", "company")
    pieces = [Piece("Should I worry about "), filled[0], Piece(" at "), filled[1], Piece("?")]
    assert (
        vary.text(vary.vary(pieces, "none", random.Random(1)))
        == "Should I worry about EPS at Orrin Dynamics Inc.?"
    )
    assert (
        vary.text(vary.vary(pieces, "casing", random.Random(1)))
        == "should i worry about EPS at Orrin Dynamics Inc.?"
    )
    assert (
        vary.text(vary.vary(pieces, "punctuation", random.Random(1)))
        == "Should I worry about EPS at Orrin Dynamics Inc."
    )
    for seed in range(50):
        varied = vary.vary(pieces, "misspelling", random.Random(seed))
        assert [piece for piece in varied if piece.slot] == [piece for piece in pieces if piece.slot]
        assert varied != pieces or vary.text(varied) == vary.text(pieces)
    with pytest.raises(ValueError, match="noise 'fog'"):
        vary.vary(pieces, "fog", random.Random(1))
