"""Which metrics of a flat list were asked for, and which only belong to them."""

from collections.abc import Sequence

from finground.catalog.catalog import Catalog
from finground.records.request import RequestedMetric


def recovered(slugs: Sequence[str], catalog: Catalog) -> tuple[RequestedMetric, ...]:
    """The metrics in the order given, each primary or related.

    A list that `Catalog.expand` made is read back to what it was made of, save where two questions give the
    same list (a metric asked for that is also the last related one). In any other, a metric is related if it
    belongs to an earlier primary one.
    """
    listed = tuple(dict.fromkeys(slugs))
    primary = _walk(listed, catalog)
    if tuple(metric.slug for metric in catalog.expand(primary)) == listed:
        return catalog.expand(primary)
    belongs: set[str] = set()
    read = []
    for slug in listed:
        read.append(RequestedMetric(slug, slug not in belongs))
        if slug not in belongs:
            belongs.update(catalog.metrics.by_slug(slug).related)
    return tuple(read)


def _walk(listed: tuple[str, ...], catalog: Catalog) -> list[str]:
    """Primary metrics, if the list is an expansion: what is expected as related and comes later is primary
    there."""
    primary, expected, seen = list[str](), list[str](), set[str]()
    for place, slug in enumerate(listed):
        while expected and expected[0] != slug and (expected[0] in listed[place:] or expected[0] in seen):
            expected.pop(0)
        if expected and expected[0] == slug:
            expected.pop(0)
        else:
            primary.append(slug)
            expected = list(catalog.metrics.by_slug(slug).related)
        seen.add(slug)
    return primary
