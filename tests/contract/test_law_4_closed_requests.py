"""Law 4: no SQL is made of text. Values go in as parameters; the statements themselves are ours."""

import ast
import re

from source import name_of, nodes

SQL = re.compile(r"\b(select|insert|update|delete|create|drop|alter|pragma|attach)\b\s", re.IGNORECASE)
RUNS_SQL = ("text", "exec_driver_sql", "execute", "executemany", "executescript")


def test_no_statement_is_put_together_from_text():
    made = []
    for place, node in nodes(ast.Call):
        assert isinstance(node, ast.Call)
        if name_of(node.func).rpartition(".")[2] not in RUNS_SQL or not node.args:
            continue
        first = node.args[0]
        if isinstance(first, (ast.JoinedStr, ast.BinOp)) and SQL.search(ast.unparse(first)):
            made.append(f"{place}: {ast.unparse(first)}")
    assert made == []


def test_no_code_is_made_of_text():
    banned = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}
    calls = [
        f"{place} {name_of(node.func)}"
        for place, node in nodes(ast.Call)
        if isinstance(node, ast.Call) and name_of(node.func) in banned
    ]
    shells = [
        place for place, node in nodes(ast.keyword) if isinstance(node, ast.keyword) and node.arg == "shell"
    ]
    assert calls + shells == []
