"""Experts' labels: moments written out for annotators as CSV, and their reports read back, checked.

A row holds a moment, its question, the background as the model will read it, and an empty column for the
report. What comes back is taken if the background is still the store's own and the report is grounded and
eligible; a row that is not is dropped with its reason, and the rest is taken.
"""

import csv
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from finground.answer import World
from finground.catalog.dates import as_of_of
from finground.core.artifact import whole_file
from finground.core.errors import CatalogError, DateError, InputError
from finground.records.document import Dropped
from finground.records.report import Report, WriterPair
from finground.report.prompt import prompt
from finground.report.tuned import cut
from finground.stocksis.pair import EXPERT, Asked, brief_of, labelled
from finground.stocksis.split import Moment, Split

COLUMNS = ("id", "company", "as_of", "question", "background", "report")
LONGEST = 10_000_000  # characters of a cell


def export(world: World, wanted: Iterable[Asked], path: Path) -> int:
    """Write moments for annotators; returns how many."""
    count = 0
    with whole_file(path) as temporary, temporary.open("w", newline="") as opened:
        out = csv.DictWriter(opened, COLUMNS)
        out.writeheader()
        for one in wanted:
            brief, moment = brief_of(world, one.moment, one.question), one.moment
            cells = (moment.id, moment.company, moment.as_of.isoformat(), brief.query, prompt(brief), "")
            out.writerow(dict(zip(COLUMNS, cells, strict=True)))
            count += 1
    return count


def read_experts(world: World, file: Path, parted: Split, *, one_horizon: bool) -> list[WriterPair | Dropped]:
    """A pair for each row of the file, or of a folder's files, that may be a label; for others why not.

    Raises:
        InputError: if the file is missing, is no CSV in UTF-8, or has not the columns of an export.
    """
    seen: set[str] = set()
    made = []
    for path in _files(file):
        for row in _rows(path):
            made.append(_taken(world, row, parted, seen, one_horizon))
            seen.add(row["id"])
    return made


def _files(place: Path) -> list[Path]:
    """The file, or a folder's in the order of their names, such as one of each annotator."""
    found = sorted(place.glob("*.csv")) if place.is_dir() else [place]
    if not found:
        raise InputError(f"{place}, named as experts' labels, holds no .csv")
    return found


def _rows(path: Path) -> Iterator[dict[str, str]]:
    if not path.is_file():
        raise InputError(
            f"{path}, named as experts' labels, is not there; `finground stocksis export` writes one"
        )
    csv.field_size_limit(LONGEST)
    with path.open(newline="", encoding="utf-8-sig") as opened:
        read = csv.DictReader(opened)
        try:
            if missing := [name for name in COLUMNS if name not in (read.fieldnames or ())]:
                raise InputError(
                    f"{path} has no column {', '.join(missing)}; it should have {', '.join(COLUMNS)}"
                )
            for row in read:  # a spreadsheet writes line ends of its own
                yield {name: (row[name] or "").replace("\r\n", "\n") for name in COLUMNS}
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path} is no CSV in UTF-8 ({error}); save it as one") from error


def _taken(
    world: World, row: dict[str, str], parted: Split, seen: set[str], one_horizon: bool
) -> WriterPair | Dropped:
    reason, moment = _moment(world, row, parted)
    if not reason and row["id"] in seen:
        reason = "given twice"
    if not reason and not row["report"].strip():
        reason = "no report"
    if reason or moment is None:
        return Dropped(row["id"], EXPERT, reason)
    brief = brief_of(world, moment, row["question"].replace("{", "{{").replace("}", "}}"))
    if prompt(brief) != row["background"]:
        return Dropped(row["id"], EXPERT, "the background is not the store's")
    text = "\n\n".join(part.strip() for part in row["report"].split("\n") if part.strip())
    report = Report("analysis", cut(text), EXPERT, "complete")
    return labelled(moment, brief, report, EXPERT, one_horizon=one_horizon)


def _moment(world: World, row: dict[str, str], parted: Split) -> tuple[str, Moment | None]:
    """The reason why a row names no moment of a part, or the moment."""
    try:
        company = world.catalog.companies.by_id(row["company"])
        as_of: datetime = as_of_of(row["as_of"])
    except (CatalogError, KeyError):
        return "unknown company", None
    except DateError:
        return "as_of is no date", None
    part = parted.part(company.id, as_of)
    if not part:
        return "a held-out company before the test dates", None
    moment = Moment(company.id, as_of, part)
    return ("", moment) if moment.id == row["id"] else ("the id is not of its company and date", None)
