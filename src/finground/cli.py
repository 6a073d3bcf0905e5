"""The door: `finground COMMAND`. Results go to stdout, progress and the log to stderr (floor 6).

Exit codes: 0 done, 1 a run failed, 2 the user's input is wrong (one sentence, no traceback). Commands import
rooms inside, so that `finground --help` starts in a blink.
"""

import argparse
import gc
import io
import logging
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from finground.commands import projects, questions
from finground.core.errors import FingroundError

SOURCES = ("catalog", "edgar", "prices", "quotes", "snapshots", "news", "flows", "figures")
Command = Callable[..., argparse.ArgumentParser]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    gc.set_threshold(50_000)  # imports make many objects and no garbage: 60 ms of each start
    _quiet()
    words = [_readable(word) for word in (sys.argv[1:] if arguments is None else arguments)]
    try:
        options = _parser().parse_args(words)
        options.does(options)
    except FingroundError as error:
        print(f"finground: {error}", file=sys.stderr)
        for candidate in getattr(error, "candidates", ())[:5]:
            print(f"  did you mean: {candidate}", file=sys.stderr)
        sys.exit(error.exit_code)
    except (IsADirectoryError, NotADirectoryError, FileExistsError, PermissionError) as error:
        print(f"finground: {error.filename}: {error.strerror}; give another place", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("finground: stopped; what was finished is kept, the same command goes on", file=sys.stderr)
        sys.exit(1)


def _readable(word: str) -> str:
    """A word of the command line with bytes that are no UTF-8 replaced."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _quiet() -> None:
    """No telemetry from anything we call, nothing fetched from a hub, and our own log on stderr."""
    from finground.core.log import to_stderr

    for name, value in {
        "DO_NOT_TRACK": "1",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "true",
        "DVC_NO_ANALYTICS": "1",
    }.items():
        os.environ.setdefault(name, value)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a terminal that cannot show a sign still gets the rest
    warnings.filterwarnings("ignore", category=FutureWarning)  # of one library about another
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # kernels that it would fetch from a hub
    to_stderr(logging.INFO)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="finground", description="Knowledge-grounded financial language models: build, evaluate, ask."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    command = partial(_command, commands)
    _project_commands(command)
    _question_commands(command)
    _other_commands(command)
    return parser


def _command(commands: Any, does: Any, help: str, *, root: bool = True) -> argparse.ArgumentParser:
    """A parser of one command among `commands`, named and described as the function that does it."""
    made: argparse.ArgumentParser = commands.add_parser(does.__name__, help=help, description=does.__doc__)
    made.set_defaults(does=does)
    if root:
        made.add_argument(
            "--root", type=Path, default=Path(), metavar="DIR", help="project root (default: here)"
        )
    return made


def _project_commands(command: Command) -> None:
    made = command(projects.init, "a fresh project root", root=False)
    made.add_argument("dir", type=Path)
    made.add_argument("--profile", choices=["demo", "small", "paper"], default="demo")
    made.add_argument("--raw", type=Path, help="folder of raw files")
    made.add_argument("--full", action="store_true", help="larger counts (days, not minutes)")
    made.add_argument("--refresh", action="store_true", help="rewrite dvc.yaml of a root that is there")

    made = command(projects.demo, "everything once, on invented companies", root=False)
    made.add_argument("dir", type=Path, nargs="?", default=Path("runs/demo"))

    made = command(projects.run, "run stages: what DVC calls")
    made.add_argument("stages", nargs="+", metavar="STAGE", help="names, cells (agent@plain), or `all`")
    made.add_argument("--version", type=int, help=argparse.SUPPRESS)
    made.add_argument("--json", action="store_true")

    made = command(projects.plan, "what would rerun, and why")
    made.add_argument("--json", action="store_true")


def _question_commands(command: Command) -> None:
    made = command(questions.request, "a question as a structured request")
    made.add_argument("question")
    made.add_argument("--form", choices=["sdr", "required", "compact"], default="sdr")
    _asking(made)

    made = command(questions.lookup, "a written request, served from the store")
    made.add_argument("request")
    made.add_argument("--form", choices=["sdr", "required", "compact"], default="sdr")
    made.add_argument("--as-of", metavar="T")
    made.add_argument("--json", action="store_true")

    made = command(questions.ask, "a question answered")
    made.add_argument("question")
    made.add_argument("--writer", choices=["template", "tuned", "openai"], default="template")
    made.add_argument("--planner", choices=["rules", "model"], default="rules")
    made.add_argument("--profile", type=Path, metavar="FILE", help="investor's risk and horizon (JSON)")
    made.add_argument("--after", type=Path, metavar="ANSWER.json", help="a follow-up to a kept answer")
    made.add_argument("--html", type=Path, metavar="FILE", help="also write a page")
    _asking(made)

    made = command(questions.score, "AnalyScore of a kept answer")
    made.add_argument("answer", type=Path, metavar="ANSWER.json")
    made.add_argument(
        "--judge",
        choices=["openai", "local"],
        help="a model for what rules cannot decide, if it agrees with itself",
    )
    made.add_argument("--json", action="store_true")


def _other_commands(command: Command) -> None:
    command(projects.ingest, "raw files into the live store")
    made = command(projects.store, "what the live store holds; its schema; its news search")
    made.add_argument("what", choices=["status", "migrate", "tune"], nargs="?", default="status")
    made.add_argument("--pairs", type=Path, metavar="FILE", help="(question, article) pairs to tune on")

    made = command(projects.fetch, "raw files or a base from the network")
    made.add_argument("source", choices=["base", *SOURCES])
    made.add_argument("names", nargs="*", help="tickers, or addresses of feeds; none: what the last one left")
    made.add_argument("--allow-missing", action="store_true", help="end with 0 though some were not had")

    made = command(projects.stocksis, "moments for annotators, and their labels checked")
    made.add_argument("what", choices=["export", "check"])
    made.add_argument("file", type=Path, metavar="FILE.csv")
    made.add_argument("--count", type=int, default=20, help="moments of each part to export (default: 20)")

    made = command(projects.table, "the papers' tables, ours beside theirs")
    made.add_argument("--copy", type=Path, metavar="FILE")
    made = command(projects.schema, "JSON Schema of every record", root=False)
    made.add_argument("record", nargs="?")
    made = command(questions.serve, "HTTP on loopback")
    made.add_argument("--port", type=int, choices=range(1, 65536), metavar="1…65535", default=8321)


def _asking(made: argparse.ArgumentParser) -> None:
    made.add_argument("--as-of", metavar="T", help="a date (its end, UTC) or an instant; default: now")
    made.add_argument("--agent", choices=["rules", "tuned", "hybrid"], default="rules")
    made.add_argument("--json", action="store_true")


if __name__ == "__main__":
    main()
