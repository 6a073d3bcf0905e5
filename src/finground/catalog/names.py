"""How a written name becomes a key, and how a question is cut into words with their places.

A key is lower case without accents, points or hyphens; "&" reads "and"; an apostrophe joins ("Moody's" is `moodys`).
`short` takes away what only says how a company is incorporated, so that "AMAZON COM INC" is also `amazon`.
"""

import re
import unicodedata
from dataclasses import dataclass

WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
POSSESSIVE = re.compile(r"['’`]s?$")
INITIALS = re.compile(r"\b(?:[A-Za-z]\.){2,}")
STATE = re.compile(r"\s*/\s*[A-Za-z]{2,4}\s*/?\s*$|/\s*$")
BRACKETED = re.compile(r"\s*\([^()]*\)\s*$")
LEGAL = frozenset(
    "inc incorporated corp corporation co company companies cos ltd limited plc llc lp llp sa se ag nv ab as asa oyj spa "
    "kgaa adr ads com the bv pte pty".split()
)
LOOSE = LEGAL | frozenset("group holdings holding platforms international technologies enterprises".split())
CLASS = re.compile(r"\b(?:class|series) [a-c]$|\bcl [a-c]$|\b(?:common|ordinary) (?:stock|shares)$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question; `keys` are what it may stand for, the likelier first ("Moody's": moodys, moody)."""

    start: int
    end: int
    text: str
    keys: tuple[str, ...]

    @property
    def possessive(self) -> bool:
        return POSSESSIVE.search(self.text) is not None


def normal(text: str) -> str:
    """The key of a name."""
    return " ".join(key_of(word) for word in WORD.findall(_plain(text)))


def key_of(word: str) -> str:
    """The key of one word as cut by WORD."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return word.replace("'", "").replace("’", "").replace("`", "").lower()


def short(key: str, endings: frozenset[str] = LEGAL) -> str:
    """A key without share class, legal form and a leading "the"; the key itself if nothing else were left."""
    words = CLASS.sub("", key).split()
    while len(words) > 1 and words[-1] in endings | {"and"}:
        words.pop()
    if len(words) > 1 and words[0] == "the":
        words.pop(0)
    return " ".join(words) or key


def company_keys(name: str) -> tuple[str, str, str]:
    """The keys of a company's name: whole, without the legal form, without "Group", "Holdings" and the like too."""
    bare = BRACKETED.sub("", STATE.sub("", name))
    whole = normal(bare)
    return whole, short(whole), short(whole, LOOSE)


def words(question: str) -> list[Word]:
    """The words of a question, with their places in it."""
    found = []
    for match in re.finditer(r"&|(?:[A-Za-z]\.){2,}|[^\W_]+(?:['’`][^\W_]+)*['’`]?", question):
        start, end, text = match.start(), match.end(), match[0]
        found.append(Word(start, end, text, _keys(text)))
    return found


def _keys(text: str) -> tuple[str, ...]:
    if text == "&":
        return ("and",)
    if "." in text:
        return (text.replace(".", "").lower(),)
    joined = key_of(text)
    bare = key_of(POSSESSIVE.sub("", text))
    return (joined,) if joined == bare else (joined, bare)


def _plain(text: str) -> str:
    merged = INITIALS.sub(lambda match: match[0].replace(".", "") + " ", text)
    return merged.replace("&", " and ")
