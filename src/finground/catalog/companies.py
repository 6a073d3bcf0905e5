"""Which company a text means, as of a day; never a guess.

A name is looked up in three strengths: as written (names, aliases, tickers valid on the day, ids), without
the legal form, and without "Group" or "Holdings". The first strength that knows it decides: one company is
found, several are candidates. Fuzzy matching only ever makes candidates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from finground.catalog.industries import Industries
from finground.catalog.mention import Mention
from finground.catalog.names import POSSESSIVE, company_keys, normal
from finground.core.errors import CatalogError

__all__ = ["Companies", "Company", "DatedTicker", "Mention"]


@dataclass(frozen=True, slots=True)
class DatedTicker:
    """A ticker from `start` to `end`, both included; None is open."""

    ticker: str
    start: date | None = None
    end: date | None = None

    def holds(self, day: date | None) -> bool:
        """Whether it was this company's on that day; None is today: whatever has not ended."""
        if day is None:
            return self.end is None
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)


@dataclass(frozen=True, slots=True)
class Company:
    """A company. `id` is `cik:` and ten digits where there is one; `tickers` if they changed or are
    several."""

    id: str
    name: str
    ticker: str
    sector: str
    industry: str
    currency: str = "USD"
    aliases: tuple[str, ...] = ()
    tickers: tuple[DatedTicker, ...] = ()
    synthetic: bool = False

    def ticker_at(self, day: date) -> str | None:
        """The first ticker valid on that day."""
        return next((dated.ticker for dated in self.dated if dated.holds(day)), None)

    @property
    def dated(self) -> tuple[DatedTicker, ...]:
        """All tickers with their days; the one without days if no others are known."""
        return self.tickers or ((DatedTicker(self.ticker),) if self.ticker else ())


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
        found = self._by_id.get(id)
        if found is None:
            raise CatalogError(f"no company has the id {id!r}; ids look like 'cik:0000320193'")
        return found

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
        spelled = (stripped, POSSESSIVE.sub("", stripped))
        keys = dict.fromkeys(key for text in spelled for key in company_keys(text)[:2])
        named = next(filter(None, map(self._index.named, keys)), ())
        return tuple(dict.fromkeys(bearers + named)) or self.by_ticker(stripped.upper(), as_of)

    def by_ticker(self, ticker: str, as_of: datetime | None = None) -> tuple[Company, ...]:
        """The companies that bore the ticker, in capitals, on that day."""
        day = as_of.date() if as_of else None
        dotted = ticker.replace(".", "-").replace(" ", "-")
        held = self._index.tickers.get(ticker) or self._index.tickers.get(dotted) or []
        return tuple(dict.fromkeys(company for company, dated in held if dated.holds(day)))

    def starting_with(self, text: str) -> tuple[Company, ...]:
        """The companies whose name goes on after the text ("Delta": Delta Air Lines), the shortest first."""
        key = normal(text)
        found = [company for name, company in self._index.whole if name.startswith(key + " ")] if key else []
        return tuple(sorted(found, key=lambda company: len(company.name)))

    def near(self, text: str, n: int = 5) -> tuple[str, ...]:
        """Names that look like the text, the nearest first."""
        from rapidfuzz import fuzz, process

        begun = [company.name for company in self.starting_with(text)[:n]]
        former = [company.name for company, _ in self._index.tickers.get(text.strip(), ())]
        keys, written = self._index.spelled, normal(text)
        size = written.count(" ") + 1
        shorter = {" ".join(key.split(" ")[:size]): key for key in keys} | {key: key for key in keys}
        close = process.extract(written, list(shorter), scorer=fuzz.ratio, limit=n, score_cutoff=70)
        fuzzy = [keys[shorter[key]].name for key, _, _ in close]
        return tuple(dict.fromkeys([*former, *begun, *fuzzy]))[:n]

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
    def first_words(self) -> set[str]:
        """What names begin with."""
        return self._index.first

    @property
    def longest(self) -> int:
        """How many words the longest name has."""
        return self._index.longest

    @cached_property
    def _industries(self) -> Industries:
        return Industries((company.sector, company.industry) for company in self.all)

    @property
    def industries(self) -> tuple[str, ...]:
        """The names of sectors and industries, sorted."""
        return self._industries.names

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
    def _index(self) -> "_Index":
        return _Index(self.all)


class _Index:
    """Keys to companies, in three strengths."""

    def __init__(self, companies: tuple[Company, ...]) -> None:
        self.tickers: dict[str, list[tuple[Company, DatedTicker]]] = {}
        self.whole: list[tuple[str, Company]] = []
        self.strengths: tuple[dict[str, list[Company]], ...] = ({}, {}, {})
        for company in companies:
            keys = company_keys(company.name)
            self.whole.append((keys[0], company))
            for dated in company.dated:
                self.tickers.setdefault(dated.ticker, []).append((company, dated))
            for alias in company.aliases:
                _add(self.strengths[0], normal(alias), company)
            for strength, key in zip(self.strengths, keys, strict=True):
                _add(strength, key, company)
        self.first = {key.partition(" ")[0] for strength in self.strengths for key in strength}
        self.longest = max((key.count(" ") + 1 for strength in self.strengths for key in strength), default=0)

    @cached_property
    def spelled(self) -> dict[str, Company]:
        """All keys, for fuzzy matching."""
        return {key: held[0] for strength in reversed(self.strengths) for key, held in strength.items()}

    def named(self, key: str) -> tuple[Company, ...]:
        """Whom the key names at the first strength that knows it; a loose key with all whose name begins
        so."""
        exact, brief, loose = self.strengths
        found = exact.get(key) or brief.get(key)
        if found or key not in loose:
            return tuple(found or ())
        begun = [company for name, company in self.whole if name.startswith(key + " ")]
        return tuple(dict.fromkeys(loose[key] + begun))


def _add(keys: dict[str, list[Company]], key: str, company: Company) -> None:
    held = keys.setdefault(key, [])
    if company not in held:
        held.append(company)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
