"""The six tools by name: what each needs to read, and what they find. They read nothing themselves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from finground.quant import capital_flow, catalysts, financial, fundamental, technical, volume_price
from finground.quant.subject import Board, Notes, Subject
from finground.records.bundle import Bundle, Finding, Gap, Needs


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool wants to read, and the tool."""

    needs: Needs
    run: Callable[[Subject], Notes]


_BY_NAME = {
    volume_price.TOOL: Tool(volume_price.NEEDS, volume_price.volume_price),
    technical.TOOL: Tool(technical.NEEDS, technical.technical),
    capital_flow.TOOL: Tool(capital_flow.NEEDS, capital_flow.capital_flow),
    financial.TOOL: Tool(financial.NEEDS, financial.financial),
    fundamental.TOOL: Tool(fundamental.NEEDS, fundamental.fundamental),
    catalysts.TOOL: Tool(catalysts.NEEDS, catalysts.catalysts),
}
TOOLS = tuple(_BY_NAME)


def needs(tool: str, entity_id: str) -> Needs:  # noqa: ARG001 - every company is read alike today
    """What the tool wants to read for that company."""
    return _BY_NAME[tool].needs


def run(
    tools: Iterable[str],
    entity_id: str,
    bundle: Bundle | Board,
    names: Mapping[str, str],
    tickers: Mapping[str, Sequence[str]] | None = None,
) -> tuple[tuple[Finding, ...], tuple[Gap, ...]]:
    """Findings and gaps of the tools about one company, in the order of the tools.

    `names` and `tickers`, all it ever had, are by id; without tickers news is told apart by name. Whoever
    asks about many companies of one bundle hands in its `Board`, and each is worked out once.
    """
    board = bundle if isinstance(bundle, Board) else Board(bundle)
    subject = Subject(entity_id, board, names, tickers)
    notes = [_BY_NAME[tool].run(subject) for tool in tools]
    return tuple(row for note in notes for row in note.findings), tuple(
        row for note in notes for row in note.gaps
    )
