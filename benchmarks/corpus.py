"""Figures of the corpus room, on real text: `python benchmarks/corpus.py PART… --scratch DIR`.

Parts: `make` writes documents; `signatures`, `room`, `tokens`, `planted` and `articles` measure
and print.

Documents of 370 words in the mean are cut out of Reuters-21578 and the filings, then multiplied: each copy
has a seeded 35% of its words exchanged for others of the same texts, so that copies are no near-duplicates of
one another; 2% are exact copies and 8% have 2% of their words changed and another header.

Speeds "a core" are by processor time, which other work on the machine changes less; wall-clock stands beside
it. Memory is that of all processes together, once without pages of mapped files (which the system takes back
at need) and once with them.

datatrove is no dependency. To have it beside: `python -m venv V`, `V/bin/pip install "datatrove[processing]"
tokenizers spacy`, then `--datatrove V/bin/python`.
"""

import argparse
import itertools
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from finground.corpus import filings, grams, match, reuters, tokens
from finground.corpus.chunks import Chunk
from finground.corpus.clean import tidy
from finground.corpus.files import found
from finground.corpus.select import select
from finground.corpus.work import Workplace, local
from finground.records.document import Document
from finground.settings import Corpus, Near, Source, real_sources

MEAN, EXCHANGED, NEARLY = 370, 0.35, 0.02  # words a document; shares of words changed
PAPER, TOKENISED = 27_200_469, 18_021_470  # FinBloom's Table 4: all, and with 25% of the filings
HEADERS = "LONDON", "PARIS", "NEW YORK", "TOKYO", "FRANKFURT", "CHICAGO"
AGENCIES = "Reuters", "dpa", "AFP"
A_FILE = 15_000  # documents
COLUMNS = {key: key for key in ("id", "published_at", "title", "text")}
NEWS = Source.model_validate({"name": "news", "files": "*.jsonl", "read": "jsonl", "columns": COLUMNS})
RULES = Corpus(
    sources=(NEWS,),
    holdout_from=date(2012, 7, 1), holdout_source="none", holdout_documents=500, block=1024,
)  # fmt: skip
THEIRS = """
import json, sys, time
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
texts = json.load(open(sys.argv[1]))
step = MinhashDedupSignature("/tmp", MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8))
step.get_signature(step.get_shingles(texts[0]))
wall, core = time.perf_counter(), time.process_time()
for text in texts:
    step.get_signature(step.get_shingles(text))
print(json.dumps({"wall": time.perf_counter() - wall, "core": time.process_time() - core}))
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("parts", nargs="+", choices=list(PARTS))
    options.add_argument("--raw", type=Path, default=Path("../shared/data"))
    options.add_argument("--scratch", type=Path, required=True)
    options.add_argument("--documents", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--datatrove", default="")
    options.add_argument("--tokenizer", type=Path)
    given = options.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    for part in given.parts:
        PARTS[part](given)


# text --------------------------------------------------------------------------------------------


def base_texts(raw: Path) -> list[list[str]]:
    """Words of real documents, cut or joined to lengths whose mean is MEAN."""
    readers = {"reuters": reuters.read, "edgar": filings.read}
    words: list[str] = []
    for source in real_sources():
        for place, _ in found(source.files, raw) if source.read in readers else ():
            for record in readers[source.read](place, source):
                if isinstance(record, Document):
                    words += tidy(record.text).split()
    rng, cut, at = random.Random(1), [], 0
    while at < len(words):
        size = max(40, round(rng.lognormvariate(np.log(MEAN) - 0.18, 0.6)))
        cut.append(words[at : at + size])
        at += size
    return cut[:-1]


def documents(raw: Path, count: int, *, start: int = 0) -> Iterator[dict[str, str]]:
    """Rows `start` to `count`, each decided by its number alone."""
    base = base_texts(raw)
    pool = np.array([word for words in base for word in words], object)
    bases = [np.array(words, object) for words in base]
    for number in range(start, count):
        kind = number % 50
        own = number - 1 if kind == 49 or kind % 12 == 11 else number  # of the document just before
        words = _changed(bases[own * 7919 % len(bases)], pool, EXCHANGED, own)
        rng = np.random.default_rng([2, number])
        if kind % 12 == 11:
            words = _changed(words, pool, NEARLY, number)
        yield row(number, words, rng)


def _changed(words: Any, pool: Any, share: float, seed: int) -> Any:
    rng = np.random.default_rng([3, seed])
    at = np.flatnonzero(rng.random(len(words)) < share)
    made = words.copy()
    made[at] = pool[rng.integers(0, len(pool), len(at))]
    return made


def row(number: int, words: Any, rng: Any) -> dict[str, str]:
    """A row as JSONL has it: a header before, a line every 40 words or so."""
    when = datetime(2003, 1, 1, tzinfo=UTC) + timedelta(minutes=5 * number % 4_900_000)
    lines = [" ".join(words[at : at + 40]) for at in range(0, len(words), 40)]
    head = f"{HEADERS[rng.integers(6)]}, {when:%b} {when.day} ({AGENCIES[rng.integers(3)]}) - "
    title = " ".join(words[:8])
    return {
        "id": f"d{number:08d}",
        "published_at": when.isoformat(),
        "title": title,
        "text": head + "\n".join(lines),
    }


def make(given: argparse.Namespace) -> None:
    """Files of JSONL, so many documents as the largest size asks for; smaller sizes take the first files."""
    folder = given.scratch / "raw"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    began, out, words = time.perf_counter(), None, 0
    for number, each in enumerate(documents(given.raw, max(given.documents))):
        if number % A_FILE == 0:
            out = (folder / f"{number // A_FILE:05d}.jsonl").open("w")
        out.write(json.dumps(each) + "\n")
        words += each["text"].count(" ") + 1
    out.close()
    say("made", documents=number + 1, mean_words=words / (number + 1), seconds=time.perf_counter() - began)


# measuring ---------------------------------------------------------------------------------------


def say(what: str, **figures: Any) -> None:
    print(
        json.dumps(
            {"what": what, **{key: round(v, 4) if isinstance(v, float) else v for key, v in figures.items()}}
        ),
        flush=True,
    )


class Spent:
    """Wall-clock, processor time and peak memory of a stretch of work, workers included."""

    wall = core = 0.0
    anonymous = resident = 0


@contextmanager
def spent() -> Iterator[Spent]:
    """Workers must have ended when the block ends."""
    found, over = Spent(), threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            anonymous, resident = memory()
            found.anonymous, found.resident = max(found.anonymous, anonymous), max(found.resident, resident)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    wall, core = time.perf_counter(), processor()
    yield found
    found.wall, found.core = time.perf_counter() - wall, processor() - core
    over.set()
    watcher.join()


def processor() -> float:
    """Seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def memory() -> tuple[int, int]:
    """Bytes of this process and all below it: without pages of files, and with them."""
    import psutil

    here = psutil.Process()
    anonymous = resident = 0
    for process in (here, *here.children(recursive=True)):
        try:
            about = Path(f"/proc/{process.pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        sizes = {
            line.split(":")[0]: line.split()[1]
            for line in about.splitlines()
            if line.startswith(("RssAnon", "VmRSS"))
        }
        anonymous += int(sizes.get("RssAnon", 0)) * 1024
        resident += int(sizes.get("VmRSS", 0)) * 1024
    return anonymous, resident


# parts -------------------------------------------------------------------------------------------


def signatures(given: argparse.Namespace) -> None:
    """MinHash of the same texts by us and by datatrove, one core each: 5-grams, 112 permutations."""
    texts = [each["text"] for each in documents(given.raw, 6000)]
    rates = {}
    for name, run in (
        ("ours, 112", lambda: ours(texts, 112)),
        ("ours, 100 (as shipped)", lambda: ours(texts, 100)),
    ):
        run()
        rates[name] = fastest(run, len(texts))
    if given.datatrove:
        path, few = given.scratch / "texts.json", texts[:1000]
        path.write_text(json.dumps(few))
        command = [given.datatrove, "-c", THEIRS, path]
        said = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(3)]
        runs = [json.loads(each.splitlines()[-1]) for each in said]
        rates["datatrove"] = len(few) / min(each["core"] for each in runs)
        say("signatures", ratio=rates["ours, 112"] / rates["datatrove"], **rates)
    else:
        say("signatures", **rates)


def ours(texts: list[str], permutations: int) -> None:
    for part in grams.batches(texts):
        grams.signatures(grams.grams(grams.words(part), 5), permutations)


def fastest(run: Callable[[], object], count: int, times: int = 5) -> float:
    """So many a second of processor time, in the best of some runs."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return count / best


def room(given: argparse.Namespace) -> None:
    """The whole room without tokens, at each size; how time grows, and what the paper's corpus would take."""
    points = []
    for size in given.documents:
        raw, work = given.scratch / f"raw-{size}", given.scratch / f"work-{size}"
        for folder in (raw, work):
            shutil.rmtree(folder, ignore_errors=True)
        raw.mkdir()
        for path in sorted((given.scratch / "raw").iterdir())[: -(-size // A_FILE)]:
            (raw / path.name).symlink_to(path.resolve())
        with spent() as used, local(given.workers) as each:
            chosen = select(raw, RULES, 7, Workplace(work, each))
        count = chosen.records
        points.append((count, used.wall, used.core))
        say(
            "room", documents=count, wall=used.wall, core=used.core,
            per_second=count / used.wall, per_core_second=count / used.core,
            anonymous_mib=used.anonymous / 2**20, resident_mib=used.resident / 2**20,
            index_mib=index_size(work) / 2**20,
            dropped=chosen.dropped,
        )  # fmt: skip
        shutil.rmtree(work)
    if len(points) > 1:
        for name, at in (("wall", 1), ("core", 2)):
            sizes, seconds = np.array([p[0] for p in points]), np.array([p[at] for p in points])
            slope, start = np.polyfit(sizes, seconds, 1)
            rest = seconds - (slope * sizes + start)
            fit = 1 - (rest**2).sum() / ((seconds - seconds.mean()) ** 2).sum()
            power = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
            hours = (slope * PAPER + start) / 3600
            say(f"fit of {name}", us_a_document=1e6 * slope, start=start, r2=fit, exponent=power, hours=hours)


def index_size(work: Path) -> int:
    """Bytes of what copies are found through."""
    files = [f"read/*/{name}.bin" for name in ("keys", "owners", "signatures")]
    return sum(path.stat().st_size for pattern in files for path in work.glob(pattern))


def tokenise(given: argparse.Namespace) -> None:
    """Tokens and blocks from JSONL to Arrow, against nothing but `encode_batch` on the same texts."""
    from tokenizers import Tokenizer

    coder = tokens.Coder.over(Tokenizer.from_file(str(given.tokenizer)))
    folder = given.scratch / "tokens"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "coder").mkdir(parents=True)
    coder.save(folder / "coder")
    (folder / "coder" / "manifest.json").write_text("{}")
    from finground.core.artifact import write_rows

    kept = [
        Document(r["id"], "news", datetime.fromisoformat(r["published_at"]), r["title"], r["text"])
        for r in documents(given.raw, min(3000, *given.documents))
    ]
    write_rows(folder / "documents.jsonl", kept)
    texts = [tokens.as_read(document) for document in kept]

    def bare() -> None:
        for at in range(0, len(texts), tokens.DOCUMENTS_AT_ONCE):
            coder.tokenizer.encode_batch(texts[at : at + tokens.DOCUMENTS_AT_ONCE], add_special_tokens=False)

    def whole() -> dict[str, Any]:
        shutil.rmtree(folder / "out", ignore_errors=True)
        task = tokens.Tokenizing(folder / "out", "", folder / "documents.jsonl", folder / "coder", 1024)
        return tokens.tokenize(task)

    made = whole()
    count = made["kept"] + made["cut"]
    wall = []
    for run in (bare, whole):
        seconds = []
        for _ in range(3):
            began = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - began)
        wall.append(min(seconds))
    core = [fastest(run, len(texts), 3) for run in (bare, whole)]
    say(
        "tokens", vocabulary=coder.tokenizer.get_vocab_size(), documents=len(texts), tokens=count,
        threads=os.environ.get("RAYON_NUM_THREADS", "all"),
        bare_tokens_per_second=count / wall[0], ours_tokens_per_second=count / wall[1],
        ratio_wall=wall[0] / wall[1], ratio_core=core[1] / core[0],
        hours_for_the_paper=TOKENISED * wall[1] / len(texts) / 3600,
    )  # fmt: skip


def planted(given: argparse.Namespace) -> None:
    """Copies with changed words and another header: how many are found, and at what cost."""
    base = base_texts(given.raw)
    pool = np.array([word for words in base for word in words], object)
    rows = {}
    for number in range(6000):
        words = _changed(np.array(base[number * 7919 % len(base)], object), pool, EXCHANGED, number)
        rows[f"base-{number}"] = row(number, words, np.random.default_rng(number))
        if number % 2 == 0:
            share = (0.02, 0.05, 0.10)[number // 2 % 3]
            copy = row(
                number + 1_000_000,
                _changed(words, pool, share, number + 10**6),
                np.random.default_rng(number + 1),
            )
            rows[f"copy-{number}-{share}"] = copy
    raw = given.scratch / "planted"
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir()
    with (raw / "rows.jsonl").open("w") as out:
        for id, each in rows.items():
            out.write(json.dumps({**each, "id": id}) + "\n")
    for near in shapes():
        judge(raw, given.scratch / "planted-work", near, len(rows))


def shapes() -> Iterator[Near]:
    """The setting that is shipped, then one thing changed at a time."""
    yield Near()
    for jaccard in (0.8, 0.6, 0.5, 0.4, 0.3):
        yield Near(jaccard=jaccard)
    for gram in (1, 2, 3, 8):
        yield Near(gram=gram)
    for bands, width in ((14, 8), (16, 7), (28, 4), (37, 3)):
        yield Near(bands=bands, rows=width)
    yield Near(jaccard=0.3, bands=37, rows=3)
    yield Near(jaccard=0.3, bands=50, rows=2)


def judge(raw: Path, work: Path, near: Near, count: int) -> None:
    """Run the room without tokens and hold what it dropped against what was planted."""
    from finground.core.artifact import read_rows
    from finground.corpus.resolve import Link

    shutil.rmtree(work, ignore_errors=True)
    rules = RULES.model_copy(update={"near": near, "holdout_from": date(2090, 1, 1)})
    began = time.process_time()
    chosen = select(raw, rules, 7, Workplace(work, map))
    seconds = time.process_time() - began
    links = [link for folder in chosen.sifted for link in read_rows(folder / "links.jsonl", Link)]
    pairs = {(link.id.removeprefix("news:"), link.to.removeprefix("news:")) for link in links}
    right = {
        (copy, to) for copy, to in pairs if copy.startswith("copy") and to == f"base-{copy.split('-')[1]}"
    }
    planted = [f"-{share}" for share in (0.02, 0.05, 0.1)]
    recall = {f"recall_{end[1:]}": sum(c.endswith(end) for c, _ in right) / 1000 for end in planted}
    candidates = sum(len(match.pairs_of(folder)[0]) for folder in work.glob("candidates/[!.]*"))
    say(
        "planted", jaccard=near.jaccard, gram=near.gram, bands=near.bands, rows=near.rows, **recall,
        precision=len(right) / max(len(pairs), 1), candidates_a_document=candidates / count,
        us_a_document=1e6 * seconds / count,
    )  # fmt: skip


def articles(given: argparse.Namespace) -> None:
    """Reuters-21578 as it is: what the index finds of all near-duplicate pairs, counted one by one."""
    work = given.scratch / "articles-work"
    shutil.rmtree(work, ignore_errors=True)
    rules = RULES.model_copy(update={"sources": real_sources()[:1], "holdout_from": date(2090, 1, 1)})
    (folder,) = select(given.raw, rules, 7, Workplace(work, map)).chunks
    (links,) = [match.links(each) for each in work.glob("links/[!.]*")]
    found_near = {(int(a), int(b)) for a, b, kind in zip(*links, strict=True) if kind == match.NEAR}
    true = near_pairs(Chunk.open(folder), rules.near)
    say(
        "articles", documents=len(Chunk.open(folder).rows), same_pairs=int((links[2] == match.SAME).sum()),
        near_pairs=len(true), found=len(found_near & true), invented=len(found_near - true),
    )  # fmt: skip


def near_pairs(chunk: Chunk, near: Near) -> set[tuple[int, int]]:
    """Pairs over the threshold whose bodies differ, through every n-gram that at most 200 documents hold."""
    sets, holders = [], dict[int, list[int]]()
    for part in grams.batches(chunk.document(row).text for row in range(len(chunk.rows))):
        flat = grams.grams(grams.words(part), near.gram)
        sets += [np.unique(flat[at]) for at in range(len(part))]
    for at, own in enumerate(sets):
        for gram in own.tolist():
            holders.setdefault(gram, []).append(at)
    shared = {
        pair for held in holders.values() if 1 < len(held) <= 200 for pair in itertools.combinations(held, 2)
    }
    bodies = chunk.rows["body"]
    apart = {(one, other) for one, other in shared if bodies[one] != bodies[other]}
    return {(one, other) for one, other in apart if grams.jaccard(sets[one], sets[other]) >= near.jaccard}


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "make": make, "signatures": signatures, "room": room, "tokens": tokenise, "planted": planted,
    "articles": articles,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
