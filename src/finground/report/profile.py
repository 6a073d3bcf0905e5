"""The reader's profile, risk and horizon, and how it changes what is concluded.

The horizon says which conclusion comes first. The risk a reader can take says what a stance asks of them: a
cautious reader wants a bullish one borne out first and takes mixed signals as a warning; a bold one tracks
mixed signals and meets bearish ones with position control (words of FinSphere's response standard, appendix
D).
"""

from collections.abc import Mapping

RISKS = ("low", "medium", "high")
HORIZONS = ("short", "medium", "long")
SUGGESTED = {
    ("bullish", "low"): "attention is suggested after further validation",
    ("bullish", "medium"): "appropriate attention is suggested",
    ("bullish", "high"): "active attention is suggested",
    ("bearish", "low"): "avoidance is suggested",
    ("bearish", "medium"): "caution is suggested",
    ("bearish", "high"): "caution with position control is suggested",
    ("neutral", "low"): "observation is suggested",
    ("neutral", "medium"): "observation is suggested",
    ("neutral", "high"): "observation with closer tracking is suggested",
}
WHEN = {"short": "in the short term", "long": "in the medium to long term"}


def mistakes(profile: Mapping[str, object]) -> list[str]:
    """What is wrong with a profile, each in a sentence."""
    allowed = {"risk": RISKS, "horizon": HORIZONS}
    wrong = [f"{key!r} is not part of a profile" for key in profile if key not in allowed]
    wrong += [
        f"{key} is {profile[key]!r}, not one of {', '.join(values)}"
        for key, values in allowed.items()
        if key in profile and profile[key] not in values
    ]
    return wrong


def personal(profile: Mapping[str, str] | None, short: str | None, long: str | None) -> str:
    """A sentence for the reader, from the two stances; for readers of every style where no profile is known.

    Empty where no stance is known.
    """
    stances = {"short": short, "long": long}
    if not (short or long):
        return ""
    if not profile:
        return _every_reader(short, long)
    horizon, risk = profile.get("horizon", "medium"), profile.get("risk", "medium")
    first = "short" if horizon == "short" else "long"
    if stances[first] is None:
        nothing = "no conclusion can be drawn for want of data"
        return f"For a reader with a {horizon} horizon, {WHEN[first]} {nothing}."
    said = SUGGESTED[stances[first] or "neutral", risk]
    return f"For a reader with {risk} risk tolerance and a {horizon} horizon, {WHEN[first]} {said}."


def _every_reader(short: str | None, long: str | None) -> str:
    if short is None or long is None:
        return "A cautious reader may wait until both horizons can be judged."
    if short == long:
        return "Both horizons agree, for cautious readers and for those who accept more risk."
    return (
        "The horizons differ: a cautious reader may wait until they agree, "
        "one who accepts more risk may follow the shorter."
    )
