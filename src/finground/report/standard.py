"""The response standard of an analysis (FinSphere, appendix D): its steps, the dimensions, and the words
that count.

Carried over from the paper: steps, banned phrases, trading words, bullish and bearish keywords.
"""

STEPS = ("movement summary", "conclusions", "detailed analysis", "final summary")

# What a tool is called in a report, in the order of the detailed analysis.
DIMENSIONS = {
    "volume-price": "Volume and price",
    "technical": "Technical signals",
    "capital-flow": "Capital flow",
    "financial": "Financial results",
    "fundamental": "Fundamentals",
    "catalysts": "News",
}
# The lead of a dimension, by what its signals come to.
LEADS = {
    "volume-price": {
        "bullish": "Price action is strengthening.",
        "bearish": "Price action is weakening.",
        "neutral": "Price action shows no clear direction.",
    },
    "technical": {
        "bullish": "The signals form a bullish combination.",
        "bearish": "The signals form a bearish combination.",
        "neutral": "The signals lean to neither side.",
    },
    "capital-flow": {
        "bullish": "On balance capital is flowing in.",
        "bearish": "On balance capital is flowing out.",
        "neutral": "Capital leans to neither side.",
    },
    "financial": {
        "bullish": "On most counts the latest results are better than a year before.",
        "bearish": "On most counts the latest results are worse than a year before.",
        "neutral": "The latest results are uneven.",
    },
    "fundamental": {
        "bullish": "Against peers most measures are favourable.",
        "bearish": "Against peers most measures are unfavourable.",
        "neutral": "The measures favour neither side.",
        "alone": "The measures are the company's own, without peers' figures to compare.",
    },
}
SHORT_TERM = ("technical",)  # the tools a short-term conclusion follows from
LONG_TERM = ("financial", "fundamental")

CAUSE_WORDS = 20  # the main cause takes fewer words than this

BANNED_PHRASES = (
    "according to", "information shows", "recent performance", "current situation", "comprehensive analysis",
)  # fmt: skip
TRADING_WORDS = (
    "buy", "sell", "hold", "clear position", "build position", "reduce position", "increase position",
)  # fmt: skip
OPPORTUNITY_WORDS = (
    "entry opportunity",
    "entry point",
    "exit point",
    "trading opportunity",
    "trading opportunities",
)
TRANSITION_WORDS = ("but", "however", "then", "finally")

BULLISH = (
    "bull point", "golden cross", "strong uptrend", "strengthening", "active holding", "bullish combination",
    "active attention",
)  # fmt: skip
BEARISH = (
    "bear point", "death cross", "weakening", "cautious observation", "bearish combination",
    "weak adjustment", "weak decline",
)  # fmt: skip

# The stances a conclusion may take, and the words by which they are known.
ATTENTION = ("attention", "tracking", "validation")
CAUTION = ("caution", "cautious", "risk awareness", "avoidance", "position control")
OBSERVATION = ("observation",)
