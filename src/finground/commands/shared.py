"""What commands share: the clock, the root's settings and store, the commit of this code (floor 6).

Only here and in the service is the clock read.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from finground.core.paths import Root

if TYPE_CHECKING:
    from finground.settings import Settings


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def as_of(text: str | None) -> datetime:
    """The moment a user named: a bare date is its end; nothing named is now."""
    from finground.catalog.dates import as_of_of

    return now() if text is None else as_of_of(text)


def settings(root: Root) -> "Settings":
    """The settings of a root."""
    from finground.settings import load

    return load(root.params)


def live(root: Root, chosen: "Settings") -> Path | str:
    """The live store of a root: a path, or the URL in its params.

    Raises:
        InputError: if nothing was ingested.
    """
    from finground.roles import there

    return chosen.store.url or there(root.live, f"finground run ingest --root {root.folder}")


def frozen(root: Root) -> Path:
    """The snapshot of a root.

    Raises:
        InputError: if there is none.
    """
    from finground.roles import there

    return there(root.frozen, f"finground run snapshot --root {root.folder}")


def commit() -> str:
    """The commit of this code, `-dirty` if it was changed since; the version where there is no checkout."""
    import shutil
    import subprocess

    from finground import __version__

    here = Path(__file__).parent
    if shutil.which("git") is None:
        return f"v{__version__}"
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() if told.returncode == 0 else f"v{__version__}"
