"""The brackets, semicolons and quotes of written requests."""

import json
import re
from dataclasses import dataclass

from finground.core.errors import RequestError

ITEM = re.compile(r'\s*(?P<unknown>\?)?(?P<quoted>"(?:[^"\\]|\\.)*")\s*(?P<tail>[^;"]*)', re.S)


@dataclass(frozen=True, slots=True)
class Item:
    """One name of a list; `tail` is what follows a name in quotes (`Peers`)."""

    text: str
    unknown: bool = False
    in_quotes: bool = False
    tail: str = ""


def quoted(text: str) -> str:
    """The text in double quotes, with what would end them escaped."""
    return json.dumps(text, ensure_ascii=False)


def groups(text: str) -> list[str]:
    """The contents of `(…) (…) (…)`.

    Raises:
        RequestError: if something stands outside the brackets, or they do not close.
    """
    found, rest = list[str](), text.strip()
    while rest:
        if rest[0] != "(":
            raise RequestError(f"request {text!r} should be groups in brackets; {rest[:30]!r} stands outside")
        end = _closing(rest, text)
        found.append(rest[1:end])
        rest = rest[end + 1 :].lstrip()
    return found


def items(text: str) -> list[Item]:
    """The names of a list, between semicolons that stand in no brackets and no quotes.

    Raises:
        RequestError: if a name in quotes is not closed.
    """
    found, rest = list[Item](), text.strip()
    while rest:
        match = ITEM.match(rest)
        if match:
            found.append(_in_quotes(match))
            end = match.end()
        else:
            end = _semicolon(rest)
            name = " ".join(rest[:end].split())
            if not name:
                raise RequestError(f"list {text!r} has an empty name; write names with one semicolon between")
            found.append(Item(name))
        rest = rest[end:].lstrip().removeprefix(";").lstrip()
    return found


def _in_quotes(match: re.Match[str]) -> Item:
    try:
        name = str(json.loads(match["quoted"]))
    except json.JSONDecodeError as error:
        raise RequestError(
            f"{match['quoted']} is not a text in quotes ({error.msg}); escape with a backslash"
        ) from error
    tail = match["tail"].strip()
    if tail not in ("", "Peers"):
        raise RequestError(f"{tail!r} follows {match['quoted']}; only Peers may, or a semicolon")
    return Item(name, unknown=match["unknown"] is not None, in_quotes=True, tail=tail)


def _closing(rest: str, text: str) -> int:
    """Where the bracket that opens `rest` closes."""
    for place, depth, quote in _walk(rest):
        if rest[place] == ")" and depth == 0 and not quote:
            return place
    raise RequestError(f"request {text!r} opens a bracket and does not close it")


def _semicolon(rest: str) -> int:
    for place, depth, quote in _walk(rest):
        if rest[place] == ";" and depth == 0 and not quote:
            return place
    return len(rest)


def _walk(text: str) -> list[tuple[int, int, bool]]:
    """Each place with its depth of brackets and whether it stands in quotes; a bracket has the depth outside
    it."""
    walked, depth, quote, escaped = list[tuple[int, int, bool]](), 0, False, False
    for place, letter in enumerate(text):
        if letter == '"' and not escaped:
            quote = not quote
        if letter == ")" and not quote:
            depth -= 1
        walked.append((place, depth, quote))
        if letter == "(" and not quote:
            depth += 1
        escaped = letter == "\\" and not escaped
    return walked
