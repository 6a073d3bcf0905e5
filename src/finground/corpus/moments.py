"""When something was published, out of what sources write, as an aware moment in UTC.

A time that names no zone is of the source's own; a bare date is known at its end, UTC, as everywhere here.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

BARE = re.compile(r"\s*(\d{4})[-/]?(\d{2})[-/]?(\d{2})\s*\Z")
COMPACT = re.compile(r"\s*(\d{8})T(\d{6})(Z|[+-]\d{4})?\s*\Z")  # NewsML
STAMPS = ("%Y%m%d %I:%M%p UTC", "%Y-%m-%d %H:%M:%S", "%d-%b-%Y %H:%M:%S", "%Y%m%d%H%M%S")
OFFSETS = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "PST": -8, "PDT": -7, "GMT": 0, "UTC": 0, "BST": 1, "CET": 1, "CEST": 2}
NAMED = re.compile(rf"\s+({'|'.join(OFFSETS)})\Z")


def moment(text: str, zone: str = "UTC") -> datetime | None:
    """The moment that a text names, or None where it names none.

    Takes ISO 8601, RFC 822, NewsML's `20030401T101112+0000`, seconds since 1970, and `20150601 11:56PM UTC`.
    """
    text = text.strip()
    if bare := BARE.match(text):
        return _made(f"{'-'.join(bare.groups())}T23:59:59+00:00")
    if compact := COMPACT.match(text):
        day, clock, offset = compact.groups()
        text = f"{day}T{clock}{offset or ''}"
    if text.replace(".", "", 1).isdigit() and len(text.partition(".")[0]) in (9, 10):
        return datetime.fromtimestamp(float(text), UTC)
    found = _made(text) or _stamp(text) or _letter(text)
    return None if found is None else (found if found.tzinfo else found.replace(tzinfo=_zone(zone))).astimezone(UTC)


def _made(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _stamp(text: str) -> datetime | None:
    named = NAMED.search(text)
    for form in STAMPS:
        try:
            found = datetime.strptime(text if "UTC" in form else NAMED.sub("", text), form)
        except ValueError:
            continue
        return _made(f"{found.isoformat()}{OFFSETS[named.group(1)]:+03d}:00") if named else found
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
