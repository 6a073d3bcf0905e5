"""Tickers and companies that a sentence names and nobody read, and a ticker beside another company's name."""

import re

from finground.catalog.names import normal
from finground.report.evidence import Evidence
from finground.report.reading import NUMBER
from finground.report.sentence import Sentence

TICKER = re.compile(r"(?=[$A-Z])(?<![\w.&-])\$?([A-Z]{2,5})(?![\w&-]|\.[A-Za-z])")
BRACKETED = re.compile(r"\.?\s*\(\$?([A-Z][A-Z.-]{0,5})\)")
NAMED = re.compile(r"\b[^\W\d_a-z][\w&.'’/-]+(?:,? (?:& )?[^\W\d_a-z][\w&.'’/-]*)*")
WHOSE = re.compile(r"(?: plc)?(?:  |: no )")  # after a name: the cell of a table, what a company lacks


def names(sentence: Sentence, evidence: Evidence) -> list[tuple[str, str]]:
    """Tickers and companies that were not read, and a ticker beside another company's name."""
    flaws = []
    tickers = evidence.lexicon.tickers
    for mention in sentence.companies:
        beside = BRACKETED.match(sentence.text, mention.end)
        if beside and len(mention.keys) == 1 and beside[1] != tickers[next(iter(mention.keys))]:
            flaws.append((beside[1], "that is not the company's ticker"))
    wrong = {text for text, _ in flaws}
    flaws += [
        (found, "no such ticker was read")
        for found in dict.fromkeys(TICKER.findall(NUMBER.sub(" ", sentence.text)))
        if not evidence.capitals(found) and found not in wrong
    ]
    flaws += [(name, "no such company was read") for name in _strangers(sentence, evidence)]
    return flaws


def _strangers(sentence: Sentence, evidence: Evidence) -> list[str]:
    """Companies of the catalogue that a sentence names and the brief does not."""
    text = sentence.text
    for mention in sentence.companies:
        text = text[: mention.start] + "|" * (mention.end - mention.start) + text[mention.end :]
    companies, names = evidence.brief.catalog.companies, evidence.brief.names.keys()
    longest = companies.first_words
    found = []
    for match in NAMED.finditer(text):
        words, at = match[0].split(" "), 0
        is_name = WHOSE.match(text, match.end()) is not None  # not a word that a sentence begins with
        while at < len(words):
            first = normal(words[at]).partition(" ")[0]
            sizes = range(min(len(words), at + longest.get(first, 0)), at, -1)
            end = next((end for end in sizes if companies.exactly(normal(" ".join(words[at:end])))), at)
            name = " ".join(words[at:end]).rstrip(",.")
            if end > at + 1 or (end > at and (at + match.start() or is_name)):  # any word may begin one
                bearers = {company.id for company in companies.exactly(normal(name))}
                found += [] if bearers & names or name.lower() in evidence.text else [name]
            at = max(end, at + 1)
    return found
