"""What a number is in, told explicitly: "USD thousands", "万元", "GBp", "1e8cny", "percent".

A reader multiplies by `scale` and keeps the currency; what cannot be told is refused, never guessed (S4).
"""

import re
from dataclasses import dataclass

MINOR = {  # quoted in hundredths of the currency, or with a scale in the name
    "GBp": ("GBP", 0.01), "GBX": ("GBP", 0.01), "ZAc": ("ZAR", 0.01), "ILA": ("ILS", 0.01),
    "元": ("CNY", 1.0), "千元": ("CNY", 1e3), "万元": ("CNY", 1e4), "百万元": ("CNY", 1e6),
    "亿元": ("CNY", 1e8),
}  # fmt: skip
SCALES = {
    "": 1.0, "thousand": 1e3, "thousands": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "m": 1e6,
    "mn": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "b": 1e9,
}  # fmt: skip
TEXT = re.compile(
    r"(?P<kind>[A-Za-z]{3}|shares|count|ratio|percent)(?P<per>/share)?(?:\s+(?P<scale>[A-Za-z]+))?"
)
POWER = re.compile(r"1e(?P<power>\d+)(?P<currency>[a-z]{3})")  # as in margin_balance_1e8cny


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit of the store, its currency, and how many base units one of the source's is."""

    unit: str
    currency: str | None
    scale: float


def measure(text: str) -> Measure:
    """The measure a text names.

    Raises:
        ValueError: if it names none.
    """
    written = text.strip()
    if written in MINOR:
        return Measure("currency", *MINOR[written])
    if written.removesuffix("/share") in MINOR:
        return Measure("per-share", *MINOR[written.removesuffix("/share")])
    if power := POWER.fullmatch(written):
        return Measure("currency", power["currency"].upper(), 10.0 ** int(power["power"]))
    found = TEXT.fullmatch(written)
    scale = SCALES.get((found["scale"] or "").lower()) if found else None
    if found is None or scale is None:
        raise ValueError(f"{text!r} names no unit; write it like 'USD thousands', '万元', 'GBp' or 'percent'")
    kind = found["kind"]
    if kind == "percent":
        return Measure("ratio", None, 0.01)
    if kind in ("shares", "count", "ratio"):
        return Measure(kind, None, scale)
    if not kind.isupper():
        raise ValueError(f"{kind!r} is no currency; write three capitals, like USD, or GBp for pence")
    return Measure("per-share" if found["per"] else "currency", kind, scale)


def suffixed(text: str) -> tuple[float, bool]:
    """A number with a letter for its scale, as in 63.802B; whether there was one.

    Raises:
        ValueError: if it is no number.
    """
    letter = text[-1:].upper()
    scale = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}.get(letter)
    return (float(text[:-1]) * scale, True) if scale else (float(text), False)
