"""Values that are far off their own history, to be set aside before they are stored (case S4).

History is what the same company has of the same metric, tag and length of period, in the file and in the
store. A wrong scale is seen as a value 50 times the largest of its neighbours in time; growth is slower.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import chain
from operator import itemgetter
from statistics import median
from typing import Any

TIMES = 50  # a value so many times its history is not believed
AROUND = 4  # neighbours in time on each side
HISTORY = timedelta(days=550)  # how far from a value its neighbours in the store are looked for
FEWEST = 3  # of them, to have a history at all
KEYS = ("company", "metric", "tag", "period_start", "period_end", "value")
Row = Mapping[str, Any]
Period = tuple[date, date]


def far_off_figures(rows: Sequence[Row], held: Iterable[Sequence[Any]]) -> dict[int, str]:
    """Places among `rows` of figures that are 50 times their history, with the reason; `held` are values of
    KEYS from the store.
    """
    groups: dict[tuple[Any, ...], list[tuple[Period, float, int]]] = {}
    told, before = enumerate(map(itemgetter(*KEYS), rows)), ((-1, row) for row in held)
    for at, (company, metric, tag, start, end, value) in chain(told, before):
        key = (company, metric, tag, (end - start).days // 61)
        groups.setdefault(key, []).append(((end, start), abs(value), at))
    found: dict[int, str] = {}
    for group in groups.values():
        sizes = [size for _, size, _ in group if size]
        if len(sizes) > FEWEST and max(sizes) > TIMES * min(sizes):
            found |= _far_off(sorted(group))
    return found


def _far_off(group: Sequence[tuple[Period, float, int]]) -> dict[int, str]:
    sizes: dict[Period, float] = {}
    for period, size, _ in group:  # of a period filed twice the smaller, so that a wrong one does not hide
        sizes[period] = min(size, sizes.get(period, size))
    periods = list(sizes)
    places = {period: at for at, period in enumerate(periods)}
    found = {}
    for period, size, at in group:
        here = places[period]
        near = periods[max(0, here - AROUND) : here] + periods[here + 1 : here + 1 + AROUND]
        history = [sizes[other] for other in near if sizes[other]]
        if at >= 0 and len(history) >= FEWEST and size > TIMES * max(history):
            found[at] = f"more than {TIMES} times its own history"
    return found


def far_off_prices(rows: Sequence[Row], held: Sequence[Row]) -> dict[int, str]:
    """Places among `rows` of bars whose close is 50 times, or a 50th of, that of the sessions around, or in
    another currency than those before; a split of such a size is a source's to tell.
    """
    every = sorted(
        [*((row["closed_at"], -1, row) for row in held), *_numbered(rows)], key=lambda one: one[:2]
    )
    closes = [row["close"] for _, _, row in every]
    found = {}
    for here, (_, at, row) in enumerate(every):
        if at < 0:
            continue
        if held and row["currency"] != held[-1]["currency"]:
            found[at] = f"in {row['currency']}; the store has this series in {held[-1]['currency']}"
            continue
        near = closes[max(0, here - AROUND) : here] + closes[here + 1 : here + 1 + AROUND]
        history = [close for close in near if close]
        if len(history) >= FEWEST and not 1 / TIMES < row["close"] / median(history) < TIMES:
            found[at] = f"a close {TIMES} times off the sessions around it"
    return found


def _numbered(rows: Sequence[Row]) -> Iterator[tuple[int, int, Row]]:
    for at, row in enumerate(rows):
        yield row["closed_at"], at, row
