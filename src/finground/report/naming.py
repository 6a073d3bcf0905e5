"""Names as a reader wants them: registrants in capitals are written like other names."""

import re

LEGAL = {
    "CORP": "Corp", "INC": "Inc", "CO": "Co", "LTD": "Ltd", "PLC": "plc", "COM": "Com", "LP": "LP",
    "LLC": "LLC",
}  # fmt: skip
SPELLED = {
    "JPMORGAN": "JPMorgan",
    "UNITEDHEALTH": "UnitedHealth",
    "MCDONALDS": "McDonald's",
    "PEPSICO": "PepsiCo",
}
SMALL = frozenset(("OF", "AND", "THE", "FOR", "IN", "DE"))
VOWELS = frozenset("AEIOUY")
STATE = re.compile(r"\s*/(?:[A-Z]{2}/?)?$")  # SEC's mark of the state: "DANAHER CORP /DE/"
LONG = 5  # letters from which a word in capitals is no abbreviation


def shown(name: str) -> str:
    """ "MICROSOFT CORP /WA/" as "Microsoft Corp"; "PPL Corp" and "AT&T Inc." stay as they are."""
    bare = STATE.sub("", name)
    own = [word for word in bare.split() if word.strip(".,()").upper() not in LEGAL]
    if any(word != word.upper() for word in own):
        return " ".join(_legal(word) for word in bare.split())
    if not any(len(word) >= LONG for word in own):
        return bare
    return " ".join(_word(word, at) for at, word in enumerate(bare.split()))


def _legal(word: str) -> str:
    """A legal form in capitals beside words that are not."""
    bare = word.strip(".,()")
    return word.replace(bare, LEGAL[bare]) if bare in LEGAL else word


def _word(word: str, at: int) -> str:
    bare = word.strip(".,()").upper()
    if bare in LEGAL and at:
        return word.upper().replace(bare, LEGAL[bare])
    if bare in SPELLED:
        return SPELLED[bare]
    if bare in SMALL and at:
        return word.lower()
    if not VOWELS & set(bare) or re.search(r"[^A-Z'-]", bare):
        return word
    return "-".join(part.capitalize() for part in word.split("-"))
