"""A project root whose stages are tiny commands, so that DVC and Prefect are real and nothing else is."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
MADE = """
import sys, json, pathlib
name, *outs = sys.argv[1:]
if pathlib.Path("broken").exists() and pathlib.Path("broken").read_text() == name:
    sys.exit(f"{name}: no such file as you would need")
with open("journal", "a") as journal:
    journal.write(name + "\\n")
for out in outs:
    path = pathlib.Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix:
        path.write_text(json.dumps({"stage": 1.0, "rows": len(name)}))
    else:
        path.mkdir(exist_ok=True)
        (path / "made").write_text(name)
"""


@pytest.fixture
def flows(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of flows, importable."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "flows"))
    return REPOSITORY / "flows"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A git and DVC repository with the demo's stages, one cell each, and commands that only write a word."""
    from finground.graph import dvc_yaml
    from finground.settings import check

    params = yaml.safe_load((REPOSITORY / "params.yaml").read_text())
    params["agent"]["bases"], params["ablate"] = ["plain"], {"fractions": [0.5], "seeds": [1], "reports": 1}
    params["learning"] = {"fractions": [0.5]}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    (tmp_path / "made.py").write_text(MADE)
    (tmp_path / ".gitignore").write_text("/data/\n/models/\n/results/\n/.prefect/\n")
    graph = yaml.safe_load(dvc_yaml(check(params, where="test")))
    for name, stage in graph["stages"].items():
        outs = [out if isinstance(out, str) else next(iter(out)) for out in stage["outs"] + stage["metrics"]]
        stage["cmd"] = f"{sys.executable} made.py {name} {' '.join(outs)}"
        stage["deps"] = [dep for dep in stage.get("deps", []) if not dep.endswith("agent-domain")]
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump(graph, sort_keys=False))
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run([sys.executable, "-m", "dvc", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path
