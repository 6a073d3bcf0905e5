"""How a written name becomes a key, and how a question is cut into words with their places.

A key is lower case without accents, points or hyphens; "&" reads "and"; an apostrophe joins ("Moody's":
`moodys`). `short` takes away what only says how a company is incorporated, so that "AMAZON COM INC" is also
`amazon`.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

WORD = re.compile(r"[^\W_]+")
QUESTION_WORD = re.compile(r"&|(?:[A-Za-z]\.){2,}|[^\W_]+(?:['’`][^\W_]+)*['’`]?")
POSSESSIVE = re.compile(r"['’`]s?$")
INITIALS = re.compile(r"\b(?:[A-Za-z]\.){2,}")
STATE = re.compile(r"\s*[/\\]\s*[A-Za-z]{2,4}\s*[/\\]?\s*$|[/\\]\s*$")
SLASHED = re.compile(r"[^\W_] (?:A/S|S/A)$", re.I)  # Danish and Brazilian forms; two words of a key
BRACKETED = re.compile(r"\s*\([^()]*\)\s*$")
LEGAL = frozenset({
    "inc", "incorporated", "corp", "corporation", "co", "company", "companies", "cos", "ltd", "limited",
    "plc", "llc", "lp", "llp", "sa", "se", "ag", "nv", "ab", "as", "asa", "oyj", "spa", "kgaa", "adr", "ads",
    "com", "the", "bv", "pte", "pty", "and",
})  # fmt: skip
LOOSE = LEGAL | {"group", "holdings", "holding", "platforms", "international", "technologies", "enterprises"}
CLASS_HINT = re.compile(r"class|series|cl |common|ordinary")
CLASS = re.compile(r"\b(?:class|series) [a-c]$|\bcl [a-c]$|\b(?:common|ordinary) (?:stock|shares)$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question; `keys` are what it may be, the likelier first ("Moody's": moodys, moody)."""

    start: int
    end: int
    text: str
    keys: tuple[str, ...]

    @property
    def possessive(self) -> bool:
        return POSSESSIVE.search(self.text) is not None


def normal(text: str) -> str:
    """The key of a name."""
    if "." in text:
        text = INITIALS.sub(lambda match: match[0].replace(".", "") + " ", text)
    return " ".join(WORD.findall(_folded(text.replace("&", " and "))))


def short(key: str, endings: frozenset[str] = LEGAL) -> str:
    """A key without share class, legal form and a leading "the"; the key itself if nothing else were left."""
    words = (CLASS.sub("", key) if CLASS_HINT.search(key) else key).split()
    while len(words) > 1 and words[-1] in endings:
        words.pop()
    if len(words) > 1 and words[0] == "the":
        words.pop(0)
    return " ".join(words) or key


@lru_cache(maxsize=65_536)
def company_keys(name: str) -> tuple[str, str, str]:
    """The keys of a company's name: whole, without the legal form, and without "Group", "Holdings" too."""
    bare = STATE.sub("", name) if "/" in name or "\\" in name else name
    whole = normal(BRACKETED.sub("", bare) if bare.rstrip().endswith(")") else bare)
    brief = short(whole[:-4] if SLASHED.search(bare) else whole)
    return whole, brief, short(brief, LOOSE)


@lru_cache(maxsize=64)  # several readers cut the same question
def words(question: str) -> tuple[Word, ...]:
    """The words of a question, with their places in it."""
    found = []
    for match in QUESTION_WORD.finditer(question):
        start, end, text = match.start(), match.end(), match[0]
        found.append(Word(start, end, text, _keys(text)))
    return tuple(found)


@lru_cache(maxsize=65_536)  # the same few thousand words make up all questions
def _keys(text: str) -> tuple[str, ...]:
    if text == "&":
        return ("and",)
    if "." in text:
        return (text.replace(".", "").lower(),)
    joined = normal(text)
    bare = normal(POSSESSIVE.sub("", text))
    return (joined,) if joined == bare else (joined, bare)


def _folded(text: str) -> str:
    """Lower case, without accents and apostrophes."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return text.replace("'", "").replace("\u2019", "").replace("`", "").lower()
