"""Where a project's store lies: a PostgreSQL by the URL in params.yaml, or an SQLite file under the root."""

import os
from pathlib import Path

from finground.core.artifact import MANIFEST
from finground.core.errors import InputError
from finground.settings import Settings
from finground.store.reader import Store
from finground.store.vectors import Vectors

SERVER = "ELASTICSEARCH_URL"


def open_store(place: Path | str, settings: Settings, *, create: bool = False) -> Store:
    """The live store at a path or URL with its news where `news.index` says, or a frozen one, which has all
    of its own.

    Raises:
        InputError: if there is none, or the address of the index is not in the environment.
    """
    frozen = isinstance(place, Path) and (place.parent / MANIFEST).is_file()
    vectors = None if frozen or settings.news.index == "store" else _elastic()
    return Store.open(place, create=create, vectors=vectors)


def _elastic() -> Vectors:
    from finground.store.vectors.elastic import ElasticVectors

    if not os.environ.get(SERVER):
        raise InputError(
            f"news.index is elasticsearch and {SERVER} is not set; export {SERVER}=http://host:9200"
        )
    return ElasticVectors.at(os.environ[SERVER])
