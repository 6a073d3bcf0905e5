"""The ablation's cells, one after another, then the tables: `python flows/ablate.py [--root DIR]`."""

from typing import Any

from prefect import flow

from build import make_all
from workspace import if_free, main


@flow(name="ablate", description=__doc__)
def ablate(root: str = ".") -> Any:
    """Every cell of fraction × seed; those that are up to date cost nothing."""
    return if_free(root, "build", lambda: make_all(root, "ablate", "table"))


if __name__ == "__main__":
    main(ablate)
