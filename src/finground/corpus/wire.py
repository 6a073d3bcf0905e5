"""What wire services put around a story, taken off, and what their slugs say of it, kept.

Off goes: the dateline with the agency ("PARIS, March 9 (Reuters) -"), notes to editors ("(Adds details)",
"* Shares up 3 pct"), bylines and contacts at the end, copyright lines, keywords. A title's slug ("UPDATE 2-",
"CORRECTED-", or a filing's "10-K/A") says that the document is a later version of another.
"""

import re
from enum import IntEnum

AGENCY = (
    r"(?:Reuters|RTRS|dpa(?:-AFX)?|AFX?|AFP|AP"
    r"|Bloomberg|Dow Jones|PR ?Newswire|Business ?Wire|GLOBE ?NEWSWIRE|Marketwired)"
)
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
DATELINE = re.compile(
    rf"\A(?:[A-Z][\w.'/ -]{{1,40}},?\s+){{0,3}}(?:{MONTH}\s+\d{{1,2}},?\s*(?:\d{{4}})?\s*)?"
    rf"[(/\[]+\s*{AGENCY}\b[^)\n\]/]{{0,20}}[)/\]]+\s*[-–—:]+\s*",
)
OPENING = re.compile(
    r"\A(?:\s*(?:\((?:Adds|Updates|Corrects|Recasts|Refiles|Repeats|Writes|Releads|Rewrites|Changes|Removes|"
    r"Fixes)\b[^)]{0,300}\)|\*[^\n]{1,200}|By [A-Z][\w.'-]+(?: [A-Z][\w.'-]+){1,3}(?: and [A-Z][\w.' -]+)?"
    r"|RTRS-[^\n]{0,200}|Keywords?:[^\n]*)[^\S\n]*(?:\n|\Z))+\s*",
)
CLOSING = re.compile(
    r"(?:\n\s*<[\w.^/-]{1,30}>|\s+(?:"
    r"\((?:(?:Additional )?[Rr]eporting|[Ee]diting|[Ww]riting|[Cc]ompiled)\b[^)]{0,300}\)"
    r"|\(\([^)\n]{0,200}\)\)|(?:\(c\)|©|Copyright)[^\n]{0,200}|Keywords?:[^\n]*"
    r"|For (?:more|further) information[^\n]{0,200}"
    r"|Click (?:on|here)[^\n]{0,200}|SOURCE [^\n]{1,100}|-0-|END|REUTERS?))\s*\Z",
)
SLUG = re.compile(
    r"\A\s*(?:(?P<correction>(?:CORRECT(?:ED|ION|ING)|REFILE(?:D)?|(?:OFFICIAL )?CORRECTION)"
    r"(?:[- ]\(OFFICIAL\))?)"
    r"|(?P<update>UPDATE(?: \d+)?|REPEAT|RPT|WRAPUP(?: \d+)?|TEXT|REFLAG))\s*[-:–—]+\s*",
)
AMENDED = re.compile(r"\b(?:10-K|10-Q|8-K|20-F)/A\b")
CLOSE = 500  # last characters, in which a wire's words stand


class Version(IntEnum):
    """What a title says of its document."""

    ORIGINAL, UPDATE, CORRECTION = range(3)


def bare_title(title: str) -> tuple[str, Version]:
    """The title without its slugs, and whether it names a later version."""
    version = Version.CORRECTION if AMENDED.search(title) else Version.ORIGINAL
    while found := SLUG.match(title):
        if found.end() == 0 or not title[found.end() :].strip():
            break
        version = max(version, Version.CORRECTION if found.group("correction") else Version.UPDATE)
        title = title[found.end() :]
    return title, version


def story(text: str) -> str:
    """The text without what the wire put before and behind it."""
    while found := OPENING.match(text) or DATELINE.match(text):
        text = text[found.end() :]
    while found := CLOSING.search(text, max(0, len(text) - CLOSE)):
        text = text[: found.start()]
    return text


def headed(title: str, text: str) -> tuple[str, str]:
    """Title and text of a story; of one without a body the headline is the text (case C3)."""
    return (title, text) if text.strip() else ("", title)
