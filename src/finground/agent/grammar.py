"""A grammar of the compact form (EBNF text for xgrammar): whatever a model writes under it can be read.

In comes a catalogue, or a shortlist of one; out goes the text. Names and metrics are spelt as the catalogue
spells them, dates are days of the calendar, and a company that the catalogue lacks stays open text,
`?"Foo"`. Two things no such grammar can hold remain for the reader to refuse: an end before its start, and
a known company written as unknown.
"""

import json
from collections.abc import Iterable

from finground.catalog import dialect
from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.core.errors import InputError
from finground.records.request import Entity, Request

ENTITIES, METRICS = 6, 6  # at most so many of each in a request, which bounds its length

DATES = r"""
dates ::= (period | day ("-" day)?)?
period ::= year ("Q" [1-4] | "H" [12] | month)?
day ::= year monthday | leap "0229"
year ::= ("19" | "20") [0-9] [0-9]
month ::= "0" [1-9] | "1" [0-2]
monthday ::= month ("0" [1-9] | "1" [0-9] | "2" [0-8]) | long ("29" | "30") | longest "31"
long ::= "01" | "03" | "04" | "05" | "06" | "07" | "08" | "09" | "10" | "11" | "12"
longest ::= "01" | "03" | "05" | "07" | "08" | "10" | "12"
leap ::= "2000" | ("19" | "20") ("0" [48] | [2468] [048] | [13579] [26])
unknown ::= "?\"" [A-Za-z0-9] [A-Za-z0-9 .,&'-]{0,38} [A-Za-z0-9.] "\""
rank ::= " (" ("top " | "bottom ") [1-9] [0-9]? (" by " metric)? ")"
"""


def compact(catalog: Catalog) -> str:
    """EBNF text of every compact request over this catalogue; its start is `root`.

    Raises:
        InputError: if the catalogue holds no company or no metric, of which no grammar can be made.
    """
    companies, metrics = catalog.companies.all, catalog.metrics.all
    if not companies or not metrics:
        raise InputError(
            f"the catalogue has {len(companies)} companies and {len(metrics)} metrics; a grammar needs both"
        )
    whole = [
        *(peers_entity(company) for company in companies),
        *(company_entity(company) for company in companies),
        *(industry_entity(industry) for industry in catalog.companies.industries),
        MARKET,
    ]
    names = (_written(entity, catalog) for entity in whole)
    return (
        f'root ::= "(" entities? ") (" (metrics ") (" dates ")" rank? | ") (" dates ")")\n'
        f'entities ::= entity ("; " entity){{0,{ENTITIES - 1}}}\n'
        f'metrics ::= metric ("; " metric){{0,{METRICS - 1}}}\n'
        f"entity ::= unknown | {_choice(names)}\n"
        f"metric ::= {_choice(metric.name for metric in metrics)}" + DATES
    )


def _written(entity: Entity, catalog: Catalog) -> str:
    """An entity as the compact form writes it."""
    alone = dialect.write(Request("open-ended", (entity,), ()), "compact", catalog)
    return alone.removeprefix("(").removesuffix(") () ()")


def _choice(names: Iterable[str]) -> str:
    """The names as alternatives, raw UTF-8 (A3)."""
    return " | ".join(json.dumps(name, ensure_ascii=False) for name in dict.fromkeys(names))
