"""The notebook reads and draws; it is executed here on invented results, and stored without outputs."""

import ast
from pathlib import Path

import nbclient
import nbformat
import pytest

from finground.core.artifact import write_rows
from finground.core.paths import Root
from finground.records.score import ScoreRow


@pytest.fixture
def notebook(repository: Path) -> nbformat.NotebookNode:
    return nbformat.read(repository / "notebooks" / "results.ipynb", as_version=4)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    place = Root(tmp_path)
    requests = [
        ScoreRow(system, "request", 1, part, "exact_match", value, 0.1, 12, 1, 0, 7, "abc")
        for system, value in (("rules", 0.9), ("agent-plain", 0.4))
        for part in ("test-seen", "test-new-company")
    ]
    write_rows(place.scores, requests)
    for fraction, seed, value in ((0.5, 1, 2.2), (0.5, 2, 2.1), (1.0, 1, 1.8), (1.0, 2, 1.9)):
        row = ScoreRow(
            f"writer@{fraction}", "report", 1, "test-company", "loss", value, 0.1, 4, 0, 0, seed, "abc"
        )
        write_rows(place.ablation(f"{fraction}-{seed}"), [row])
    place.table.write_text("# Results\n")
    return place


def test_the_notebook_draws_two_plots_of_a_root(
    notebook: nbformat.NotebookNode, root: Root, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FINGROUND_ROOT", str(root.folder))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("MPLCONFIGDIR", str(root.folder / "matplotlib"))
    monkeypatch.setenv("IPYTHONDIR", str(root.folder / "ipython"))
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert sum("image/png" in data for data in shown) == 2
    assert any(data.get("text/markdown") == "# Results\n" for data in shown)


def test_the_notebook_is_stored_without_outputs_and_defines_nothing(notebook: nbformat.NotebookNode):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    defined = (ast.FunctionDef, ast.ClassDef, ast.Lambda)
    assert not any(isinstance(node, defined) for cell in code for node in ast.walk(ast.parse(cell.source)))


def test_the_notebook_reads_the_demo_unless_told_otherwise(notebook: nbformat.NotebookNode):
    assert '"runs/demo"' in notebook.cells[1].source
