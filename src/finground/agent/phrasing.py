"""What people mean who name no metric: "how much did Apple make", "is it in the red", "what is Tesla worth".

A pattern of ordinary English stands for one metric, the first that fits. It is only asked where a question
names none, and never where it asks for an analysis as a whole.
"""

import re

_MOVES = (
    r"up|down|ris(?:e|en|ing)|rose|f(?:all|ell|allen|alling)|drop(?:ped|ping)?|climb(?:ed|ing)?|trad(?:e|es|ed|ing)"
    r"|clos(?:e|ed|ing)|cost|do|doing|done|perform(?:ed|ing)?|moved?|crash(?:ed|ing)?|tank(?:ed|ing)?"
    r"|rall(?:y|ied|ying)|soar(?:ed|ing)?|jump(?:ed|ing)?"
)
_OWNERS = r"(?:shareholders|holders|investors)"
SAID: tuple[tuple[str, str], ...] = (
    ("net-income", r"in the (?:red|black)|profitable|unprofitable|turn(?:ed|ing)? a profit|loss[- ]making"),
    ("net-income", r"(?:los(?:e|es|t|ing)|bleed(?:s|ing)?) money|made? a loss|break(?:ing)? even"),
    ("net-income", r"how much (?:money )?(?:did|does|do|has|have|is|was|will) .*\b(?:mak(?:e|ing)|made)\b"),
    ("net-income", r"how much (?:money )?(?:did|does|do|has|have|is|was|will) .*\b(?:earn(?:ed|ing)?)\b"),
    ("net-income", r"\b(?:mak(?:e|es|ing)|made) (?:more |less |any |much )?money"),
    ("sales-revenue", r"how much (?:did|does|do|has|have) .*\bs(?:ell|old)\b|\bsell(?:s|ing)? (?:more|less)"),
    ("market-capitalisation", r"\b(?:worth|valued at)\b|how (?:big|large) is\b|\b(?:bigg|larg)er\b"),
    ("debt", r"\bow(?:e|es|ed|ing)\b|\bin debt\b|\bborrow(?:ed|ing|ings)?\b|\bindebted\b|\bleveraged\b"),
    ("cash", r"\bcash[- ](?:pile|hoard|rich)\b|\bsit(?:s|ting)? on\b.*\bcash\b|\bmoney in the bank\b"),
    ("free-cash-flow", r"\bburn(?:s|ed|ing|t)?\b.*\b(?:cash|money)\b|\bcash burn\b"),
    ("current-ratio", r"\bpay (?:its|their|the) bills\b|\bshort[- ]term obligations\b|\bliquid\b"),
    ("employees", r"\bhow many (?:people|workers|staff)\b|\bon (?:its|the|their) payroll\b|\bemploys?\b"),
    ("research-and-development", r"\bspen[dt](?:s|ing)?\b.*\b(?:research|r&d|development|developing)\b"),
    ("selling-and-marketing-expense", r"\bspen[dt](?:s|ing)?\b.*\b(?:marketing|advertising|ads|adverts)\b"),
    ("capital-expenditure", r"\bspen[dt](?:s|ing)?\b.*\b(?:plants?|factories|equipment|buildings?)\b"),
    ("price-to-earnings", r"\b(?:expensive|cheap|cheaper|overvalued|undervalued|overpriced|pricey|frothy)\b"),
    ("dividends-per-share", rf"\bpa(?:y|ys|ying|id)\b.*\b{_OWNERS}\b"),
    ("share-repurchases", r"\bbuy(?:s|ing)? back\b|\bbought back\b|\brepurchas(?:e|ed|es|ing)\b"),
    ("revenue-growth", r"how (?:fast|quickly) .*\bgrow|\bgrow(?:s|ing)? (?:fast|quick|slow)\w*|\bgrowing\b"),
    ("stock-price", rf"\b(?:stock|shares?|price)\b.*\b(?:{_MOVES})\b|\b(?:trad|clos)(?:e|es|ed|ing) at\b"),
    ("net-profit-margin", r"\bmargins?\b"),
    ("net-income", r"\bprofits?\b|\bearn(?:s|ed|ing)?\b"),
)  # fmt: skip
WHOLE = re.compile(
    r"\b(?:analy[sz]e|analysis|should i|worth (?:buying|it|holding|a look|investing|my)"
    r"|good (?:investment|buy|stock|bet)|think of|opinion|overview|outlook|bull|bear)\b",
    re.I,
)
PATTERNS = tuple((slug, re.compile(pattern, re.I)) for slug, pattern in SAID)


def meant(query: str) -> list[str]:
    """The slug of the metric that the question speaks of without a name for it, or nothing."""
    if WHOLE.search(query):
        return []
    return next(([slug] for slug, pattern in PATTERNS if pattern.search(query)), [])
