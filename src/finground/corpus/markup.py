"""HTML, inline XBRL included, to text that reads: blocks become lines, cells are spaced, what is hidden is
left out.
"""

import re

BLOCKS = "p, div, tr, li, table, h1, h2, h3, h4, h5, h6, br, hr, center, dt, dd, pre"
EMPTY_TITLE = re.compile(r"<(title|textarea|script|style)\b[^<>]*/>", re.IGNORECASE)


def readable(html: str) -> str:
    """The visible text of a page; lines are stripped and none is empty."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(EMPTY_TITLE.sub("", html))  # XHTML's <title/> would swallow the page as HTML
    body = tree.body
    if body is None:
        return ""
    for node in body.css("script, style"):
        node.decompose()
    for node in body.css('ix\\:header, [style*="display:none"], [style*="display: none"]'):
        node.decompose()
    for node in body.css(BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    for node in body.css("td, th"):
        node.insert_after(" ")
    lines = (" ".join(line.split()) for line in body.text(separator="").split("\n"))
    return "\n".join(line for line in lines if line)
