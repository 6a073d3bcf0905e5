"""Steps are done once, damage is mended alone, no number of workers changes a byte (C2, O1, O7)."""

import logging
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from made_corpus import RULES_OF_RESUME as RULES
from made_corpus import article, put

from finground.core.artifact import digest
from finground.core.errors import FingroundError
from finground.corpus.build import build
from finground.corpus.work import Workplace, local

VOCABULARY = ["the"] * 10 + [
    f"{start}{end}" for start in ("oil", "gold", "cash", "bank", "rate") for end in "abcdefghijklmnopqrst"
]
COMMAND = """
import sys
from pathlib import Path
from made_corpus import RULES_OF_RESUME as rules, words
from finground.corpus.build import build
from finground.corpus.work import Workplace, local
if __name__ == "__main__":
    folder, workers = Path(sys.argv[1]), int(sys.argv[2])
    with local(workers) as each:
        at = Workplace(folder / "work", each)
        build(folder / "raw", folder / "corpus", rules, tokenizer=words(), seed=7, at=at)
"""


def stories(count: int, start: int = 0) -> list[Any]:
    made = []
    for number in range(start, start + count):
        rng = random.Random(number)
        body = " ".join(["the", *rng.choices(VOCABULARY, k=rng.randrange(20, 60))])
        made.append(article(f"d{number}", body, f"2024-0{1 + number % 7}-0{1 + number % 9}"))
        if number % 9 == 0:
            made.append(article(f"d{number}-copy", f"{body} again", "2024-05-30", source="wire"))
    return made


@pytest.fixture
def there(tmp_path: Path) -> Path:
    put(tmp_path / "raw", stories(200))
    return tmp_path


def run(folder: Path, tokenizer: Any, each: Any = map) -> dict[str, str]:
    """Build; the bytes of what was built."""
    build(
        folder / "raw",
        folder / "corpus",
        RULES,
        tokenizer=tokenizer,
        seed=7,
        at=Workplace(folder / "work", each),
    )
    return bytes_of(folder / "corpus")


def bytes_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): digest(path) for path in sorted(folder.rglob("*")) if path.is_file()
    }


def steps(folder: Path) -> dict[str, int]:
    """When each step was made."""
    found = (folder / "work").glob("*/[!.]*/manifest.json")
    return {str(path.parent.relative_to(folder / "work")): path.stat().st_ino for path in found}


def test_what_is_done_is_not_done_again(there: Path, tokenizer: Any):
    first, made = run(there, tokenizer), steps(there)
    assert len(made) > 20
    assert run(there, tokenizer) == first and steps(there) == made


def test_new_files_leave_the_chunks_of_the_old_ones(there: Path, tokenizer: Any):
    run(there, tokenizer)
    made = steps(there)
    put(there / "raw", [article("h1", "the price of it all went up", source="headlines")])
    run(there, tokenizer)
    kept = {name for name, when in steps(there).items() if made.get(name) == when}
    assert {name for name in made if name.startswith("read/")} <= kept


def test_an_edited_row_is_noticed(there: Path, tokenizer: Any):
    before = run(there, tokenizer)
    path = there / "raw" / "reuters" / "rows.jsonl"
    path.write_text(path.read_text().replace("the oil", "the tin", 1))
    assert run(there, tokenizer) != before


@pytest.mark.parametrize(
    "kind", ["read", "candidates", "links", "copies", "sifted", "held", "kept", "tokens"]
)
def test_a_damaged_step_is_named_and_it_alone_is_made_again(
    there: Path, tokenizer: Any, kind: str, caplog: pytest.LogCaptureFixture
):
    before = run(there, tokenizer)
    folder = sorted((there / "work" / kind).glob("*/manifest.json"))[0].parent
    for damage in ("cut", "flip", "gone", "manifest"):
        made = steps(there)
        spoil(folder, damage)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "finground"):
            assert run(there, tokenizer) == before
        again = {name for name, when in steps(there).items() if made.get(name) != when}
        assert again == {str(folder.relative_to(there / "work"))}, damage
        assert f"{folder} is damaged" in caplog.text and "it alone is made again" in caplog.text


def spoil(folder: Path, damage: str) -> None:
    path = max(
        (path for path in folder.iterdir() if path.name != "manifest.json"),
        key=lambda each: each.stat().st_size,
    )
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "manifest":
        (folder / "manifest.json").write_text('{"key": ')
    else:
        path.write_bytes(data[: len(data) // 2] if damage == "cut" else bytes([data[0] ^ 1]) + data[1:])


@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_workers_gives_the_same_bytes(
    there: Path, tokenizer: Any, workers: int, tmp_path_factory
):
    alone = run(there, tokenizer)
    elsewhere = tmp_path_factory.mktemp("pool")
    (elsewhere / "raw").symlink_to(there / "raw")
    with local(workers) as each:
        assert run(elsewhere, tokenizer, each) == alone


def start(folder: Path, workers: int) -> "subprocess.Popen[bytes]":
    here = Path(__file__).parents[2]
    paths = os.pathsep.join(map(str, (Path(__file__).parent, here / "src")))
    script = folder / "run.py"
    script.write_text(COMMAND)
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(workers)],
        env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_kill_9_at_any_moment_loses_at_most_the_shards_in_flight(
    there: Path, tokenizer: Any, workers: int, tmp_path_factory: Any
):
    quiet = tmp_path_factory.mktemp("quiet")
    (quiet / "raw").symlink_to(there / "raw")
    undisturbed = run(quiet, tokenizer)
    wanted = len(steps(quiet))
    done: dict[str, int] = {}
    for share in (0.1, 0.35, 0.6, 0.85, 0.95):
        process = start(there, workers)
        while process.poll() is None and len(steps(there)) < share * wanted:
            time.sleep(0.002)
        process.kill()
        process.wait()
        now = steps(there)
        assert {name for name, when in done.items() if now.get(name) != when} == set(), (
            "a step was done twice"
        )
        done = now
        assert gone_within(process.pid, 10), "a worker outlives the run"
    _, err = (last := start(there, workers)).communicate()
    assert last.returncode == 0, err.decode()
    assert bytes_of(there / "corpus") == undisturbed
    assert not list(there.rglob(".tmp-*"))


def gone_within(group: int, seconds: float) -> bool:
    """Whether no process of the group is left, the workers' included."""
    for _ in range(int(seconds * 20)):
        try:
            os.killpg(group, signal.SIG_DFL)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A file system of so many KB of its own."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(size: int) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(place)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a file system cannot be mounted here")
        return place

    yield mount
    subprocess.run(["umount", str(place)], capture_output=True, check=False)


@pytest.mark.parametrize("size", [40, 120, 200, 280, 400])
def test_a_full_disk_ends_with_one_sentence_and_with_room_the_run_goes_on(
    there: Path, tokenizer: Any, size: int, small_disk: Callable[[int], Path]
):
    disk = small_disk(size)
    (disk / "raw").symlink_to(there / "raw")
    with pytest.raises(
        FingroundError,
        match=r"^the disk is full; \S+ was not written and what was there before is untouched$",
    ):
        run(disk, tokenizer)
    assert not (disk / "corpus").exists() and not list(disk.rglob(".tmp-*"))
    made = steps(disk)
    subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
    assert run(disk, tokenizer) == run(there, tokenizer)
    assert made.items() <= steps(disk).items()
