"""What a fetch asked for and did not get, kept beside the raw files: the next fetch goes on from it.

`missing/SOURCE.json` holds the names asked and, of those not there yet, the reason. It is written before the
first request and after each answer, so a fetch that is killed leaves what is still to be done.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from finground.core.artifact import read_json, write_json

NOT_TRIED = "not tried yet"
FOLDER = "missing"


@dataclass(slots=True)
class Missing:
    """One source's names still to be fetched, with why."""

    path: Path
    asked: tuple[str, ...]
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, raw: Path, source: str, asked: Sequence[str]) -> "Missing":
        """What is to be done for the names asked: of an unfinished fetch of the same names, the rest; without
        names, the rest of the last one.
        """
        path = raw / FOLDER / f"{source}.json"
        held = read_json(path) if path.is_file() else {"asked": [], "missing": {}}
        if held["missing"] and (not asked or sorted(held["asked"]) == sorted(asked)):
            return cls(path, tuple(held["asked"]), dict(held["missing"]))
        return cls(path, tuple(asked), dict.fromkeys(asked, NOT_TRIED))

    def save(self) -> None:
        """Write the list, whole."""
        write_json(self.path, {"asked": list(self.asked), "missing": self.names})

    def done(self, name: str) -> None:
        """One name is there."""
        del self.names[name]
        self.save()


def missing(raw: Path) -> dict[str, dict[str, str]]:
    """By source, the names that are not there, with the reason."""
    found = {path.stem: dict(read_json(path)["missing"]) for path in sorted((raw / FOLDER).glob("*.json"))}
    return {source: names for source, names in found.items() if names}
