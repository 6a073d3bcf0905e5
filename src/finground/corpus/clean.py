"""Characters repaired, and documents that are no English prose named for what they are.

Soft hyphens, NULs, other control characters and zero-width marks go; spaces and line ends are made plain.
Only what is sure to be useless is dropped; telegraphic earnings reports ("Shr 34 cts vs 32 cts") are English
here.
"""

import dataclasses
import re
import unicodedata

from finground.records.document import Document, Dropped

INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060\ufeff\ufffd]")
SPACES = re.compile(r"[^\S\n ][^\S\n]*| [^\S\n]+")  # all but a single plain one
WORD = re.compile(r"[^\W\d_]+")
BOILERPLATE = re.compile(
    r"^(?:table of contents|back to top|none\.?|not applicable\.?|\[?reserved\]?\.?|omitted\.?"
    r"|(?:page )?\d{1,3}"
    r"|.{0,40}intentionally left blank.*|.{0,300}incorporated (?:herein |into .{0,60})?by reference.{0,200}"
    r"|(?:blah ?)+\.?)$",
    re.IGNORECASE,
)
ENGLISH = frozenset(
    {
        "the",
        "of",
        "to",
        "and",
        "for",
        "that",
        "by",
        "with",
        "from",
        "its",
        "be",
        "were",
        "has",
        "have",
        "not",
        "this",
    }
    | {
        "which",
        "will",
        "would",
        "said",
        "at",
        "it",
        "as",
        "vs",
        "cts",
        "mln",
        "bln",
        "dlrs",
        "pct",
        "shr",
        "net",
    }
    | {"qtr", "avg", "shrs", "revs", "sales", "year", "months", "profit", "loss", "share", "shares"}
)
FEWEST_ENGLISH = 0.05  # share of the words
ENOUGH_TO_TELL = 100_000  # characters
FEWEST_LETTERS = 0.4  # share of the characters that are no spaces


def tidy(text: str) -> str:
    """The same text in plain characters."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = SPACES.sub(" ", INVISIBLE.sub("", text))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.strip() for line in text.split("\n"))).strip()


def clean(document: Document, min_words: int) -> Document | Dropped:
    """The document with its text repaired, or the reason to leave it out."""
    document = dataclasses.replace(document, title=tidy(document.title), text=tidy(document.text))
    reason = _fault(document.text, min_words)
    return Dropped(document.id, document.source, reason) if reason else document


def _fault(text: str, min_words: int) -> str | None:
    if not text:
        return "empty"
    if len(text.split()) < min_words:
        return "too short"
    kept = [line for line in text.split("\n") if not BOILERPLATE.match(line)]
    if sum(len(line.split()) for line in kept) < min_words:
        return "boilerplate"
    start = text[:ENOUGH_TO_TELL]
    words = WORD.findall(start.lower())
    if sum(map(len, words)) < FEWEST_LETTERS * len("".join(start.split())):
        return "mostly figures"
    if sum(word in ENGLISH for word in words) < FEWEST_ENGLISH * len(words):
        return "not English"
    return None
