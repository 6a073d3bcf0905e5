"""Law 1: every read of a store takes `as_of`, and only the door and the service read the clock."""

import ast

from source import name_of, nodes

CLOCKS = {
    "datetime.now",
    "datetime.utcnow",
    "date.today",
    "datetime.today",
    "time.time",
    "Timestamp.now",
    "time.localtime",
}
DOORS = ("cli.py", "commands/shared.py", "service/")
# a name asked without a date is today's; of a frozen store everything is known
TIMELESS = ("catalog/companies.py", "store/reader.py")
STAMPS = ("core/tracking.py",)  # MLflow wants the moment of a metric; it is never an as_of


def test_the_clock_is_read_at_the_door_only():
    reads = [
        f"{place} {name_of(node.func)}"
        for place, node in nodes(ast.Call)
        if isinstance(node, ast.Call) and any(name_of(node.func).endswith(clock) for clock in CLOCKS)
    ]
    assert [read for read in reads if not read.startswith((*DOORS, *STAMPS))] == []


def test_no_function_falls_back_on_a_moment_of_its_own():
    """A parameter `as_of` or `now` has no default anywhere."""
    fallbacks = []
    for place, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        plain = node.args.posonlyargs + node.args.args
        defaulted = plain[len(plain) - len(node.args.defaults) :]
        defaulted += [
            a for a, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if default
        ]
        fallbacks += [f"{place} {node.name}({a.arg})" for a in defaulted if a.arg in ("as_of", "now")]
    assert [f for f in fallbacks if f.partition(":")[0] not in TIMELESS] == []
