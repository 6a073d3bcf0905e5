"""How long a command takes from nothing, as a whole process: `python benchmarks/cold_start.py [ROOT]`.

Prints the median, least and greatest of RUNS runs after one warm-up of each command, and beside them a bare
`python -c pass`, since these seconds hold the interpreter's start too.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 9


def main(root: Path) -> None:
    finground = str(Path(sys.executable).parent / "finground")
    company = first_company(root)
    day = "2025-06-30"
    asked = ["--as-of", day, "--root", str(root)]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "finground --help": [finground, "--help"],
        "ask, data answer": [
            finground,
            "ask",
            f"What was the net income of {company} in the last quarter?",
            *asked,
        ],
        "ask, analysis": [finground, "ask", f"Please analyze {company}", *asked],
    }
    for name, command in commands.items():
        once(command)
        seconds = sorted(once(command) for _ in range(RUNS))
        span = f"{seconds[0]:.3f} … {seconds[-1]:.3f}"
        print(f"{name:20} median {statistics.median(seconds):.3f} s   {span}   n={RUNS}")


def once(command: list[str]) -> float:
    """Seconds of one run; a command that fails is no measurement."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def first_company(root: Path) -> str:
    tickers = json.loads(next((root / "data" / "raw" / "sec").glob("company_tickers.json")).read_text())
    return str(tickers["0"]["title"])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("runs/demo"))
