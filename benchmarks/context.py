"""The data set at the paper's size and the rules agent on it: `python benchmarks/context.py`.

Prints seconds and peak memory of 50,000 + 10,000 pairs on one core, written to a temporary folder, whether a
second run under another PYTHONHASHSEED gives the same bytes, and the rules agent's questions a second with
its exact match by part.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finground.agent.rules import RulesAgent
    from finground.records.request import Pair, Request

PAIRS, TESTS, SEED, ASKED = 50_000, 10_000, 7, 2_500


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        runs = [build_apart(Path(folder) / name, hashes) for name, hashes in (("a", "0"), ("b", "1"))]
        seconds, peak = min(run["seconds"] for run in runs), max(run["megabytes"] for run in runs)
        print(f"{PAIRS + TESTS:,} pairs: {seconds:.1f} s (better of two), {peak:.0f} MB at most")
        print(f"same bytes: {runs[0]['files'] == runs[1]['files']}")
        ask(Path(folder) / "a")


def build_apart(folder: Path, hashes: str) -> dict:
    """One build in a process of its own, on one core."""
    environment = {**os.environ, "PYTHONHASHSEED": hashes}
    told = subprocess.run(
        [sys.executable, __file__, str(folder)],
        check=True,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(told.stdout)


def build_here(folder: Path) -> None:
    """Build, and print what it took as JSON."""
    from finground.catalog.catalog import Catalog
    from finground.catalog.dates import as_of_of
    from finground.catalog.shipped import shipped
    from finground.context.build import build
    from finground.core.artifact import manifest
    from finground.settings import Context

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    began = time.perf_counter()
    settings = Context(pairs=PAIRS, test_pairs=TESTS)
    build(Catalog(shipped()), folder, settings, as_of=as_of_of("2025-06-30"), seed=SEED)
    seconds, peak = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak, "files": manifest(folder)["files"]}))


def ask(folder: Path) -> None:
    """The rules agent over all five parts."""
    from finground.agent.rules import RulesAgent
    from finground.bench.metrics import exact_match, f1, fields
    from finground.catalog.catalog import Catalog
    from finground.catalog.shipped import shipped
    from finground.context.pairs import read_pairs
    from finground.context.split import NATURAL, TESTS

    catalog = Catalog(shipped())
    agent = RulesAgent(catalog)
    for part in (NATURAL, *TESTS):
        pairs = list(read_pairs(folder, part, ASKED))
        began = time.process_time()
        said = [read(agent, pair) for pair in pairs]
        rate = len(pairs) / (time.process_time() - began)
        flat = [
            (fields(one, catalog), fields(pair.request, catalog))
            for one, pair in zip(said, pairs, strict=True)
        ]
        scores = {"exact match": [exact_match(*both) for both in flat]}
        scores |= {
            f"F1 {name}": [f1(*both, name) for both in flat] for name in ("entities", "primary", "dates")
        }
        shown = "  ".join(f"{name} {sum(values) / len(values):.3f}" for name, values in scores.items())
        print(f"{part:18} n {len(pairs):,}  {shown}  {rate:,.0f} questions/s")


def read(agent: "RulesAgent", pair: "Pair") -> "Request | None":
    """The agent's request, or None where it refused."""
    from finground.core.errors import InputError

    try:
        return agent.request(pair.query, pair.as_of)
    except InputError:
        return None


if __name__ == "__main__":
    build_here(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
