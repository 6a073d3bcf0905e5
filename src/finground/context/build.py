"""The stage `context`: a catalogue in, pairs of question and request out, what is held out kept apart.

    train, evaluation     seen templates, companies and metrics; four to one (P9: each with its own fillings)
    test-seen             the same again, other fillings
    test-new-template     templates never trained on      test-new-company, test-new-metric   likewise
    test-natural          questions as people ask them, labelled by hand, apart from the templates

To `train` come the authors' own rows, where params name their file. Beside the parts lie their CSVs and the
coverage. Same catalogue, settings and seed give the same bytes; the folder is written whole or not at all.
"""

import logging
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Company
from finground.context import fill, split, templates, vary
from finground.context.authors import Unread, read_authors
from finground.context.coverage import report
from finground.context.fill import Pool, Wording
from finground.context.natural import natural
from finground.context.pairs import write_pairs
from finground.context.periods import Moment, moment
from finground.context.split import NATURAL, Held
from finground.context.templates import Template
from finground.core.artifact import whole_folder, write_rows
from finground.core.errors import FingroundError, InputError
from finground.records.request import Pair
from finground.settings import Context

log = logging.getLogger(__name__)
DAYS = 24  # different days on which questions are asked
YEAR = 365
TRIES = 400


@dataclass(slots=True)
class Maker:
    """Makes pairs, no question twice."""

    catalog: Catalog
    moments: tuple[Moment, ...]
    wording: Wording
    noise: float  # share of questions with any
    asked: set[str] = field(default_factory=set)

    def pairs(
        self, part: str, count: int, usable: Sequence[Template], pool: Pool, rng: random.Random
    ) -> list[Pair]:
        """So many pairs of these templates.

        Raises:
            FingroundError: if the pool does not hold so many different questions.
        """
        return [self._new(part, usable, pool, rng) for _ in range(count)]

    def _new(self, part: str, usable: Sequence[Template], pool: Pool, rng: random.Random) -> Pair:
        for _ in range(TRIES):
            if not usable:
                break
            pair, plain = self._pair(part, rng.choice(usable), pool, rng)
            if pair.query not in self.asked and plain not in self.asked:
                self.asked |= {pair.query, plain}
                return pair
        raise FingroundError(
            f"part {part} ran out of different questions: {len(usable)} templates, {len(pool.companies)} "
            f"companies and {len(pool.metrics)} metrics are too few; lower context.pairs and "
            "context.test_pairs, or ingest more companies"
        )

    def _pair(self, part: str, template: Template, pool: Pool, rng: random.Random) -> tuple[Pair, str]:
        """A pair, and its question as it was before noise: a question is the same one in any typing."""
        at = rng.choice(self.moments)
        chosen = fill.choose(template, pool, at, rng)
        noise = vary.draw(rng, self.noise)
        pieces = self.wording.question(template, chosen, at.as_of, rng)
        varied = vary.vary(pieces, noise, rng)
        pair = Pair(
            query=vary.text(varied),
            as_of=at.as_of,
            request=fill.request(template, chosen, self.catalog),
            template=template.id,
            channel=template.channel,
            kind=template.kind,
            noise=noise if varied != pieces else "none",
            part=part,
        )
        return pair, vary.text(pieces)


def build(
    catalog: Catalog,
    folder: Path,
    settings: Context,
    *,
    as_of: datetime,
    seed: int,
    companies: Sequence[str] | None = None,
    root: Path = Path(),
) -> dict[str, Any]:
    """Write all parts, their CSVs and what they cover; counts of what was made.

    Args:
        as_of: the last day on which a question is asked.
        companies: ids of those that questions may be about; all, where it is None.
        root: the folder that `settings.authors` is relative to.

    Raises:
        InputError: if there are fewer than three companies.
        FingroundError: if something held out leaks into training, or there are too few different questions.
    """
    known = _companies(catalog, companies)
    about: dict[str, Any] = {}
    with whole_folder(folder, about) as out:
        parts, held = make(catalog, known, settings, as_of=as_of, seed=seed)
        theirs = root / settings.authors if settings.authors else None
        unread = _add_authors(parts["train"], catalog, theirs, as_of)
        write_rows(out / "authors-unread.jsonl", unread)
        split.check(parts, held)
        for part, pairs in parts.items():
            write_pairs(out, part, pairs, catalog)
        report(out, parts, catalog)
        counts = _counts(parts, held) | {"authors_unread": dict(Counter(row.reason for row in unread))}
        about.update(counts, catalog=catalog.digest, as_of=as_of.isoformat(), seed=seed, held=_listed(held))
    log.info("context: %s", ", ".join(f"{part} {len(pairs)}" for part, pairs in parts.items()))
    return counts


def make(
    catalog: Catalog, companies: Sequence[Company], settings: Context, *, as_of: datetime, seed: int
) -> tuple[dict[str, list[Pair]], Held]:
    """All parts in memory, and what is held out of training."""
    shipped = templates.templates()
    held = split.hold_out(
        shipped, companies, catalog.metrics.all, settings.held_out, random.Random(f"{seed} held")
    )
    maker = Maker(catalog, _moments(as_of, random.Random(f"{seed} days")), Wording(catalog), settings.noise)
    pools = _pools(catalog, companies, held)
    parts = {}
    for part, count in _sizes(settings).items():
        pool = pools.get(part, pools["train"])
        fitting = _templates(part, shipped, held, pool)
        parts[part] = maker.pairs(part, count, fitting, pool, random.Random(f"{seed} {part}"))
    parts[NATURAL] = random.Random(f"{seed} {NATURAL}").sample(asked := list(natural(catalog)), len(asked))
    return parts, held


def _add_authors(train: list[Pair], catalog: Catalog, path: Path | None, as_of: datetime) -> list[Unread]:
    """Append the authors' rows to the training part; returns those that cannot be read."""
    rows = list(read_authors(path, catalog, as_of)) if path else []
    train += [row for row in rows if isinstance(row, Pair)]
    return [row for row in rows if isinstance(row, Unread)]


def _sizes(settings: Context) -> dict[str, int]:
    """Pairs by part: evaluation a fifth of `pairs`, the four tests a quarter of `test_pairs` each."""
    evaluation = max(settings.pairs // 5, 1)
    sizes = {"train": max(settings.pairs - evaluation, 1), "evaluation": evaluation}
    return sizes | {part: max(settings.test_pairs // len(split.TESTS), 1) for part in split.TESTS}


def _pools(catalog: Catalog, companies: Sequence[Company], held: Held) -> dict[str, Pool]:
    """What each part may be filled with; parts not named are filled as `train` is."""
    seen = tuple(company for company in companies if company.id not in held.companies)
    new = tuple(company for company in companies if company.id in held.companies)
    metrics = catalog.metrics.all
    touched = {
        metric.slug
        for metric in metrics
        if any(asked.slug in held.metrics for asked in catalog.expand((metric.slug,)))
    }
    old_metrics = tuple(metric for metric in metrics if metric.slug not in touched)
    new_metrics = tuple(metric for metric in metrics if metric.slug in touched)
    industries = tuple(dict.fromkeys(company.industry for company in companies if company.industry))
    return {
        "train": Pool(seen, old_metrics, industries),
        "test-new-company": Pool(new, old_metrics, industries),
        "test-new-metric": Pool(seen, new_metrics, industries),
    }


def _templates(part: str, shipped: Iterable[Template], held: Held, pool: Pool) -> list[Template]:
    """Templates of a part: new ones only where it says so, and such as can show what is new."""
    found = [
        template
        for template in shipped
        if (template.id in held.templates) == (part == "test-new-template") and fill.usable(template, pool)
    ]
    if part == "test-new-company":
        return [template for template in found if template.companies]
    if part == "test-new-metric":
        return [template for template in found if "metrics" in template.slots]
    return found


def _moments(as_of: datetime, rng: random.Random) -> tuple[Moment, ...]:
    """The last day, and others of the year before it."""
    back = sorted(rng.sample(range(1, YEAR), DAYS - 1))
    return tuple(moment(as_of - timedelta(days=days)) for days in (0, *back))


def _companies(catalog: Catalog, ids: Sequence[str] | None) -> tuple[Company, ...]:
    wanted = None if ids is None else frozenset(ids)
    known = tuple(company for company in catalog.companies.all if wanted is None or company.id in wanted)
    if len(known) < 3:
        raise InputError(
            f"{len(known)} companies have data, and pairs need at least 3 (one is held out); "
            "ingest more raw files"
        )
    return tuple(sorted(known, key=lambda company: company.id))


def _counts(parts: Mapping[str, Sequence[Pair]], held: Held) -> dict[str, Any]:
    """Pairs by part, and of all of them by kind, channel and noise; how much is held out."""
    pairs = [pair for part in parts.values() for pair in part]
    return {
        "pairs": {part: len(rows) for part, rows in parts.items()},
        "kinds": dict(sorted(Counter(pair.kind for pair in pairs).items())),
        "channels": dict(sorted(Counter(pair.channel for pair in pairs).items())),
        "noise": dict(sorted(Counter(pair.noise for pair in pairs).items())),
        "held_out": {
            "templates": len(held.templates), "companies": len(held.companies), "metrics": len(held.metrics)
        },
    }  # fmt: skip


def _listed(held: Held) -> dict[str, list[str]]:
    return {
        "templates": sorted(held.templates),
        "companies": sorted(held.companies),
        "metrics": sorted(held.metrics),
    }
