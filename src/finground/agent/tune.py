"""Training rows of the agent: a short prompt for every question, and the request in the form it writes.

The same `prompt` is used to train and to ask, so a change here means training again.
"""

from collections.abc import Iterable
from datetime import datetime

from finground.catalog.catalog import Catalog
from finground.catalog.dialect import write
from finground.records.request import Pair


def prompt(query: str, as_of: datetime) -> str:
    """What the model reads; its reply begins right after it."""
    return f"Question: {' '.join(query.split())}\nAs of: {as_of:%Y-%m-%d}\nRequest:\n"


def rows(pairs: Iterable[Pair], form: str, catalog: Catalog) -> list[dict[str, str]]:
    """One row a pair: `prompt`, and the request written in `form` as `target`."""
    return [
        {"prompt": prompt(pair.query, pair.as_of), "target": write(pair.request, form, catalog)}
        for pair in pairs
    ]
