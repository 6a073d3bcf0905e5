"""Raw files to documents, file by file, in the order of their names.

Every record comes out, as a `Document` or as a `Dropped` with the reason; nothing vanishes. Sources are
`reuters` (Reuters-21578 SGML), `headlines` (JSONL with bodies) and `sec` (10-K and 10-Q, one document an
item).
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from finground.core.errors import InputError
from finground.corpus import filings, headlines, reuters
from finground.records.document import Document, Dropped

Reader = Callable[[Path], Iterator[Document | Dropped]]
READERS: tuple[tuple[str, tuple[str, ...], Reader], ...] = (
    ("news/reuters21578", (".sgm", ".sgml"), reuters.read),
    ("news/reuters-headlines", (".jsonl",), headlines.read),
    ("sec/10k-html", (".html", ".htm"), filings.read),
    ("sec/10q-html", (".html", ".htm"), filings.read),
    ("sec/full-submission", (".txt", ".html", ".htm"), filings.read),
)


def read(raw: Path) -> Iterator[Document | Dropped]:
    """Everything that a raw folder holds for the corpus; only one file's text is in memory at a time.

    Raises:
        InputError: if the folder is missing, or a file in it is damaged; names the file.
    """
    if not raw.is_dir():
        raise InputError(f"{raw} is not there; give a folder with news/ and sec/ in it")
    for place, endings, reader in READERS:
        for path in sorted((raw / place).glob("*")):
            if path.name.removesuffix(".gz").endswith(endings):
                yield from reader(path)
