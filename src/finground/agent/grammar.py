"""Grammars (EBNF for xgrammar) of the three written forms: whatever a model writes under one can be read.

In comes a catalogue, or a shortlist of one; out goes a grammar. Names and metrics are spelt as the catalogue
spells them, dates are days of the calendar or phrases that `catalog.dates` reads, and a company that the
catalogue lacks stays open text, `?"Foo"`. What EBNF cannot hold is refused as text: an end before its start,
a known company written as unknown, and an unknown name that is too long. Lists are short, so a request is.

xgrammar makes a rule of plain strings into one automaton, a hundred times as fast as any other choice; and
takes a byte that is not ASCII wrongly there (0.2.9: of "aöb" | "aöc" it refuses both). So the names that are
all ASCII are one rule, and the others stand apart with their letters as classes, where it is right.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from finground.catalog import dialect
from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity
from finground.catalog.periods import MONTHS
from finground.core.errors import InputError
from finground.lm.constrain import Grammar
from finground.records.request import Entity, Request

ENTITIES, METRICS, RELATED = 6, 6, 8  # at most so many in a request; of related ones, for each metric
ROOTS = {
    "compact": r"""
root ::= "(" entities? ") (" (metrics ") (" dates ")" rank? | ") (" dates ")")
dates ::= (period | day ("-" day)?)?
period ::= PERIODS
day ::= DAYS
rank ::= " (" ("top " | "bottom ") [1-9] [0-9]? (" by " metric)? ")"
""",
    "sdr": r"""
root ::= "(" entities? ") (" flat? ") (" (day (" - " day)?)? ")"
""",
    "required": r"""
root ::= "Companies: " entities? "\nMetrics: " nested? "\nDates: " phrase?
nested ::= group ("; " group){0,MANY}
group ::= metric (" (Related Metrics: " metric (", " metric){0,FEW} ")")?
phrase ::= atom | "since " atom | "between " atom " and " atom | named " to " named | day " - " day
atom ::= named | day | year "-" iso | leap "-02-29" | told | back | "today" | "yesterday"
named ::= year | "FY" year | "Q" [1-4] " " year | "H" [12] " " year | monthname " " year
  | ("first" | "second" | "third" | "fourth") " quarter of " year | ("first" | "second") " half of " year
told ::= "YTD" | "QTD" | "MTD" | "TTM" | ("this " | "last ") ("week" | "month" | "quarter" | "year")
back ::= ("last " | "past " | "previous ") [1-9] [0-9]? " " units | [1-9] [0-9]? " " units " ago"
units ::= "days" | "weeks" | "months" | "quarters" | "years"
iso ::= month "-" ("0" [1-9] | "1" [0-9] | "2" [0-8]) | longmonth "-" ("29" | "30") | longestmonth "-31"
month ::= "0" [1-9] | "1" [0-2]
longmonth ::= "01" | "0" [3-9] | "1" [0-2]
longestmonth ::= "0" [13578] | "10" | "12"
""",
}
WRITTEN_DAY = r"""
day ::= ([1-9] | "1" [0-9] | "2" [0-8]) "/" ([1-9] | "1" [0-2]) "/" year
  | ("29" | "30") "/" long "/" year | "31/" longest "/" year | "29/2/" leap
long ::= [13456789] | "1" [0-2]
longest ::= [13578] | "10" | "12"
"""
COMMON = r"""
year ::= ("19" | "20") [0-9] [0-9]
leap ::= "2000" | ("19" | "20") ("0" [48] | [2468] [048] | [13579] [26])
unknown ::= "?\"" word (" " word)* "\""
word ::= [A-Za-z0-9.,&'-]+
"""
COMPACT_ENDS = re.compile(r"\((\d{8})-(\d{1,8})")
WRITTEN_ENDS = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}) - (\d{1,2})/(\d{1,2})/(\d{1,4})")
YEARS = ('"19" [0-9] [0-9]', '"20" [0-9] [0-9]')
BEGUN = re.compile(r'\?"([^"]*)')
PIECES = re.compile(r"[ -~]+|[^ -~]")
LONGEST = 40  # letters of a name that nobody knows
UNKNOWN = re.compile(r'\?"([^"]*)"')


@lru_cache(maxsize=64)
def grammar(form: str, catalog: Catalog, whole: Catalog | None = None) -> Grammar:
    """The grammar of every request in that form over this catalogue.

    Args:
        whole: the catalogue that knows who is known, if `catalog` is a shortlist of it.

    Raises:
        InputError: if the catalogue holds no company or no metric, of which no grammar can be made.
    """
    companies, metrics = catalog.companies.all, catalog.metrics.all
    if not companies or not metrics:
        raise InputError(
            f"the catalogue has {len(companies)} companies and {len(metrics)} metrics; a grammar needs both"
        )
    names = (_written(company_entity(company), catalog) for company in companies)
    sectors = (_written(industry_entity(industry), catalog) for industry in catalog.companies.industries)
    root = ROOTS[form].replace("MANY", str(METRICS - 1)).replace("FEW", str(RELATED - 1))
    root = root.replace("PERIODS", " | ".join(_periods())).replace("DAYS", " | ".join(_days()))
    months = _choice(name for month in MONTHS for name in (month, month[:3]))
    text = (
        f"{root}{'' if form == 'compact' else WRITTEN_DAY}{COMMON}"
        f'entities ::= entity ("; " entity){{0,{ENTITIES - 1}}}\n'
        f'metrics ::= metric ("; " metric){{0,{METRICS - 1}}}\n'
        f'flat ::= metric ("; " metric){{0,{METRICS * RELATED - 1}}}\n'
        f"monthname ::= {months}\n"
        f'entity ::= company " Peers"? | sector | unknown\n'
        + _rule("company", names)
        + _rule("sector", [*sectors, MARKET.name])
        + _rule("metric", [metric.name for metric in metrics])
    )
    known = whole or catalog

    def refuses(said: str) -> bool:
        return ends_early(said) or rambles(said) or hides_a_known(said, known)

    return Grammar(text, refuses)


def ends_early(text: str) -> bool:
    """Whether an interval in it ends before it starts, or must, whatever digits follow."""
    compact, written = COMPACT_ENDS.search(text), WRITTEN_ENDS.search(text)
    if compact:
        return compact[2].ljust(8, "9") < compact[1]
    if written:
        day, month, year, last_day, last_month, last_year = written.groups()
        end = int(last_year.ljust(4, "9")), int(last_month), int(last_day)
        return end < (int(year), int(month), int(day))
    return False


def hides_a_known(text: str, catalog: Catalog) -> bool:
    """Whether a company that the catalogue knows is written as unknown."""
    return any(len(catalog.companies.lookup(name)) == 1 for name in UNKNOWN.findall(text))


def rambles(text: str) -> bool:
    """Whether an unknown name is longer than names are."""
    return any(len(name) > LONGEST for name in BEGUN.findall(text))


def _written(entity: Entity, catalog: Catalog) -> str:
    """An entity as the compact form writes it, and the others too."""
    alone = dialect.write(Request("open-ended", (entity,), ()), "compact", catalog)
    return alone.removeprefix("(").removesuffix(") () ()")


def _periods() -> list[str]:
    """2018, 2018Q3, 2018H2 and 201809, each a plain sequence: a rule without rules in it is one automaton."""
    spans = ("", ' "Q" [1-4]', ' "H" [12]', ' "0" [1-9]', ' "1" [0-2]')
    return [f"{year}{span}" for year in YEARS for span in spans]


def _days() -> list[str]:
    """Every day of the calendar from 1900 to 2099, as 20180915."""
    every, long = ('"0" [1-9]', '"1" [0-2]'), ('"0" [13456789]', '"1" [0-2]')
    days = [f"{month} {day}" for month in every for day in ('"0" [1-9]', '"1" [0-9]', '"2" [0-8]')]
    days += [f"{month} {day}" for month in long for day in ('"29"', '"30"')]
    days += [f'{month} "31"' for month in ('"0" [13578]', '"10"', '"12"')]
    leap = [
        f"{century} {rest}"
        for century in ('"19"', '"20"')
        for rest in ('"0" [48]', "[2468] [048]", "[13579] [26]")
    ]
    return [f"{year} {day}" for year in YEARS for day in days] + [
        f'{year} "0229"' for year in ('"2000"', *leap)
    ]


def _rule(rule: str, names: Iterable[str]) -> str:
    """The names as alternatives, those that are not all ASCII apart (A3)."""
    every = list(dict.fromkeys(names))
    plain, others = [name for name in every if name.isascii()], [name for name in every if not name.isascii()]
    apart = " | ".join(" ".join(map(_lettered, PIECES.findall(name))) for name in others)
    choices = [f"{rule}plain"] * bool(plain) + [f"{rule}lettered"] * bool(others)
    return (
        f"{rule} ::= {' | '.join(choices)}\n"
        + (f"{rule}plain ::= {_choice(plain)}\n" if plain else "")
        + (f"{rule}lettered ::= {apart}\n" if others else "")
    )


def _lettered(piece: str) -> str:
    return json.dumps(piece) if piece.isascii() else f"[{piece}]"


def _choice(names: Iterable[str]) -> str:
    return " | ".join(json.dumps(name) for name in names)
