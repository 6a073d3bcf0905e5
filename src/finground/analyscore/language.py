"""Trading advice and banned phrases, told from innocent uses of the same words (case R5).

"hold a meeting", "shareholding", "sell-side" and a company that agreed to buy another are no advice; "hold
the stock", "entry opportunity" and "a buy" are. Quoted news is not the report's own language.
"""

import re

from finground.report.standard import BANNED_PHRASES, OPPORTUNITY_WORDS, TRADING_WORDS

QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
EVENTS = (
    r"meeting|conference|call|briefing|talks|event|vote|election|auction|hearing|session|annual|press|patent"
    r"|stake|debt|cash"
)
DEALS = r"agree[sd]?|plan(?:s|ned)?|offer(?:s|ed)?|bids?|deals?|intends?|rights?|option"
INNOCENT = (
    re.compile(rf"\bholds?\s+(?:(?:a|an|the|its|their|regular)\s+)?(?:[\w-]+\s+)?(?:{EVENTS})\w*", re.I),
    re.compile(r"\b(?:buy|sell)[- ](?:side|back|backs|off|offs|through)\b", re.I),
    re.compile(rf"\b(?:{DEALS})\s+to\s+(?:buy|sell)\b", re.I),
    re.compile(r"\b(?:does not|do not|no)\s+(?:recommend|advise)\b[^.]*", re.I),
)
_TRADING = "|".join(
    re.escape(word).replace(r"\ ", r"\s+(?:a\s+|the\s+|your\s+)?") + ("s?" if " " in word else "")
    for word in (*TRADING_WORDS, *OPPORTUNITY_WORDS)
)
TRADING = re.compile(rf"(?<![\w-])(?:{_TRADING})(?![\w-])", re.I)
BANNED = re.compile(rf"\b(?:{'|'.join(BANNED_PHRASES)})\b", re.I)


def advice(text: str) -> tuple[str, ...]:
    """Trading words used as advice, each with the words around it."""
    own = QUOTED.sub(" ", text)
    for pattern in INNOCENT:
        own = pattern.sub(" ", own)
    return tuple(_around(own, found) for found in TRADING.finditer(own))


def banned(text: str) -> tuple[str, ...]:
    """Phrases the writing guidelines rule out (FinSphere, appendix D.2)."""
    return tuple(found[0] for found in BANNED.finditer(QUOTED.sub(" ", text)))


def _around(text: str, found: re.Match[str]) -> str:
    start, end = max(0, found.start() - 20), found.end() + 20
    return f"…{' '.join(text[start:end].split())}…"
