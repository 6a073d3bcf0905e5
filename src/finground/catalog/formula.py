"""Formulas of metrics: slugs, numbers, + - * / and parentheses; a minus has spaces around it, a hyphen none.

Read by a small descent over tokens, so that nothing of a data file is ever run as code.
"""

import re
from collections.abc import Mapping

TOKEN = re.compile(r"\s*([a-z][a-z0-9]*(?:-[a-z0-9]+)*|\d+(?:\.\d+)?|[-+*/()])")


def inputs(formula: str) -> tuple[str, ...]:
    """The slugs of a formula, in order, each once."""
    return tuple(dict.fromkeys(token for token in _tokens(formula) if token[0].isalpha()))


def value(formula: str, values: Mapping[str, float]) -> float:
    """The formula over `values`.

    Raises:
        KeyError: if a slug has no value; a gap is the caller's to tell.
        ZeroDivisionError: if a divisor is 0.
        ValueError: if the text is not a formula.
    """
    tokens = list(_tokens(formula))
    result = _sum(tokens, values)
    if tokens:
        raise ValueError(f"formula {formula!r}: {tokens[0]!r} is one too many")
    return result


def _tokens(formula: str) -> list[str]:
    found, place = [], 0
    text = formula.rstrip()
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise ValueError(
                f"formula {formula!r}, at {text[place:]!r}: write slugs, numbers, + - * / and parentheses"
            )
        found.append(match[1])
        place = match.end()
    return found


def _sum(tokens: list[str], values: Mapping[str, float]) -> float:
    total = _product(tokens, values)
    while tokens and tokens[0] in "+-":
        sign = 1.0 if tokens.pop(0) == "+" else -1.0
        total += sign * _product(tokens, values)
    return total


def _product(tokens: list[str], values: Mapping[str, float]) -> float:
    total = _atom(tokens, values)
    while tokens and tokens[0] in "*/":
        if tokens.pop(0) == "*":
            total *= _atom(tokens, values)
        else:
            total /= _atom(tokens, values)
    return total


def _atom(tokens: list[str], values: Mapping[str, float]) -> float:
    if not tokens:
        raise ValueError("a formula ends where a slug or a number should stand")
    token = tokens.pop(0)
    if token == "(":
        total = _sum(tokens, values)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a formula opens a parenthesis and does not close it")
        return total
    if token[0].isdigit():
        return float(token)
    if not token[0].isalpha():
        raise ValueError(f"a formula has {token!r} where a slug or a number should stand")
    return values[token]
