"""AnalyScore by rules, the damage it finds, Stocksis at the paper's size: `… analyscore.py ROOT [PAIRS]`.

ROOT is a demo root whose snapshot is made (`finground run sample ingest snapshot`). Prints milliseconds a
report (a checked report; grounding apart), the subjects lowered by each kind of damage over 200 reports with
kappa between scorer and script, and the seconds of PAIRS training pairs (5,000; 0 leaves them out) with their
test parts, as the stage makes them: in a process a core, with a bar on a terminal.
"""

import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, quantiles

from finground.analyscore.agreement import cohen_kappa
from finground.analyscore.degrade import KINDS, lowered
from finground.analyscore.score import score
from finground.catalog.dates import end_of
from finground.core.log import progress
from finground.core.paths import Root
from finground.records.report import Report
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.template import TemplateWriter
from finground.roles import open_world
from finground.settings import Settings, load
from finground.stocksis.build import build
from finground.stocksis.build import pairs as stocksis_pairs
from finground.stocksis.pair import brief_of
from finground.stocksis.split import PARTS, split

REPORTS, PAIRS = 200, 5_000
NONE, SEVERAL = "none", "several"


def main(root: Root, *, pairs: int) -> None:
    settings = load(root.params)
    reports = list(progress(own_reports(root, settings), "reports", REPORTS))
    speed(reports)
    damage(reports)
    if pairs:
        stocksis(root, settings, pairs)


def own_reports(root: Root, settings: Settings) -> Iterator[tuple[Report, Brief]]:
    """Whole, eligible reports of the template, long and compact by turns."""
    made = 0
    with open_world(root.frozen, settings) as world:
        parted = split(
            world.store, as_of=end_of(settings.snapshot.as_of), test_companies=0.2, seed=settings.seed
        )
        for moment in parted.moments:
            brief = brief_of(world, moment, "Please analyze {0}.")
            report = check(TemplateWriter(compact=made % 2 == 1).write(brief), brief)
            found = score(report, brief)
            if found.eligible and found.total == 80:
                yield report, brief
                made += 1
            if made == REPORTS:
                return


def speed(reports: list[tuple[Report, Brief]]) -> None:
    took = []
    for report, brief in reports:
        began = time.process_time()
        score(report, brief)
        took.append(1000 * (time.process_time() - began))
    print(
        f"by rules: {mean(took):.1f} ms a report, p95 {quantiles(took, n=20)[-1]:.1f} ms, {len(took)} reports"
    )


def damage(reports: list[tuple[Report, Brief]]) -> None:
    script, scorer = [], []
    for at, (report, brief) in enumerate(progress(reports, "damage")):
        before = score(report, brief)
        script.append(NONE)
        scorer.append(NONE if not lowered(before, score(check(report, brief), brief)) else SEVERAL)
        for kind in KINDS:
            worse = kind.does(report, brief, random.Random(at))
            if worse is None:
                continue
            found = lowered(before, score(check(worse, brief), brief))
            script.append(kind.subject)
            scorer.append(next(iter(found)) if len(found) == 1 else SEVERAL if found else NONE)
    for kind in KINDS:
        said = Counter(b for a, b in zip(script, scorer, strict=True) if a == kind.subject)
        print(
            f"{kind.name:20} lowers {kind.subject} alone in {said[kind.subject]} of {said.total()}; "
            f"{dict(said)}"
        )
    print(f"kappa of scorer and script: {cohen_kappa(script, scorer):.3f} over {len(script)} reports")


def stocksis(root: Root, settings: Settings, pairs: int) -> None:
    sizes = settings.stocksis.model_copy(update={"pairs": pairs})
    with tempfile.TemporaryDirectory() as folder:
        apart = Root(Path(folder))
        apart.snapshot.parent.mkdir(parents=True)
        apart.snapshot.symlink_to(root.snapshot.resolve())
        began = time.perf_counter()
        made = build(
            apart, settings.model_copy(update={"stocksis": sizes}), as_of=end_of(settings.snapshot.as_of)
        )
        took = time.perf_counter() - began
        count = sum(len(stocksis_pairs(apart.stocksis, part)) for part in PARTS)
    cores = len(os.sched_getaffinity(0))
    print(f"stocksis: {count} pairs in {took:.0f} s on {cores} cores, {1000 * took / count:.0f} ms a pair")
    print(made)


if __name__ == "__main__":
    main(Root(Path(sys.argv[1])), pairs=int(sys.argv[2]) if len(sys.argv) > 2 else PAIRS)
