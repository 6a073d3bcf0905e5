"""New raw files into the live store: `python flows/ingest.py [--root DIR]`; every 30 minutes by prefect.yaml.

The live store is not DVC's, so a build may go on meanwhile; two ingests may not.
"""

from typing import Any

from prefect import flow, task

from workspace import call, if_free, leave_counts, main


@task(retries=2, retry_delay_seconds=30)
def read_new(root: str) -> None:
    """Read what is new, and leave the store's counts."""
    call(root, "finground.cli", "ingest", "--root", ".")
    leave_counts(root, "ingest")


@flow(name="ingest", description=__doc__)
def ingest(root: str = ".") -> Any:
    """One round of reading."""
    return if_free(root, "ingest", lambda: read_new(root))


if __name__ == "__main__":
    main(ingest)
