"""Law 10: nothing is fetched but by `fetch`; no pickle; no code of strangers; no secrets in the source."""

import ast
import os
import re
import subprocess
import sys

import pytest
from source import PACKAGE, imported, name_of, nodes

NETWORK = {
    "urllib.request",
    "http.client",
    "requests",
    "httpx",
    "aiohttp",
    "edgar",
    "yfinance",
    "feedparser",
    "socket",
    "ftplib",
}
FETCHERS = ("store/fetch.py",)
ENDPOINT = ("report/llm.py",)  # the endpoint that params.yaml names
SECRET = re.compile(
    r"(sk-[A-Za-z0-9]{16,}|hf_[A-Za-z0-9]{16,}|AKIA[A-Z0-9]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY)"
)


def imports(banned: set[str]) -> list[str]:
    return [
        f"{place} {name}"
        for place, node in nodes(ast.Import, ast.ImportFrom)
        for name in imported(node)
        if name in banned or name.partition(".")[0] in banned
    ]


def test_only_fetch_knows_the_network():
    assert [place for place in imports(NETWORK) if not place.startswith(FETCHERS)] == []


def test_only_the_endpoint_writer_knows_the_client_of_endpoints():
    assert [place for place in imports({"openai"}) if not place.startswith(ENDPOINT)] == []


def test_nothing_is_pickled():
    assert imports({"pickle", "dill", "joblib", "cloudpickle", "shelve", "marshal"}) == []
    loads = [
        ast.unparse(node)
        for _, node in nodes(ast.Call)
        if isinstance(node, ast.Call)
        and name_of(node.func) in ("torch.load", "torch.save", "np.load", "numpy.load")
    ]
    assert [
        load for load in loads if "weights_only=True" not in load and "allow_pickle=False" not in load
    ] == []


def test_no_code_of_strangers_is_trusted():
    trusted = [
        place
        for place, node in nodes(ast.keyword)
        if isinstance(node, ast.keyword)
        and node.arg == "trust_remote_code"
        and ast.unparse(node.value) != "False"
    ]
    assert trusted == []


def test_there_is_no_secret_and_no_path_of_one_machine_in_the_source():
    home = re.compile(r"(/home/|/Users/|/root/|/work/|/tmp/)")
    found = [
        f"{path.name}: {match.group(0)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for match in [*SECRET.finditer(path.read_text()), *home.finditer(path.read_text())]
    ]
    assert found == []


@pytest.mark.parametrize(
    "switch", ["DO_NOT_TRACK", "MLFLOW_DISABLE_TELEMETRY", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"]
)
def test_the_door_turns_telemetry_off_for_whatever_it_calls(switch: str):
    code = f"import os, sys; from finground.cli import _quiet; _quiet(); print(os.environ[{switch!r}])"
    environment = {key: value for key, value in os.environ.items() if key != switch} | {
        "PYTHONPATH": str(PACKAGE.parent)
    }
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip().lower() in ("1", "true")
