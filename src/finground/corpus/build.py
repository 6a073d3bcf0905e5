"""The corpus: raw files in; training blocks, two held-out sets and a ledger out.

select (read, clean, deduplicate, decontaminate) → tokenise → gather

Law 6: documents in = trained + held out + dropped by reason, and tokens in = trained + truncated + held out,
exactly; what is dropped is never tokenised. Law 8: nothing that equals or nearly equals a held-out document,
or overlaps an evaluation set, is trained on. Neither the order of the input (case C1) nor the number of
workers changes anything.
"""

import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from finground.core.artifact import whole_folder, write_json
from finground.core.errors import InputError
from finground.core.log import timed
from finground.corpus import plots, sources, tokens
from finground.corpus.chunks import BY_DATE, BY_SOURCE
from finground.corpus.ledger import Counts, balance
from finground.corpus.select import Selected, run, select
from finground.corpus.work import Workplace, key_of, local, made, written
from finground.settings import Corpus

VERSION = 1  # of the tokens' steps; raised when what they write changes
SMALL = 32 << 20  # bytes of raw files for which starting workers costs more than it saves
log = logging.getLogger(__name__)


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
        chosen = select(raw, settings, seed, at)
        shards = _tokenise(chosen, coder, settings, at)
        ledger = _ledger(chosen, shards, settings)
        with whole_folder(folder, {"ledger": ledger}) as out:
            _gather(out, chosen, [task.out for task, _ in shards])
            write_json(out / "ledger.json", ledger)
            plots.draw(out, ledger)
    log.info("corpus: %s", ledger["documents"])
    return ledger


def texts(raw: Path, settings: Corpus, seed: int, at: Workplace) -> Iterator[str]:
    """The training texts alone, for whoever needs text before there is a tokenizer; nothing held out is
    among them. The corpus of the same settings is later built from the same steps.
    """
    with timed(log, "corpus, without tokens"), at.alone():
        chosen = select(raw, settings, seed, at)
    for folder in chosen.kept:
        yield from map(tokens.as_read, tokens.read_documents(folder / "documents.jsonl"))


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
    return list(zip(tasks, run(at, tokens.tokenize, tasks, "tokens"), strict=True))


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
