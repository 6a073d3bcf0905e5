"""The corpus: raw files in; training blocks, two held-out sets and a ledger out.

read → share → clean → limit → copies → held out → decontaminate → tokenise

Each arrow is a step over shards, kept beside the corpus and done once (`work.py`): text is read twice, and
between lie sorted hashes. Law 6: documents in = trained + held out + dropped by reason, and tokens in =
trained + truncated + held out, exactly; what is dropped is never tokenised. Law 8: nothing that equals
or nearly equals a held-out document, or overlaps an evaluation set, is trained on. Neither the order of the
input (case C1) nor the number of workers changes anything.
"""

import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from finground.core.artifact import whole_folder, write_json
from finground.core.errors import InputError
from finground.core.log import progress, timed
from finground.corpus import keep, match, plots, resolve, sources, tokens
from finground.corpus.chunks import BY_DATE, BY_SOURCE, PARTS, TRAIN, Chunk
from finground.corpus.files import found, stamp
from finground.corpus.ledger import Counts, balance, reasons
from finground.corpus.sample import threshold
from finground.corpus.work import Workplace, key_of, local, made, written
from finground.settings import Corpus

VERSION = 1  # of the steps after reading; raised when what they write changes
SMALL = 32 << 20  # bytes of raw files for which starting workers costs more than it saves
T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Selected:
    """The steps that hold what is kept, and what was counted on the way."""

    chunks: tuple[Path, ...]
    sifted: tuple[Path, ...]
    held: Path
    kept: tuple[Path, ...]
    records: int
    dropped: dict[str, int]
    evaluation: dict[str, int]


@contextmanager
def locally(work: Path, raw: Path, settings: Corpus, workers: int | None = None) -> Iterator[Workplace]:
    """A workplace on this machine's cores, or in this process if there is little to do."""
    size = sum(group.bytes for group in sources.groups(raw, settings))
    with local(workers or (1 if size < SMALL else None)) as each:
        yield Workplace(work, each)


def build(
    raw: Path, folder: Path, settings: Corpus, *, tokenizer: Any, seed: int, at: Workplace
) -> dict[str, Any]:
    """Write the corpus folder whole or not at all; returns the ledger with the rows of the paper's Table 4.

    Args:
        tokenizer: a `tokenizers.Tokenizer`, or a fast tokenizer of transformers.
        at: where steps are kept and who runs them.

    Raises:
        InputError: if the raw folder is missing or damaged, or if nothing is left to train on.
    """
    coder = tokens.Coder.over(tokenizer)
    with timed(log, "corpus"), at.alone():
        chosen = _select(raw, settings, seed, at)
        shards = _tokenise(chosen, coder, settings, at)
        ledger = _ledger(chosen, shards, settings)
        with whole_folder(folder, {"ledger": ledger}) as out:
            _gather(out, chosen, [task.out for task, _ in shards])
            write_json(out / "ledger.json", ledger)
            plots.draw(out, ledger)
    log.info("corpus: %s", ledger["documents"])
    return ledger


def select(raw: Path, settings: Corpus, seed: int, at: Workplace) -> Selected:
    """Decide for every document of a raw folder: trained on, held out, or dropped.

    Raises:
        InputError: if the folder holds no documents, or none is left to train on.
    """
    with timed(log, "corpus, without tokens"), at.alone():
        return _select(raw, settings, seed, at)


def texts(raw: Path, settings: Corpus, seed: int, at: Workplace) -> Iterator[str]:
    """The training texts alone, for whoever needs text before there is a tokenizer; nothing held out is
    among them. The corpus of the same settings is later built from the same steps.
    """
    chosen = select(raw, settings, seed, at)
    for folder in chosen.kept:
        yield from map(tokens.as_read, tokens.read_documents(folder / "documents.jsonl"))


def _select(raw: Path, settings: Corpus, seed: int, at: Workplace) -> Selected:
    """Every step but the last, in their order."""
    read = _read(raw, settings, seed, at)
    counts = [made_of(folder) for folder in read]
    records, keys = (sum(each[what] for each in counts) for what in ("records", "keys"))
    if not records:
        patterns = ", ".join(source.files for source in settings.sources)
        raise InputError(f"0 documents in {raw}; it should hold {patterns}")
    limits = _limits(read, settings)
    resolved = _copies(read, keys, limits, settings, at)
    sifted, sifted_counts = _sift(read, resolved, limits, settings, at)
    held = at.folder / "held" / "out"
    stamps = [(place, stamp(place)) for each in settings.evaluation for place, _ in found(each.files, raw)]
    key = key_of(VERSION, written(sifted), settings.model_dump(mode="json", include=HELD_BY), stamps)
    evaluation = made(held, key, lambda out: keep.hold_out(out, read, sifted, raw, settings))
    kept, kept_counts = _keep(
        read, sifted, held, sum(each["stay"][TRAIN] for each in sifted_counts), settings, at
    )
    dropped = reasons([each["dropped"] for each in [*sifted_counts, *kept_counts]])
    if not any(each["documents"] for each in kept_counts):
        why = ", ".join(f"{count} {reason}" for reason, count in dropped.items()) or "all held out"
        raise InputError(
            f"0 documents to train on of {records} in {raw} ({why}); "
            "see corpus.shares, min_words, holdout_from and holdout_source in params.yaml"
        )
    return Selected(tuple(read), tuple(sifted), held, tuple(kept), records, dropped, evaluation)


HELD_BY = {"evaluation", "overlap", "near"}


def _read(raw: Path, settings: Corpus, seed: int, at: Workplace) -> list[Path]:
    """Raw files to chunks."""
    folder = at.folder / "read"
    tasks = [sources.Reading(group, folder, settings, seed) for group in sources.groups(raw, settings)]
    names = [name for group in _each(at, sources.read_group, tasks, "reading") for name in group]
    return at.steps("read", names)


def _limits(read: Sequence[Path], settings: Corpus) -> tuple[int, ...]:
    """By part, the place up to which documents are taken."""
    most = {
        TRAIN: settings.max_documents,
        BY_DATE: settings.holdout_documents,
        BY_SOURCE: settings.holdout_documents,
    }
    rows = [Chunk.open(folder).rows for folder in read] if any(most.values()) else []
    return tuple(
        threshold((each["place"][each["part"] == number] for each in rows), most[part])
        for number, part in enumerate(PARTS)
    )


def _copies(
    read: Sequence[Path], keys: int, limits: tuple[int, ...], settings: Corpus, at: Workplace
) -> Path:
    """Candidates by ranges of keys, checked chunk by chunk, then one verdict for all."""
    before, near = written(read), settings.near.model_dump(mode="json")
    bounds = match.ranges(keys)
    ranges = at.steps("candidates", (f"{number:05d}" for number in range(len(bounds))))
    searching = [
        match.Range(out, key_of(VERSION, before, limits, low, high), tuple(read), low, high, limits)
        for out, (low, high) in zip(ranges, bounds, strict=True)
    ]
    _each(at, match.candidates, searching, "candidates")
    before = written(ranges)
    checked = at.steps("links", (folder.name for folder in read))
    checking = [
        match.Checking(
            out, key_of(VERSION, before, near, number), tuple(read), tuple(ranges), number, settings.near
        )
        for number, out in enumerate(checked)
    ]
    _each(at, match.check, checking, "copies")
    resolved = at.folder / "copies" / "out"
    made(resolved, key_of(VERSION, written(checked)), lambda out: resolve.resolve(out, read, checked))
    return resolved


def _sift(
    read: Sequence[Path], resolved: Path, limits: tuple[int, ...], settings: Corpus, at: Workplace
) -> tuple[list[Path], list[Any]]:
    """Which documents of each chunk stay, and why the others do not."""
    sifted = at.steps("sifted", (folder.name for folder in read))
    key = key_of(VERSION, written([resolved]), limits, settings.keep_rejected)
    tasks = [
        resolve.Sifting(
            out, key_of(key, number), tuple(read), number, resolved, limits, settings.keep_rejected
        )
        for number, out in enumerate(sifted)
    ]
    return sifted, _each(at, resolve.sift, tasks, "sifting")


def _keep(
    read: Sequence[Path], sifted: Sequence[Path], held: Path, stay: int, settings: Corpus, at: Workplace
) -> tuple[list[Path], list[Any]]:
    """Training documents in shards, without what evaluation holds."""
    count = max(1, -(-stay // settings.shard))
    kept = at.steps("kept", (f"{TRAIN}-{number:05d}" for number in range(count)))
    key = key_of(VERSION, written([held]), written(sifted), count)
    tasks = [
        keep.Keeping(out, key_of(key, number), tuple(read), tuple(sifted), held, number, count, settings)
        for number, out in enumerate(kept)
    ]
    return kept, _each(at, keep.keep, tasks, "texts")


def _tokenise(
    chosen: Selected, coder: tokens.Coder, settings: Corpus, at: Workplace
) -> list[tuple[tokens.Tokenizing, dict[str, Any]]]:
    """Blocks of each shard, and rows of the held-out sets; with what was counted."""
    saved = at.folder / "coder" / "out"
    made(saved, key_of(VERSION, coder.tokenizer.to_str(), coder.end), coder.save)
    coded, (key,) = written([saved]), written([chosen.held])
    names = [*(folder.name for folder in chosen.kept), BY_DATE, BY_SOURCE]
    outs = at.steps("tokens", names)
    tasks = [
        tokens.Tokenizing(
            out,
            key_of(VERSION, coded, written([folder]), settings.block),
            folder / "documents.jsonl",
            saved,
            settings.block,
        )
        for out, folder in zip(outs, chosen.kept, strict=False)
    ]
    tasks += [
        tokens.Tokenizing(
            out,
            key_of(VERSION, coded, key, out.name, settings.holdout_tokens),
            chosen.held / f"{out.name}.jsonl",
            saved,
            settings.block,
            settings.holdout_tokens,
        )
        for out in outs[-2:]
    ]
    return list(zip(tasks, _each(at, tokens.tokenize, tasks, "tokens"), strict=True))


def _ledger(
    chosen: Selected, shards: Sequence[tuple[tokens.Tokenizing, dict[str, Any]]], settings: Corpus
) -> dict[str, Any]:
    """Where every document and every token went.

    Raises:
        InputError: if the tokens do not fill one block.
    """
    counts, trained, held = Counts(), Counts(), {}
    for task, said in shards:
        counts.merge(said["counts"])
        if task.most is None:
            trained.merge(said["counts"])
        else:
            held[task.out.name] = (sum(each["documents"] for each in said["counts"].values()), said["kept"])
    documents = sum(count.documents for count in trained.sources.values())
    blocks = sum(said["kept"] for task, said in shards if task.most is None)
    cut = sum(said["cut"] for _, said in shards)
    if not blocks:
        raise InputError(
            f"0 blocks: {cut} tokens in {documents} documents do not fill one of {settings.block}; "
            "lower corpus.block"
        )
    ledger: dict[str, Any] = {
        "block": settings.block,
        "documents": {
            "in": chosen.records,
            "trained": documents,
            "held_out": {part: count for part, (count, _) in held.items()},
            "dropped": chosen.dropped,
        },
        "tokens": {
            "in": sum(count.tokens for count in counts.sources.values()),
            "trained": blocks,
            "truncated": cut,
            "padded": 0,
            "held_out": {part: tokens for part, (_, tokens) in held.items()},
            "dropped": dict.fromkeys(chosen.dropped, 0),
        },
        "evaluation": chosen.evaluation,
        "table": counts.table(),
        "sources": counts.plain(),
    }
    balance(ledger["documents"])
    balance(ledger["tokens"])
    return ledger


def _gather(out: Path, chosen: Selected, tokenised: Sequence[Path]) -> None:
    """The corpus folder, out of the steps that made its files."""
    for folder in tokenised:
        _link(folder / tokens.BLOCKS, out / f"{folder.name}.arrow")
        _link(folder / tokens.INDEX, out / "index" / f"{folder.name}.arrow")
    for folder in chosen.kept:
        _link(folder / "documents.jsonl", out / "documents" / f"{folder.name}.jsonl")
    for part in (BY_DATE, BY_SOURCE):
        _link(chosen.held / f"{part}.jsonl", out / "documents" / f"{part}.jsonl")
    for kind in ("dropped", "links", "rejected"):
        (out / kind).mkdir()
        for folder in (*chosen.sifted, *chosen.kept):
            source = folder / f"{kind}.jsonl"
            if source.is_file() and source.stat().st_size:
                _link(source, out / kind / source.parent.with_suffix(".jsonl").name)


def _link(there: Path, here: Path) -> None:
    """The same file under a second name, or a copy where the file system has no such thing."""
    if not there.is_file():
        return
    here.parent.mkdir(exist_ok=True)
    try:
        os.link(there, here)
    except OSError:
        shutil.copyfile(there, here)


def made_of(folder: Path) -> Any:
    """What was counted when a step was made."""
    from finground.core.artifact import manifest

    return manifest(folder)["made"]


def _each(at: Workplace, does: Callable[[T], R], tasks: Sequence[T], what: str) -> list[R]:
    """Run tasks and say how many and how long."""
    with timed(log, f"corpus: {what}, {len(tasks)} shards"):
        return list(progress(at.each(does, tasks), what, len(tasks)))
