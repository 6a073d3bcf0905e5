"""Law 2: missing is not zero is not failure."""

import ast
import dataclasses
import re

from source import nodes

from finground.records.bundle import Fact, Gap


def test_no_except_is_broad():
    broad = []
    for place, node in nodes(ast.ExceptHandler):
        assert isinstance(node, ast.ExceptHandler)
        caught = ast.unparse(node.type) if node.type else "everything"
        cleans_up = ast.unparse(node.body[-1]) == "raise"
        if caught in ("everything", "Exception", "BaseException") and not cleans_up:
            broad.append(f"{place} catches {caught}")
    assert broad == []


def test_no_failure_becomes_a_number_or_an_empty_text():
    stood_in = []
    for place, node in nodes(ast.ExceptHandler):
        assert isinstance(node, ast.ExceptHandler)
        stood_in += [f"{place}: {ast.unparse(line)}" for line in node.body if _stands_in(line)]
    assert stood_in == []


def test_assert_controls_nothing():
    """`python -O` drops assertions; what remains tells the type checker what cannot be otherwise."""
    narrowing = re.compile(r"isinstance\(|is not None")
    asserts = [(place, ast.unparse(node)) for place, node in nodes(ast.Assert)]
    assert [found for found in asserts if not narrowing.search(found[1])] == []


def test_a_gap_holds_no_value_of_its_own():
    assert [field.name for field in dataclasses.fields(Gap)] == ["entity", "what", "why", "nearest", "tool"]


def test_a_fact_is_not_made_without_its_value_unit_and_moment():
    required = {field.name for field in dataclasses.fields(Fact) if field.default is dataclasses.MISSING}
    assert {"value", "unit", "currency", "period_end", "filed_at", "recorded_at", "source"} <= required


def _stands_in(statement: ast.stmt) -> bool:
    """`return 0`, `value = 0.0`, `return ""` in a handler."""
    value = getattr(statement, "value", None)
    is_default = (
        isinstance(value, ast.Constant) and value.value in ("", 0) and not isinstance(value.value, bool)
    )
    return isinstance(statement, (ast.Return, ast.Assign)) and is_default
