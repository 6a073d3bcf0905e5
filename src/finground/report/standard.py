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
