"""What the style asks of every module, where it can be read off the code."""

import ast
import re
from pathlib import Path

import pytest
from source import PACKAGE, modules, name_of, nodes

DECLARATIONS = (
    ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.FunctionDef,
    ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip
RUNS_AT_IMPORT = {"with _hidden('transformers'):"}  # importing evaluate would load torch: 5 s for nothing
LONG = {"stages.py"}  # the walk and its table
TODO = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
BANNED_NAMES = {"utils", "helpers", "common", "manager", "misc", "process"}


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_module_opens_with_a_paragraph_and_does_nothing_when_imported(name: str):
    tree = modules()[name]
    assert not tree.body or ast.get_docstring(tree), "no paragraph at its head"
    running = [
        ast.unparse(statement).splitlines()[0]
        for statement in tree.body[1:]
        if not isinstance(statement, DECLARATIONS) and not _only_declares(statement)
    ]
    assert [line for line in running if line not in RUNS_AT_IMPORT] == []


def test_modules_and_functions_keep_to_their_sizes():
    long = [
        f"{name}: {lines} lines" for name in modules() if (lines := _lines(name)) > 350 and name not in LONG
    ]
    for place, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > 60:
            long.append(f"{place} {node.name}: {lines} lines")
    assert long == []


def test_no_module_has_a_name_that_says_nothing():
    assert [name for name in modules() if Path(name).stem in BANNED_NAMES] == []


def test_nothing_is_left_to_do_later():
    assert [str(p) for p in sorted(PACKAGE.rglob("*.py")) if TODO.search(p.read_text())] == []


def test_every_public_function_and_class_of_a_module_has_a_docstring():
    bare = []
    for name, tree in modules().items():
        for node in tree.body:
            named = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
            if named and not ast.get_docstring(node):
                bare.append(f"{name}:{node.lineno} {node.name}")
    assert bare == []


def test_only_the_door_prints():
    calls = [
        place
        for place, node in nodes(ast.Call)
        if isinstance(node, ast.Call) and name_of(node.func) == "print"
    ]
    assert [place for place in calls if not place.startswith(("cli.py", "commands/"))] == []


def test_no_type_error_or_lint_is_waved_through_without_a_code_and_a_reason():
    waved = re.compile(r"#\s*(type: ignore|noqa)(.*)$", re.MULTILINE)
    with_code_and_reason = re.compile(r"^(\[[\w-]+\]|: ?[A-Z]+\d+)\s*(#|-|—)?\s*\S+")
    bare = [
        f"{path.relative_to(PACKAGE)}: {match.group(0)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for match in waved.finditer(path.read_text())
        if not with_code_and_reason.match(match.group(2))
    ]
    assert bare == []


def _lines(name: str) -> int:
    return len((PACKAGE / name).read_text().splitlines())


def _only_declares(statement: ast.stmt) -> bool:
    """`if TYPE_CHECKING`, `if __name__ == "__main__"`, and SQLAlchemy's way of declaring an index."""
    if isinstance(statement, ast.If):
        return ast.unparse(statement.test) in ("TYPE_CHECKING", "__name__ == '__main__'")
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and name_of(call.func) == "Index"
