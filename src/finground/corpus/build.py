"""The corpus: raw files in; training blocks, two held-out sets and a ledger out.

read → share → repair and drop → split (by source, by date) → limit → deduplicate → decontaminate → tokenise

Law 6: documents in = trained + held out + dropped by reason, and tokens in = trained + truncated + held out,
exactly. Documents that are dropped are never tokenised, so they cost no tokens. Law 8: nothing that equals or
nearly equals a held-out document is trained on. The order of the input changes nothing (case C1).
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finground.core.artifact import whole_folder, write_json, write_rows
from finground.core.errors import FingroundError, InputError
from finground.core.log import progress, timed
from finground.corpus.clean import clean
from finground.corpus.dedup import decontaminate, deduplicate
from finground.corpus.sample import Limit, in_share, place
from finground.corpus.sources import read
from finground.corpus.tokens import Coder, write_blocks, write_documents
from finground.records.document import Document, Dropped
from finground.settings import Corpus

TRAIN, BY_DATE, BY_SOURCE = "train", "by-date", "by-source"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Selection:
    """Every document read is in exactly one of the four."""

    train: tuple[Document, ...]
    by_date: tuple[Document, ...]
    by_source: tuple[Document, ...]
    dropped: tuple[Dropped, ...]

    @property
    def total(self) -> int:
        return len(self.train) + len(self.by_date) + len(self.by_source) + len(self.dropped)


def build(raw: Path, folder: Path, settings: Corpus, *, tokenizer: Any, seed: int) -> dict[str, Any]:
    """Write the corpus folder whole or not at all; returns the ledger with the rows of the paper's Table 4.

    Args:
        tokenizer: a `tokenizers.Tokenizer`, or a fast tokenizer of transformers.

    Raises:
        InputError: if the raw folder is missing or damaged, or if nothing is left to train on.
    """
    with timed(log, "corpus"):
        chosen, coder = select(raw, settings, seed), Coder.over(tokenizer)
        about: dict[str, Any] = {}
        with whole_folder(folder, about) as out:
            about["ledger"] = _write(out, chosen, coder, settings)
            write_json(out / "ledger.json", about["ledger"])
    ledger: dict[str, Any] = about["ledger"]
    log.info("corpus: %s", ledger["documents"])
    return ledger


def texts(raw: Path, settings: Corpus, seed: int) -> Iterator[str]:
    """The training texts alone, for whoever needs text before there is a tokenizer; nothing held out is
    among them.
    """
    from finground.corpus.tokens import written

    return (written(document) for document in select(raw, settings, seed).train)


def select(raw: Path, settings: Corpus, seed: int) -> Selection:
    """Decide for every document of a raw folder: trained on, held out, or dropped.

    Raises:
        InputError: if the folder holds no documents, or none is left to train on.
    """
    chosen = choose(progress(read(raw), "documents"), settings, seed)
    if not chosen.total:
        raise InputError(
            f"0 documents in {raw}; it should hold news/reuters21578/*.sgm, news/*/*.jsonl or sec/10k-html/*"
        )
    if not chosen.train:
        reasons = ", ".join(f"{count} {reason}" for reason, count in _reasons(chosen.dropped).items())
        raise InputError(
            f"0 documents to train on of {chosen.total} in {raw} ({reasons or 'all held out'}); "
            "see corpus.shares, min_words, holdout_from and holdout_source in params.yaml"
        )
    return chosen


def choose(records: Iterable[Document | Dropped], settings: Corpus, seed: int) -> Selection:
    """The same for records from anywhere; their order does not matter."""
    dropped: list[Dropped] = []
    limits = {
        TRAIN: Limit(settings.max_documents, seed),
        BY_DATE: Limit(settings.holdout_documents, seed),
        BY_SOURCE: Limit(settings.holdout_documents, seed),
    }
    for record in records:
        document = _prepared(record, settings)
        if isinstance(document, Dropped):
            dropped.append(document)
            continue
        part = _part(document, settings)
        over = limits[part].add(document)
        if over:
            dropped.append(Dropped(over.id, over.source, _over(part)))
    held, same = deduplicate([*limits[BY_DATE].documents, *limits[BY_SOURCE].documents], settings.near)
    train, repeated = deduplicate(limits[TRAIN].documents, settings.near)
    train, leaked = decontaminate(train, held, settings.near)
    train.sort(key=lambda document: (place(document.id, seed), document.id))
    parts = {part: tuple(d for d in held if _part(d, settings) == part) for part in (BY_DATE, BY_SOURCE)}
    dropped += [*same, *repeated, *leaked]
    dropped.sort(key=lambda each: (each.source, each.reason, each.id))
    return Selection(tuple(train), parts[BY_DATE], parts[BY_SOURCE], tuple(dropped))


def _prepared(record: Document | Dropped, settings: Corpus) -> Document | Dropped:
    if isinstance(record, Dropped):
        return record
    if not in_share(record, settings.shares):
        return Dropped(record.id, record.source, "outside the share")
    return clean(record, settings.min_words)


def _part(document: Document, settings: Corpus) -> str:
    if document.source == settings.holdout_source:
        return BY_SOURCE
    return BY_DATE if document.published_at.date() >= settings.holdout_from else TRAIN


def _over(part: str) -> str:
    return "over max_documents" if part == TRAIN else f"over holdout_documents ({part})"


def _write(out: Path, chosen: Selection, coder: Coder, settings: Corpus) -> dict[str, Any]:
    """The files, and the ledger of what went where."""
    block = settings.block
    documents, trained, rest = write_blocks(out / f"{TRAIN}.arrow", coder.encode(chosen.train), block)
    if not trained:
        raise InputError(
            f"0 blocks: {rest} tokens in {documents} documents do not fill one of {block}; lower corpus.block"
        )
    held, cut = {}, 0
    for part, kept in ((BY_DATE, chosen.by_date), (BY_SOURCE, chosen.by_source)):
        count, tokens, over = write_documents(
            out / f"{part}.arrow", coder.encode(kept), settings.holdout_tokens
        )
        held[part] = (count, tokens)
        cut += over
        write_rows(out / "documents" / f"{part}.jsonl", kept)
    write_rows(out / "documents" / f"{TRAIN}.jsonl", chosen.train)
    write_rows(out / "dropped.jsonl", chosen.dropped)
    reasons = _reasons(chosen.dropped)
    ledger = {
        "block": block,
        "documents": {
            "in": chosen.total,
            "trained": documents,
            "held_out": {part: count for part, (count, _) in held.items()},
            "dropped": reasons,
        },
        "tokens": {
            "in": sum(count.tokens for count in coder.counts.values()),
            "trained": trained,
            "truncated": rest + cut,
            "padded": 0,
            "held_out": {part: tokens for part, (_, tokens) in held.items()},
            "dropped": dict.fromkeys(reasons, 0),
        },
        "table": _table(coder),
    }
    _balance(ledger["documents"])
    _balance(ledger["tokens"])
    return ledger


def _reasons(dropped: Iterable[Dropped]) -> dict[str, int]:
    return dict(sorted(Counter(each.reason for each in dropped).items()))


def _table(coder: Coder) -> list[dict[str, Any]]:
    """The paper's Table 4 for what is kept: documents, mean words and tokens, period, by source."""
    return [
        {
            "source": source,
            "documents": count.documents,
            "mean_words": round(count.words / count.documents, 1),
            "mean_tokens": round(count.tokens / count.documents, 1),
            "period": f"{min(count.years)}-{max(count.years)}",
        }
        for source, count in sorted(coder.counts.items())
    ]


def _balance(column: Any) -> None:
    """Law 6, exactly.

    Raises:
        FingroundError: if something came in and did not go anywhere.
    """
    out = sum(
        sum(value.values()) if isinstance(value, dict) else value
        for key, value in column.items()
        if key != "in"
    )
    if out != column["in"]:
        raise FingroundError(
            f"the ledger does not balance: {column['in']} came in, {out} went out ({column})"
        )
