"""Markup to text that reads: HTML with inline XBRL, and the hard-wrapped ASCII of the 1990s.

Blocks become lines, what is hidden is left out. A table of figures becomes one line a row, its cells divided
by " | ", with currency signs and brackets joined to their figures; a table that only lays text out reads as
text. `tables="drop"` leaves the figures out altogether.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

BLOCKS = "p, div, tr, li, table, h1, h2, h3, h4, h5, h6, br, hr, center, dt, dd, pre"
EMPTY_TITLE = re.compile(r"<(title|textarea|script|style)\b[^<>]*/>", re.IGNORECASE)
FIGURE = re.compile(r"[(\[]?[-–—]?[$€£¥]?\s?[(]?\d[\d,.]*\)?\s?[%x]?\)?|[-–—]+|\$|n/?[am]\.?", re.IGNORECASE)
BEFORE, AFTER = re.compile(r"[$€£¥(]+"), re.compile(r"[)%\]]+")
PAGES = re.compile(r"^\s*(?:<PAGE>.*|<[SC]>[<SC>\s]*|[-=_.\s]{4,}|-?\s?\d{1,3}\s?-?)\s*$", re.IGNORECASE)
ASCII_TABLE = re.compile(r"</?(TABLE|CAPTION)>", re.IGNORECASE)
INDENT = 3  # spaces that begin a paragraph


def readable(html: str, tables: str = "rows") -> str:
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
    for table in reversed(body.css("table")):  # the innermost first
        if not table.css("table table"):
            table.replace_with("\n" + "\n".join(_rows(table, tables)) + "\n")
    for node in body.css(BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    for node in body.css("td, th"):
        node.insert_after(" ")
    lines = (" ".join(line.split()) for line in body.text(separator="").split("\n"))
    return "\n".join(line for line in lines if line)


def unwrapped(text: str, alone: Callable[[str], bool], tables: str = "rows") -> str:
    """ASCII paragraphs as lines; `alone` tells the lines that are headings. Rules and page marks go."""
    lines: list[str] = []
    open_paragraph, in_table = False, False
    for line in text.expandtabs().split("\n"):
        if mark := ASCII_TABLE.search(line):
            in_table = mark.group(1).upper() == "CAPTION" or not mark.group(0).startswith("</")
            line = ASCII_TABLE.sub("", line)
            open_paragraph = False
        if not line.strip() or PAGES.match(line):
            open_paragraph = open_paragraph and bool(line.strip())
        elif in_table:
            lines += _columns(line) if tables == "rows" else []
        elif alone(line.strip()):
            lines.append(line.strip())
            open_paragraph = False
        elif open_paragraph and not line.startswith(" " * INDENT):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.strip())
            open_paragraph = True
    return "\n".join(lines)


def _rows(table: Any, tables: str) -> Iterator[str]:
    """The rows of one table as lines."""
    rows = [
        [" ".join(cell.text(separator=" ").split()) for cell in row.css("td, th")] for row in table.css("tr")
    ]
    joined = [cells for row in rows if (cells := _joined(row))]
    filled = [cell for row in joined for cell in row]
    figures = sum(bool(FIGURE.fullmatch(cell)) for cell in filled)
    if len(joined) > 1 and 3 * figures >= len(filled):
        yield from (" | ".join(row) for row in joined) if tables == "rows" else ()
    else:
        yield from (" ".join(row) for row in joined)


def _joined(row: list[str]) -> list[str]:
    """Cells that hold something; EDGAR sets "$", ")" and "%" in cells of their own."""
    cells: list[str] = []
    sign = ""
    for cell in row:
        if not cell:
            continue
        if BEFORE.fullmatch(cell):
            sign += cell
        elif cells and AFTER.fullmatch(cell):
            cells[-1] += cell
        else:
            cells.append(sign + cell)
            sign = ""
    return cells


def _columns(line: str) -> list[str]:
    """A line of an ASCII table: two spaces or more, or dots, divide its cells."""
    cells = re.split(r"\s*\.{3,}\s*|\s{2,}", line.strip())
    return [" | ".join(cells)] if (cells := _joined(cells)) else []
