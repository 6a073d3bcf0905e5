"""The benchmark on what was last built, then the tables: `python flows/benchmark.py [--root DIR]`."""

from typing import Any

from prefect import flow

from build import make_all
from workspace import if_free, main


@flow(name="benchmark", description=__doc__)
def benchmark(root: str = ".") -> Any:
    """Agents and writers on every test part."""
    return if_free(root, "build", lambda: make_all(root, "bench", "table"))


if __name__ == "__main__":
    main(benchmark)
