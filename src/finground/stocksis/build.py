"""The stage: pairs of every part, labelled by experts where they were asked, else by the template writer.

Moments are taken in a seeded order until each part is full; pairs are made in as many processes as there are
cores and come out the same with any number of them. What is no label goes to rejected.jsonl with its reason.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, median

from finground.analyscore.stances import stated
from finground.answer import World
from finground.core.artifact import read_rows, whole_folder, write_rows
from finground.core.errors import InputError
from finground.core.log import progress
from finground.core.paths import Root
from finground.records.document import Dropped
from finground.records.report import WriterPair
from finground.roles import open_world
from finground.settings import Settings
from finground.stocksis.experts import read_experts
from finground.stocksis.pair import EXPERT, Asked, asked, template_pair
from finground.stocksis.split import PARTS, TEST_TIME, Split, check, split

CHUNK = 100  # moments that a process makes with one opening of the store
FEW = 200  # moments that are not worth a second process

Made = WriterPair | Dropped


def build(
    root: Root, settings: Settings, *, as_of: datetime, workers: int | None = None
) -> dict[str, object]:
    """Write the pairs; returns counts by part and by label, lengths, and rejects by reason.

    Raises:
        InputError: if no company has prices enough, or no report is fit to be a label.
        LeakError: if a part holds what is another's.
    """
    sizes, seed = settings.stocksis, settings.seed
    workers = workers or len(os.sched_getaffinity(0))
    with open_world(root.frozen, settings) as world:
        parted = split(world.store, as_of=as_of, test_companies=sizes.test_companies, seed=seed)
        given = []
        if sizes.experts:
            given = read_experts(world, root.folder / sizes.experts, parted, one_horizon=sizes.one_horizon)
    by_experts = [made for made in given if isinstance(made, WriterPair)]
    rejected = [made for made in given if isinstance(made, Dropped)]
    make = partial(_all, root.frozen, settings, workers=workers)
    kept: dict[str, list[WriterPair]] = {}
    for part, wanted in _wanted(sizes.pairs).items():
        own = [pair for pair in by_experts if pair.part == part]
        kept[part] = own[:wanted]
        rejected += [Dropped(pair.id, EXPERT, f"{part} is full") for pair in own[wanted:]]
        taken = {pair.id for pair in kept[part]}
        left = [asked(moment, seed) for moment in parted.of(part) if moment.id not in taken]
        made, unfit = _fill(left, wanted - len(kept[part]), make)
        kept[part] += made
        rejected += unfit
    if not kept["train"]:
        raise InputError(
            f"0 of {len(rejected)} reports are eligible as labels; "
            "see the reasons in the log, or give experts' files"
        )
    write(root.stocksis, kept, rejected, parted, seed)
    return counts(kept, rejected)


def write(
    folder: Path,
    kept: Mapping[str, Sequence[WriterPair]],
    rejected: Sequence[Dropped],
    parted: Split,
    seed: int,
) -> None:
    """The parts, checked against leaks first, and what was rejected.

    Raises:
        LeakError: and nothing is written.
    """
    check(kept, parted)
    about = {
        "labels": _labels(kept),
        "seed": seed,
        "held_out": sorted(parted.held_out),
        "test_from": parted.cut.isoformat(),
    }
    with whole_folder(folder, about) as out:
        for part in PARTS:
            write_rows(out / f"{part}.jsonl", kept[part])
        write_rows(out / "rejected.jsonl", rejected)


def pairs(folder: Path, part: str) -> Sequence[WriterPair]:
    """The pairs of one part."""
    return list(read_rows(folder / f"{part}.jsonl", WriterPair))


def counts(kept: Mapping[str, Sequence[WriterPair]], rejected: Sequence[Dropped]) -> dict[str, object]:
    """Pairs by part and label, words of prompts and labels (P18: reported, never required), rejects; and how
    many labels conclude on one horizon only, as there is no data for the other.
    """
    every = [pair for made in kept.values() for pair in made]
    return {
        **{part: len(made) for part, made in kept.items()},
        "labels": _labels(kept),
        "one_horizon_only": sum(len({row.horizon for row in stated(pair.target)}) < 2 for pair in every),
        "prompt_words": _lengths([pair.prompt for pair in every]),
        "report_words": _lengths([pair.target for pair in every]),
        "rejected": dict(Counter(drop.reason for drop in rejected)),
    }


def _wanted(train: int) -> dict[str, int]:
    """So many of each part; test parts are a fifth of training."""
    return {part: train if part == "train" else math.ceil(train * TEST_TIME) for part in PARTS}


def _labels(kept: Mapping[str, Sequence[WriterPair]]) -> dict[str, int]:
    return dict(Counter(pair.labels for made in kept.values() for pair in made))


def _lengths(texts: Sequence[str]) -> dict[str, float]:
    words = [len(text.split()) for text in texts]
    return {"mean": round(mean(words), 1), "median": median(words), "least": min(words), "most": max(words)}


def _fill(
    left: Sequence[Asked], wanted: int, make: "Callable[[Sequence[Asked]], list[Made]]"
) -> tuple[list[WriterPair], list[Dropped]]:
    """The first `wanted` fit pairs in the order of the moments, and those before them that were not fit."""
    pairs: list[WriterPair] = []
    unfit: list[Dropped] = []
    at = 0
    while len(pairs) < wanted and at < len(left):
        batch = left[at : at + wanted - len(pairs)]
        at += len(batch)
        for made in make(batch):
            if isinstance(made, WriterPair):
                pairs.append(made)
            else:
                unfit.append(made)
    return pairs, unfit


def _all(store: Path, settings: Settings, batch: Sequence[Asked], *, workers: int) -> list[Made]:
    """What becomes of each moment, in their order; those of a company are made one after another."""
    order = sorted(range(len(batch)), key=lambda at: batch[at].moment.company)
    chunks = [order[at : at + CHUNK] for at in range(0, len(order), CHUNK)]
    work = partial(_chunk, store, settings)
    asks = [[batch[at] for at in chunk] for chunk in chunks]
    if len(batch) <= FEW or workers == 1:
        with open_world(store, settings) as world:
            made = [_made(world, settings, few) for few in progress(asks, "stocksis")]
    else:
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            made = list(progress(pool.map(work, asks), "stocksis", len(asks)))
    by_place = {
        at: one
        for chunk, several in zip(chunks, made, strict=True)
        for at, one in zip(chunk, several, strict=True)
    }
    return [by_place[at] for at in range(len(batch))]


def _chunk(store: Path, settings: Settings, several: Sequence[Asked]) -> list[Made]:
    """The same in a process of its own."""
    with open_world(store, settings) as world:
        return _made(world, settings, several)


def _made(world: World, settings: Settings, several: Sequence[Asked]) -> list[Made]:
    """Pairs in the order of companies; the few questions of each are embedded once."""
    once = lru_cache(lambda query: world.embed([query]))
    known = replace(world, embed=lambda queries: once(*queries))
    return [template_pair(known, one, one_horizon=settings.stocksis.one_horizon) for one in several]
