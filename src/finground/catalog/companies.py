"""Which company a text means, as of a day; never a guess.

A name is looked up in three strengths: as written (names, aliases, tickers valid on the day, ids), without
the legal form, and without "Group" or "Holdings". The first strength that knows it decides: one company is
found, several are candidates. Fuzzy matching only ever makes candidates.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from finground.catalog.index import Index
from finground.catalog.industries import Industries
from finground.catalog.mention import Mention
from finground.catalog.names import POSSESSIVE, company_keys, normal
from finground.core.errors import CatalogError

__all__ = ["Companies", "Company", "DatedName", "DatedTicker", "Mention"]

AMERICAN = frozenset({"", "XNYS", "XNAS", "XASE", "ARCX", "BATS", "OTCM"})  # by MIC; "" is SEC's own list


@dataclass(frozen=True, slots=True)
class DatedTicker:
    """A ticker from `start` to `end`, both included, None is open; `exchange` is its MIC, where known."""

    ticker: str
    start: date | None = None
    end: date | None = None
    exchange: str = ""

    def holds(self, day: date | None) -> bool:
        """Whether it was this company's on that day; None is today: whatever has not ended."""
        if day is None:
            return self.end is None
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)


@dataclass(frozen=True, slots=True)
class DatedName:
    """A name from `start` to `end`, both included; None is open."""

    name: str
    start: date | None = None
    end: date | None = None


@dataclass(frozen=True, slots=True)
class Company:
    """A company. `id` is `cik:` and ten digits where it files with the SEC, else `XPAR:MC`, MIC and ticker.

    `ticker` and `exchange` (a MIC) are of its main listing; `tickers` are all, if they changed or are
    several; `names` if it was renamed; `country` is ISO 3166's two letters.
    """

    id: str
    name: str
    ticker: str
    sector: str
    industry: str
    currency: str = "USD"
    aliases: tuple[str, ...] = ()
    tickers: tuple[DatedTicker, ...] = ()
    synthetic: bool = False
    exchange: str = ""
    country: str = ""
    names: tuple[DatedName, ...] = ()

    def ticker_at(self, day: date) -> str | None:
        """The first ticker valid on that day."""
        return next((dated.ticker for dated in self.dated if dated.holds(day)), None)

    @property
    def dated(self) -> tuple[DatedTicker, ...]:
        """All tickers with their days; the one without days if no others are known."""
        if self.tickers or not self.ticker:
            return self.tickers
        return (DatedTicker(self.ticker, exchange=self.exchange),)

    def name_at(self, day: date | None) -> str:
        """What it was called on that day; None is today."""
        if day is None:
            return self.name
        held = (n for n in self.names if (n.start or day) <= day <= (n.end or day))
        return next((one.name for one in held), self.name)


class Companies:
    """The companies of a catalogue; the index over their names is built when first asked."""

    def __init__(self, companies: Iterable[Company]) -> None:
        self.all: tuple[Company, ...] = tuple(companies)
        self._by_id = {company.id: company for company in self.all}

    def by_id(self, id: str) -> Company:
        """The company of that id.

        Raises:
            CatalogError: if there is none.
        """
        found = self.find(id)
        if found is None:
            raise CatalogError(f"no company has the id {id!r}; ids look like 'cik:0000320193'")
        return found

    def find(self, id: str) -> Company | None:
        """The company of that id, if there is one."""
        return self._by_id.get(id)

    def resolve(self, text: str, as_of: datetime | None = None) -> Company:
        """The one company that the text means as of then; without a time, today.

        Raises:
            CatalogError: if none is known by it, or several are; with candidates, the nearest first.
        """
        if text.strip() in self._by_id:
            return self._by_id[text.strip()]
        found = self.lookup(text, as_of)
        if len(found) == 1:
            return found[0]
        if found:
            names = tuple(company.name for company in found)
            raise CatalogError(f"{text!r} may be {_listed(names)}; write one of these", names)
        raise self.unknown(text, as_of)

    def unknown(self, text: str, as_of: datetime | None = None) -> CatalogError:
        """The error for a name no company has, with those within it or near it."""
        inside = [one.found.name for one in self.mentions(text, as_of) if one.found]
        near = tuple(dict.fromkeys([*inside, *self.near(text)]))[:5]
        hint = f"near it: {_listed(near)}" if near else "write its name or ticker as in the catalogue"
        return CatalogError(f"no company is known as {text!r}; {hint}", near)

    def lookup(self, text: str, as_of: datetime | None = None) -> tuple[Company, ...]:
        """The companies the text names; several if it is ambiguous, none if it is unknown."""
        stripped = text.strip().strip("$")
        bearers = self.by_ticker(stripped, as_of)
        if not bearers and stripped in self._index.tickers:
            return ()
        day = as_of.date() if as_of else None
        spelled = (stripped, POSSESSIVE.sub("", stripped))
        keys = dict.fromkeys(key for text in spelled for key in company_keys(text)[:2])
        named = next(filter(None, (self._index.named(key, day) for key in keys)), ())
        return tuple(dict.fromkeys(bearers + named)) or self.by_ticker(stripped.upper(), as_of)

    def by_ticker(self, ticker: str, as_of: datetime | None = None) -> tuple[Company, ...]:
        """The companies that bore the ticker, in capitals, on that day.

        Without its exchange ("XLON:BA") a ticker is read as an American one, if it is one.
        """
        day = as_of.date() if as_of else None
        exchange, _, bare = ticker.rpartition(":")
        dotted = bare.replace(".", "-").replace(" ", "-")
        listed = self._index.tickers.get(bare) or self._index.tickers.get(dotted) or []
        held = [(company, dated.exchange) for company, dated in listed if dated.holds(day)]
        asked = {exchange} if exchange else AMERICAN if any(one in AMERICAN for _, one in held) else None
        return tuple(dict.fromkeys(company for company, one in held if asked is None or one in asked))

    def listed(self, ticker: str) -> Company | None:
        """The company that bears the ticker today, if exactly one does."""
        found = self.by_ticker(ticker)
        return found[0] if len(found) == 1 else None

    def starting_with(self, text: str) -> tuple[Company, ...]:
        """The companies whose name goes on after the text ("Delta": Delta Air Lines), the shortest first."""
        key = normal(text)
        found = self._index.beginning(key) if key else []
        return tuple(sorted(found, key=lambda company: len(company.name)))

    def near(self, text: str, n: int = 5) -> tuple[str, ...]:
        """Names that look like the text, the nearest first."""
        key = normal(text)
        former = [company.name for company, _ in self._index.tickers.get(text.strip(), ())]
        begun = [company.name for company in self.starting_with(text)[:n]]
        holding = sorted((company.name for company in self._index.holding(key.split())), key=len)
        alike = [company.name for company in self._index.like(key, n)]
        return tuple(dict.fromkeys([*former, *begun, *holding, *alike]))[:n]

    def mentions(
        self, question: str, as_of: datetime | None = None, explained: Sequence[tuple[int, int]] = ()
    ) -> tuple[Mention[Company], ...]:
        """The companies a question names, and what in it looks like one and is not known, in order.

        `explained` are places of the question that already mean something else: metrics, dates, industries.
        """
        from finground.catalog.spotting import spot

        return spot(self, question, as_of, explained)

    def exactly(self, key: str) -> tuple[Company, ...]:
        """The companies that a key names, by name or alias."""
        return self._index.named(key)

    def has_ticker(self, ticker: str) -> bool:
        """Whether any company bears the ticker, or ever did."""
        return ticker in self._index.tickers

    @property
    def first_words(self) -> Mapping[str, int]:
        """What names begin with, and how many words the longest of them has."""
        return self._index.longest

    def has_word(self, word: str) -> bool:
        """Whether any company's name has the word in it."""
        return bool(self._index.holding([word]))

    @cached_property
    def _industries(self) -> Industries:
        return Industries((company.sector, company.industry) for company in self.all)

    @property
    def industries(self) -> tuple[str, ...]:
        """The names of sectors and industries, sorted."""
        return self._industries.names

    @property
    def industry_words(self) -> dict[str, int]:
        """How many words the longest way to say an industry has that begins with a word."""
        return self._industries.longest

    @property
    def said(self) -> Iterable[str]:
        """All ways to say an industry, as keys."""
        return self._industries.keys

    def industry(self, text: str) -> str:
        """The industry or sector that the text means.

        Raises:
            CatalogError: if there is none, with names that are near.
        """
        return self._industries.resolve(text)

    def industry_of(self, key: str) -> str | None:
        """The industry or sector of that key, if there is one."""
        return self._industries.keys.get(key)

    def in_industry(self, name: str) -> tuple[Company, ...]:
        """The companies of that industry or sector.

        Raises:
            CatalogError: if there is no such industry.
        """
        found = self.industry(name)
        return tuple(company for company in self.all if found in (company.industry, company.sector))

    @cached_property
    def _index(self) -> Index:
        return Index(self.all)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
