"""Which measures and companies a sentence names, and where: what a figure beside them must be a figure of.

A measure has keys: the slugs of the catalogue's metrics, and the names of the tools' findings. "price" may
mean several of them; "P/E ratio" means one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from finground.catalog.metrics import Metrics
from finground.catalog.names import company_keys
from finground.report.brief import Brief

WORD = re.compile(r"[^\W_][\w&'’/-]*(?:\.(?=\w))?[\w&'’/-]*")
PRICE = (
    "last price", "latest price", "price", "prices", "close", "closes", "closed", "closing price",
    "share price", "stock price", "shares closed",
)  # fmt: skip
PRICED = ("last-price", "change", "change-20-sessions", "year-range", "price-limit", "stock-price", "bars")
TERMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(PRICED, PRICE),
    "price-after-report": (*PRICE, "report"),
    "price-limit": (*PRICE, "limit"),
    "bollinger": (*PRICE, "bollinger bands", "bollinger", "bands"),
    "volume": ("volume", "trading volume", "shares traded"),
    "volume-ratio": ("volume", "trading volume"),
    "trading-value": ("trading value", "value traded"),
    "turnover-rate": ("turnover rate", "turnover"),
    "industry-rank": ("ranks", "rank", "ranked", "ranking"),
    "index-change": ("index",),
    "ahead-of-index": (*PRICE, "index"),
    "rsi": ("rsi",),
    "rsi-cross": ("rsi", "rsi golden cross", "rsi death cross"),
    "macd": ("macd",),
    "macd-cross": ("macd", "macd golden cross", "macd death cross"),
    "moving-averages": ("moving averages", "moving average", "alignment"),
    "support": ("support",),
    "resistance": ("resistance",),
    "ddx-5-day": ("ddx", "large orders"),
    "margin-change": ("margin balance", "margin financing", "margin trading"),
    "institutional-change": ("institutional holdings", "holdings", "institutions"),
    "control-level": ("control",),
    "money-flow-index": ("money flow index",),
    "chaikin-money-flow": ("chaikin money flow", "chaikin"),
    "latest-report": ("report", "latest report"),
    "use-of-revenue": (
        "shares of revenue",
        "use of revenue",
        "cost of revenue",
        "research and development",
        "selling and administration",
        "operating income",
    ),
    "unusual-movement": ("unusual movement", "movement", "standard deviations", "index"),
    "movement": ("unusual movement", "movement"),
    "news": ("news", "headline", "headlines", "wrote"),
    "short-term": ("short term", "short-term", "near term"),
    "long-term": ("medium to long term", "long term", "medium-term", "long-term", "medium- to long-term"),
    "volume-price-lead": ("price action",),
    "technical-lead": ("signals form", "signals lean"),
    "capital-flow-lead": ("on balance capital", "capital leans"),
    "financial-lead": ("latest results",),
    "fundamental-lead": ("most measures", "the measures"),
}
PATTERNS = (
    "engulfing", "hammer", "inverted hammer", "hanging man", "shooting star", "morning star", "evening star",
    "piercing line", "dark cloud cover", "three white soldiers", "three black crows", "harami", "kicking",
    "three inside", "three outside",
)  # fmt: skip
SPELLINGS = {
    "p/e": "price-to-earnings", "p/e ratio": "price-to-earnings", "p/b ratio": "price-to-book",
    "debt-to-assets ratio": "debt-ratio", "net profit": "net-income",
}  # fmt: skip
SUFFIXES = ("-yoy", "-qoq")


@dataclass(frozen=True, slots=True)
class Mention:
    """A measure or a company as a sentence names it."""

    start: int
    end: int
    keys: frozenset[str]


@lru_cache(maxsize=1024)
def key_of(finding: str) -> str:
    """The key of a finding's name: patterns of either side are one measure, a change belongs to its
    metric.
    """
    if finding.startswith("pattern-"):
        return finding.replace("pattern-bullish-", "pattern-").replace("pattern-bearish-", "pattern-")
    if finding.startswith("news-"):
        return "news"
    for suffix in SUFFIXES:
        finding = finding.removesuffix(suffix)
    return finding


class Lexicon:
    """The measures of a catalogue and the companies of a brief."""

    def __init__(self, brief: Brief) -> None:
        self.measures = _measures(brief.catalog.metrics)
        self.companies = _companies(brief.names)
        self.tickers = {id: brief.ticker(id) for id in brief.names}
        for id, ticker in self.tickers.items():
            if ticker:
                self.companies.setdefault(ticker, set()).add(id)
        self._longest = dict(_longest(brief.catalog.metrics))
        for name in self.companies:
            _lengthen(self._longest, name)

    def named(self, text: str) -> tuple[list[Mention], list[Mention]]:
        """Measures and companies of a sentence, in order; the longest name at each place."""
        words = [(found.start(), found.end(), found[0]) for found in WORD.finditer(text)]
        lower = [_plain(word) for _, _, word in words]
        measures, companies, at, longest = list[Mention](), list[Mention](), 0, self._longest
        while at < len(words):
            start, _, word = words[at]
            most = longest.get(lower[at]) or longest.get(word)
            if not most:
                at += 1
                continue
            step = 1
            for size in range(min(most, len(words) - at), 0, -1):
                key = " ".join(lower[at : at + size])
                if key in self.measures:
                    measures.append(Mention(start, words[at + size - 1][1], self.measures[key]))
                elif key in self.companies and word[0] != word[0].lower():
                    companies.append(Mention(start, words[at + size - 1][1], frozenset(self.companies[key])))
                elif size == 1 and word in self.companies:
                    companies.append(Mention(start, words[at][1], frozenset(self.companies[word])))
                else:
                    continue
                step = size
                break
            at += step
        return measures, companies


@lru_cache(maxsize=8192)
def _plain(word: str) -> str:
    """Lower case, without a possessive."""
    low = word.lower()
    return low.removesuffix("s").rstrip("'’") if low.endswith(("'s", "’s", "'", "’")) else low


def _lengthen(longest: dict[str, int], term: str) -> None:
    """Note how many words a term has by its first word."""
    first, words = term.partition(" ")[0], term.count(" ") + 1
    longest[first] = max(longest.get(first, 0), words)


@lru_cache(maxsize=4)
def _measures(metrics: Metrics) -> Mapping[str, frozenset[str]]:
    """Keys by term, the terms in plain words."""
    found: dict[str, set[str]] = {}
    for key, terms in TERMS.items():
        for term in terms:
            found.setdefault(term, set()).add(key)
    for name in PATTERNS:
        for term in (name, f"{name} pattern", f"bullish {name}", f"bearish {name}"):
            found.setdefault(term, set()).add(f"pattern-{name.replace(' ', '-')}")
    for metric in metrics.all:
        for term in (metric.name, *metric.aliases, metric.slug, metric.slug.replace("-", " ")):
            found.setdefault(_words(term), set()).add(metric.slug)
    for term, slug in SPELLINGS.items():
        found.setdefault(term, set()).add(slug)
    return {term: frozenset(keys) for term, keys in found.items()}


@lru_cache(maxsize=4)
def _longest(metrics: Metrics) -> Mapping[str, int]:
    """How many words the longest term has that begins with a word."""
    found: dict[str, int] = {}
    for term in _measures(metrics):
        _lengthen(found, term)
    return found


def _words(text: str) -> str:
    return " ".join(_plain(found[0]) for found in WORD.finditer(text))


def _companies(names: Mapping[str, str]) -> dict[str, set[str]]:
    """Ids by name in plain words: whole, without the legal form, and by a first word that is one
    company's.
    """
    found: dict[str, set[str]] = {}
    for id, name in names.items():
        spelled = dict.fromkeys((_words(name), *(key for key in company_keys(name)), *_spoken(name)))
        for key in spelled:
            found.setdefault(key, set()).add(id)
    return {key: ids for key, ids in found.items() if key}


def _spoken(name: str) -> Iterable[str]:
    """The first word of a name of several, if it is a word of its own."""
    first = _words(name).split(" ")[0]
    return (first,) if len(first) > 3 else ()
