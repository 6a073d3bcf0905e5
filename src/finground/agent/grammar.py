"""Grammars (EBNF for xgrammar) of the three written forms: whatever a model writes under one can be read.

In comes a catalogue, or a shortlist of one; out goes a grammar. Names and metrics are spelt as the catalogue
spells them, dates are days of the calendar or phrases that `catalog.dates` reads, and a company that the
catalogue lacks stays open text, `?"Foo"`. What EBNF cannot hold is refused as text: an end before its start,
and a known company written as unknown. Lists are short, so a request is.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from finground.catalog import dialect
from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.periods import MONTHS
from finground.core.errors import InputError
from finground.lm.constrain import Grammar
from finground.records.request import Entity, Request

ENTITIES, METRICS, RELATED = 6, 6, 8  # at most so many in a request; of related ones, for each metric
ROOTS = {
    "compact": r"""
root ::= "(" entities? ") (" (metrics ") (" dates ")" rank? | ") (" dates ")")
dates ::= (period | day ("-" day)?)?
period ::= year ("Q" [1-4] | "H" [12] | month)?
day ::= year monthday | leap "0229"
month ::= "0" [1-9] | "1" [0-2]
monthday ::= month ("0" [1-9] | "1" [0-9] | "2" [0-8]) | long ("29" | "30") | longest "31"
long ::= "01" | "03" | "04" | "05" | "06" | "07" | "08" | "09" | "10" | "11" | "12"
longest ::= "01" | "03" | "05" | "07" | "08" | "10" | "12"
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
unknown ::= "?\"" [A-Za-z0-9] [A-Za-z0-9 .,&'-]{0,38} [A-Za-z0-9.] "\""
"""
COMPACT_ENDS = re.compile(r"\((\d{8})-(\d{1,8})")
WRITTEN_ENDS = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}) - (\d{1,2})/(\d{1,2})/(\d{1,4})")
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
    entities = [
        *(peers_entity(company) for company in companies),
        *(company_entity(company) for company in companies),
        *(industry_entity(industry) for industry in catalog.companies.industries),
        MARKET,
    ]
    root = ROOTS[form].replace("MANY", str(METRICS - 1)).replace("FEW", str(RELATED - 1))
    months = _choice(name for month in MONTHS for name in (month, month[:3]))
    text = (
        f"{root}{'' if form == 'compact' else WRITTEN_DAY}{COMMON}"
        f'entities ::= entity ("; " entity){{0,{ENTITIES - 1}}}\n'
        f'metrics ::= metric ("; " metric){{0,{METRICS - 1}}}\n'
        f'flat ::= metric ("; " metric){{0,{METRICS * RELATED - 1}}}\n'
        f"monthname ::= {months}\n"
        f"entity ::= unknown | {_choice(_written(entity, catalog) for entity in entities)}\n"
        f"metric ::= {_choice(metric.name for metric in metrics)}\n"
    )
    known = whole or catalog
    return Grammar(text, refuses=lambda said: ends_early(said) or hides_a_known(said, known))


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


def _written(entity: Entity, catalog: Catalog) -> str:
    """An entity as the compact form writes it, and the others too."""
    alone = dialect.write(Request("open-ended", (entity,), ()), "compact", catalog)
    return alone.removeprefix("(").removesuffix(") () ()")


def _choice(names: Iterable[str]) -> str:
    """The names as alternatives, raw UTF-8 (A3)."""
    return " | ".join(json.dumps(name, ensure_ascii=False) for name in dict.fromkeys(names))
