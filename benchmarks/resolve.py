"""How long a name takes to resolve among 10,000 companies: `python benchmarks/resolve.py`.

The shipped companies and invented ones beside them; texts are half names and tickers as they stand, three in
ten other ways of writing, two in ten misspelt by one slip of the pen (a letter left out, doubled, changed, or
two swapped). Prints the time of loading and indexing, then milliseconds a resolve by kind, in a second round,
and how it ended: the company was found, was a candidate, was lost, or another company was found.
"""

import random
import string
import time
from collections import Counter
from collections.abc import Callable

from finground.catalog.companies import Companies, Company
from finground.catalog.names import company_keys
from finground.catalog.shipped import shipped
from finground.core.errors import CatalogError

COMPANIES, TEXTS, SEED = 10_000, 10_000, 7
ENDINGS = (
    "Inc",
    "Corp",
    "Holdings",
    "Group",
    "Ltd",
    "plc",
    "SA",
    "Technologies",
    "Industries Inc",
    "Bancorp",
)
SYLLABLES = (
    "al",
    "bri",
    "cor",
    "dan",
    "el",
    "fen",
    "gra",
    "hol",
    "ix",
    "jor",
    "kel",
    "lum",
    "mar",
    "nov",
    "or",
)


def main() -> None:
    began = time.perf_counter()
    known = shipped()
    read = time.perf_counter()
    known.resolve("Apple")
    print(f"{len(known.all)} shipped: read {1000 * (read - began):.1f} ms, "
          f"indexed {1000 * (time.perf_counter() - read):.1f} ms")  # fmt: skip
    rng = random.Random(SEED)
    every = Companies([*known.all, *invented(rng, COMPANIES - len(known.all))])
    texts = questions(rng, every)
    for _ in ("cold", "warm"):
        took: dict[str, list[float]] = {"all": []}
        ends: dict[str, Counter[str]] = {"all": Counter()}
        for kind, text, company in texts:
            seconds, end = timed(every, text, company)
            for group in (kind, "all"):
                took.setdefault(group, []).append(seconds)
                ends.setdefault(group, Counter())[end] += 1
    for kind, seconds in took.items():
        shares = ", ".join(f"{end} {n / len(seconds):.1%}" for end, n in ends[kind].most_common())
        print(f"{kind:9} n={len(seconds):5}  {percentiles(seconds)}  {shares}")


def invented(rng: random.Random, n: int) -> list[Company]:
    """Companies of made-up names, each of its own."""
    names: dict[str, None] = {}
    while len(names) < n:
        words = [
            "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).title() for _ in range(rng.randint(1, 3))
        ]
        names[" ".join([*words, rng.choice(ENDINGS)])] = None
    return [Company(f"us:{i}", name, f"Z{i}Q", "", "") for i, name in enumerate(names)]


def questions(rng: random.Random, companies: Companies) -> list[tuple[str, str, Company]]:
    """Kind, text, and whom it means; 50 to 30 to 20 of each hundred."""
    aliased = [company for company in companies.all if company.aliases]
    makers: dict[str, Callable[[], tuple[str, Company]]] = {
        "exact": lambda: named(rng, rng.choice(companies.all)),
        "alias": lambda: (rng.choice((company := rng.choice(aliased)).aliases), company),
        "misspelt": lambda: misspelt(rng, rng.choice(companies.all)),
    }
    kinds = rng.choices(list(makers), weights=(50, 30, 20), k=TEXTS)
    return [(kind, *makers[kind]()) for kind in kinds]


def named(rng: random.Random, company: Company) -> tuple[str, Company]:
    return (company.ticker if rng.random() < 0.3 else company.name), company


def misspelt(rng: random.Random, company: Company) -> tuple[str, Company]:
    """The short name with one slip after its first letter."""
    text = company_keys(company.name)[1]
    place = rng.randrange(1, max(2, len(text) - 1))
    letter = rng.choice(string.ascii_lowercase)
    slips = (
        text[:place] + text[place + 1 :],
        text[:place] + text[place : place + 1] + text[place:],
        text[:place] + letter + text[place + 1 :],
        text[:place] + text[place : place + 2][::-1] + text[place + 2 :],
    )
    return rng.choice(slips), company


def timed(companies: Companies, text: str, company: Company) -> tuple[float, str]:
    """Seconds of one resolve, and how it ended."""
    began = time.perf_counter()
    try:
        found = companies.resolve(text)
    except CatalogError as error:
        seconds = time.perf_counter() - began
        return seconds, "candidate" if company.name in error.candidates else "lost"
    return time.perf_counter() - began, "found" if found is company else "another company"


def percentiles(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    places = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "greatest": 1.0}
    at = {name: ordered[min(len(ordered) - 1, int(place * len(ordered)))] for name, place in places.items()}
    return "  ".join(f"{name} {1000 * found:.3f} ms" for name, found in at.items())


if __name__ == "__main__":
    main()
