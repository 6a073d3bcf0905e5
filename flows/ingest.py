"""What is new into the live store: `python flows/ingest.py [--root DIR] [--sources quotes,news]`.

prefect.yaml runs it at the paper's pace: prices and news every 30 minutes, fundamentals daily. Names come
from the section `store` of params.yaml. The live store is not DVC's, so a build and questions may go on
meanwhile; of two rounds at once the second is skipped and says so.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_table_artifact

from finground.core.paths import Root
from finground.settings import load
from finground.store.place import open_store
from workspace import CommandFailed, call, if_free, leave_counts, main

NAMED_AS = {"quotes": "prices", "snapshots": "prices"}  # these are of the same tickers


@task(retries=2, retry_delay_seconds=30)
def fetch(root: str, source: str, names: tuple[str, ...]) -> None:
    """Fetch a source; names that were not had are listed and tried again the next time."""
    call(root, "finground.cli", "fetch", source, *names, "--allow-missing", "--root", ".")


@task(retries=2, retry_delay_seconds=30)
def read_new(root: str) -> None:
    """Read what is new, and leave the store's counts."""
    call(root, "finground.cli", "ingest", "--root", ".")
    leave_counts(root, "ingest")


@task
def leave_lag(root: str) -> None:
    """How far each kind of data lags behind this moment, as a table."""
    here = Root(Path(root))
    settings = load(here.params)
    with open_store(settings.store.url or here.live, settings) as store:
        status = store.status(datetime.now(UTC))
    lag = status["lag_days"]
    rows = [
        {"data": key, "latest": time, "lag in days": lag.get(key)} for key, time in status["latest"].items()
    ]
    for row in rows:
        get_run_logger().info("%s", row)
    create_table_artifact(rows, key="lag", description=f"lag of the store in {root}")


@flow(name="ingest", description=__doc__)
def ingest(root: str = ".", sources: str = "") -> Any:
    """One round: the sources named are fetched, then whatever is new is read."""
    return if_free(root, "ingest", lambda: round_of(root, [one for one in sources.split(",") if one]))


def round_of(root: str, sources: list[str]) -> None:
    """Fetch and read; a source that cannot be had keeps no other out, and fails the round at its end."""
    chosen, failed = load(Root(Path(root)).params).store, list[str]()
    for source in sources:
        names = getattr(chosen, NAMED_AS.get(source, source))
        try:
            if names:
                fetch(root, source, names)
        except CommandFailed as error:
            failed.append(str(error))
    read_new(root)
    leave_lag(root)
    if failed:
        raise CommandFailed("; ".join(failed))


if __name__ == "__main__":
    main(ingest)
