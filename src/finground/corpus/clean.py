"""Characters repaired, wires' headers taken off, and documents that are no English prose named as such.

Soft hyphens, NULs, other control characters and zero-width marks go; spaces and line ends are made plain;
lines that are boilerplate or repeat what stood before are left out. Only what is sure to be useless is
dropped; telegraphic earnings reports ("Shr 34 cts vs 32 cts") are English here.
"""

import dataclasses
import re
import unicodedata
from collections import Counter

from finground.corpus.wire import Version, bare_title, story
from finground.records.document import Document, Dropped
from finground.settings import Corpus

CONTROL = bytes(byte for byte in range(128) if (byte < 32 and byte not in b"\t\n") or byte == 127)
HIDDEN = re.compile(  # U+0080-9F, soft hyphen, zero-width and direction marks, U+2060, U+FEFF, U+FFFD
    rb"\xc2[\x80-\x9f\xad]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81\xa0|\xef\xbb\xbf|\xef\xbf\xbd"
)
BLANKS = re.compile(r"\n{3,}")
BOILERPLATE = re.compile(
    r"(?:table of contents|back to top|none\.?|not applicable\.?|\[?reserved\]?\.?|omitted\.?"
    r"|(?:page )?[-–]? ?\d{1,3} ?[-–]?(?: of \d{1,3})?|(?:blah ?)+\.?)",
    re.IGNORECASE,
)
BLANK, REFERENCE = (
    "intentionally left blank",
    re.compile(r"incorporated (?:herein |into .{0,60})?by reference", re.I),
)
SHORT, LONG = 60, 500  # characters of a line that can be boilerplate, and of one that only refers elsewhere
ENGLISH = frozenset(
    b"the of to and for that by with from its be were has have not this which will would said at it as "
    b"vs cts mln bln dlrs pct shr net qtr avg shrs revs sales year months profit loss share shares".split()
)
FEWEST_ENGLISH = 0.05  # share of the words
FEWEST_LETTERS = 0.4  # share of the characters that are no spaces
MOST_REPEATED = 0.3  # share of the characters in lines that stood before (Rae et al. 2021, table A1)
ENOUGH_TO_TELL = 100_000  # characters
HEADING, OFTEN = 80, 4  # a short line is a running head if it stands so often; a paragraph repeats at once
LETTERS = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalpha() else byte if byte > 127 else 32
                for byte in range(256))  # fmt: skip
NO_LETTERS, WHITE = bytes(byte for byte in range(128) if not chr(byte).isalpha()), b" \n"


@dataclasses.dataclass(frozen=True, slots=True)
class Cleaned:
    """A document fit for the corpus, its number of words, and what its title said of its version."""

    document: Document
    words: int
    version: Version


def tidy(text: str) -> str:
    """The same text in plain characters."""
    plain = text.isascii()
    if not plain:
        text = unicodedata.normalize("NFC", text)
    data = (
        text.encode("utf-8", "replace").replace(b"\r\n", b"\n").replace(b"\r", b"\n").translate(None, CONTROL)
    )
    text = (data if plain else HIDDEN.sub(b"", data)).decode()
    text = "\n".join([" ".join(line.split()) for line in text.split("\n")])
    return (BLANKS.sub("\n\n", text) if "\n\n\n" in text else text).strip()


def clean(document: Document, settings: Corpus) -> Cleaned | Dropped:
    """The document with its text repaired, or the reason to leave it out."""
    title, version = bare_title(tidy(document.title))
    text = story(tidy(document.text))
    words = _words(text)
    reason = _length(words, settings)
    if not reason:
        kept, repeated = _worthwhile(text)
        if repeated > MOST_REPEATED * len(text):
            reason = "repeats itself"
        else:
            words = _words(kept)
            reason = "boilerplate" if words < settings.min_words else _language(kept)
        text = kept
    if reason:
        return Dropped(document.id, document.source, reason)
    return Cleaned(dataclasses.replace(document, title=title, text=text), words, version)


def _words(text: str) -> int:
    """How many words a tidy text has, in which one space or one or two line ends divide any two."""
    return text.count(" ") + text.count("\n") - text.count("\n\n") + 1 if text else 0


def _length(words: int, settings: Corpus) -> str | None:
    if not words:
        return "empty"
    if words < settings.min_words:
        return "too short"
    if settings.max_words and words > settings.max_words:
        return "too long"
    return None


def _worthwhile(text: str) -> tuple[str, int]:
    """The lines that say something once, and how many characters stood in lines that repeat others."""
    lines = text.split("\n")
    counts = Counter(lines)
    if len(counts) == len(lines) and not any(map(_boilerplate, lines)):
        return text, 0
    kept, repeated, seen = [], 0, set[str]()
    for line in lines:
        if line in seen and _running(line, counts[line]):
            repeated += len(line)
        elif not _boilerplate(line):
            kept.append(line)
        seen.add(line)
    return BLANKS.sub("\n\n", "\n".join(kept)).strip(), repeated


def _running(line: str, count: int) -> bool:
    """Whether a line that stood before is a running head or a repeated paragraph; figures may repeat."""
    if len(line) > HEADING:
        return "|" not in line
    return count >= OFTEN and bool(line) and not any(map(str.isdigit, line))


def _boilerplate(line: str) -> bool:
    if len(line) <= SHORT:
        return bool(BOILERPLATE.fullmatch(line)) or BLANK in line.lower()
    return len(line) <= LONG and "by reference" in line and bool(REFERENCE.search(line))


def _language(text: str) -> str | None:
    """English is told by its small words, of which every text has many."""
    start = text[:ENOUGH_TO_TELL].encode("utf-8", "replace")
    if len(start.translate(None, NO_LETTERS)) < FEWEST_LETTERS * len(start.translate(None, WHITE)):
        return "mostly figures"
    words = start.translate(LETTERS).split()
    if sum(map(ENGLISH.__contains__, words)) < FEWEST_ENGLISH * len(words):
        return "not English"
    return None
