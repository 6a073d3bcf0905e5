"""Pairs at rest: Parquet that `datasets.load_dataset("parquet", …)` reads, and the authors' three-column CSV.

A row of Parquet holds the question, the day it is asked on, the request in its three written forms and once
more whole (`request`, JSON of the record), and where the pair comes from.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from finground.catalog.catalog import Catalog
from finground.catalog.dialect import write
from finground.core.artifact import whole_file
from finground.core.coding import decode, encode
from finground.core.errors import InputError
from finground.records.request import Pair, Request

TEXTS = ("query", "required", "sdr", "compact", "template", "channel", "kind", "noise", "part", "request")
HEAD = ("Query", "Required Data", "Structured Data Request")
GROUP = 5_000  # rows of Parquet written at once


def write_pairs(folder: Path, part: str, pairs: Sequence[Pair], catalog: Catalog) -> None:
    """Write `part` as `part.parquet` and `csv/part.csv`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([*((name, pa.string()) for name in TEXTS), ("as_of", pa.timestamp("us", tz="UTC"))])
    with (
        whole_file(folder / f"{part}.parquet") as parquet,
        whole_file(folder / "csv" / f"{part}.csv") as plain,
        pq.ParquetWriter(parquet, schema, compression="zstd") as table,
        plain.open("w", encoding="utf-8", newline="") as opened,
    ):
        out = csv.writer(opened)
        out.writerow(HEAD)
        for start in range(0, len(pairs), GROUP):
            rows = [_row(pair, catalog) for pair in pairs[start : start + GROUP]]
            columns = {name: [row[name] for row in rows] for name in schema.names}
            table.write_table(pa.table(columns, schema=schema))
            out.writerows((row["query"], row["required"], row["sdr"]) for row in rows)


def read_pairs(folder: Path, part: str, most: int | None = None) -> Iterator[Pair]:
    """The pairs of a part, or the first `most` of them.

    Raises:
        InputError: if the part was not written.
    """
    import pyarrow.parquet as pq

    path = folder / f"{part}.parquet"
    if not path.is_file():
        raise InputError(f"{path} is not there; `finground run context` writes it")
    left = most
    for group in pq.ParquetFile(path).iter_batches(GROUP):
        for row in group.to_pylist()[:left]:
            request = decode(row.pop("request"), Request)
            del row["required"], row["sdr"], row["compact"]
            yield Pair(request=request, **row)
        if left is not None and (left := left - len(group)) <= 0:
            return


def _row(pair: Pair, catalog: Catalog) -> dict[str, object]:
    forms = {form: write(pair.request, form, catalog) for form in ("required", "sdr", "compact")}
    about = {name: getattr(pair, name) for name in ("query", "template", "channel", "kind", "noise", "part")}
    return {**about, **forms, "request": encode(pair.request).decode(), "as_of": pair.as_of}
