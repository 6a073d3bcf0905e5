"""When something was published, out of what sources write, as an aware moment in UTC.

A time that names no zone is of the source's own; a bare date is known at its end, UTC, as everywhere here.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

BARE = re.compile(r"(\d{4})[-/]?(\d{2})[-/]?(\d{2})\Z")
COMPACT = re.compile(r"(\d{8})T?(\d{6})(Z|[+-]\d{4})?\Z")  # NewsML, EDGAR
WORDED = re.compile(r"(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d{2}:\d{2}:\d{2})\Z")  # Reuters-21578
TWELVE = re.compile(r"(\d{4})(\d{2})(\d{2}) (\d{1,2}):(\d{2})([AP])M\Z")  # 20150601 11:56PM
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
OFFSETS = {
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "PST": -8, "PDT": -7,
    "GMT": 0, "UTC": 0, "BST": 1, "CET": 1, "CEST": 2,
}  # fmt: skip
NAMED = re.compile(rf"\s+({'|'.join(OFFSETS)})\Z")


def moment(text: str, zone: str = "UTC") -> datetime | None:
    """The moment that a text names, or None where it names none.

    Takes ISO 8601, RFC 822, NewsML's `20030401T101112+0000`, seconds since 1970, and `20150601 11:56PM UTC`.
    """
    text = text.strip()
    if bare := BARE.match(text):
        return _made(f"{'-'.join(bare.groups())}T23:59:59+00:00")
    named = NAMED.search(text)
    said, offset = (text[: named.start()], f"{OFFSETS[named.group(1)]:+03d}:00") if named else (text, "")
    found = _made(_iso(said) + offset) or _letter(f"{said} {offset.replace(':', '')}")
    if found is None and text.isdigit() and len(text) in (9, 10):
        found = datetime.fromtimestamp(int(text), UTC)
    return (
        None
        if found is None
        else (found if found.tzinfo else found.replace(tzinfo=_zone(zone))).astimezone(UTC)
    )


def _iso(text: str) -> str:
    """The forms that sources have of their own, as ISO; anything else as it is."""
    if compact := COMPACT.match(text):
        return f"{compact.group(1)}T{compact.group(2)}{compact.group(3) or ''}"
    if worded := WORDED.match(text):
        day, month, year, clock = worded.groups()
        number = MONTHS.index(month.lower()) + 1 if month.lower() in MONTHS else 0
        return f"{year}-{number:02d}-{int(day):02d}T{clock}"
    if twelve := TWELVE.match(text):
        year, month, day, hour, minute, half = twelve.groups()
        return f"{year}-{month}-{day}T{int(hour) % 12 + 12 * (half == 'P'):02d}:{minute}"
    return text


def _made(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _letter(text: str) -> datetime | None:
    """RFC 822, as in RSS; the names of American zones are of the standard."""
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
