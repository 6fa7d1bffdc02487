"""Vectors of words on disk, so that a word is embedded once and then never needs the model."""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.cache_root import cache_root
from scenemind.perception.errors import PerceptionError

_log = logging.getLogger(__name__)

_WAIT_S = 10.0  # for another process that writes
# Also before reading: a first writer that was killed leaves a file without the table.
_CREATE = "CREATE TABLE IF NOT EXISTS vectors (word TEXT PRIMARY KEY, vector BLOB NOT NULL)"
# Vectors are unit length; what a flipped bit made of one rarely is.
_UNIT_TOLERANCE = 1e-3


def default_folder() -> Path:
    """Of the caches of all encoders."""
    return cache_root() / "text"


class EmbeddingCache:
    """The vectors of one encoder: one SQLite file, float32 little-endian of unit length.

    Every call is one transaction on a connection of its own: any thread and any process may read
    and write at any time, and a killed writer leaves what was there before. A file that is damaged
    is begun anew (it is a cache), with one line in the log.
    """

    def __init__(self, encoder_name: str, folder: Path | None = None) -> None:
        """The file is made by the first `put`.

        Raises:
            PerceptionError: the name cannot be the name of a file.
        """
        if not re.fullmatch(r"[\w.-]{1,64}", encoder_name) or encoder_name.startswith("."):
            raise PerceptionError(f"{encoder_name!r} is no name of an encoder: letters and digits")
        self.encoder_name = encoder_name
        self.path = (folder or default_folder()) / f"{encoder_name}.sqlite"

    def find(self, words: Sequence[str], dimension: int) -> dict[str, NDArray[np.float32]]:
        """Word -> (dimension,) float32 of those that are there.

        Raises:
            PerceptionError: the file cannot be read.
        """
        if not self.path.exists():
            return {}
        with self._transaction("rw") as connection:
            connection.execute(_CREATE)
            query = "SELECT vector FROM vectors WHERE word = ?"
            rows = ((word, connection.execute(query, (word,)).fetchone()) for word in words)
            read = ((word, _vector(row[0], dimension)) for word, row in rows if row)
            return {word: vector for word, vector in read if vector is not None}
        return {}  # the file was damaged

    def put(self, words: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep (N, dimension) vectors of unit length; a word that is there gets the new one.

        Raises:
            PerceptionError: the file cannot be written.
        """
        rows = [
            (word, np.ascontiguousarray(vector, "<f4").tobytes())
            for word, vector in zip(words, vectors, strict=True)
        ]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PerceptionError(f"cannot make {self.path.parent}: {error}") from error
        for _ in range(2):  # the second time into a new file, should the first be damaged
            with self._transaction("rwc") as connection:
                connection.execute(_CREATE)
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                return

    def words(self) -> tuple[str, ...]:
        """Every word that is there, sorted.

        Raises:
            PerceptionError: the file cannot be read.
        """
        if not self.path.exists():
            return ()
        with self._transaction("rw") as connection:
            connection.execute(_CREATE)
            return tuple(
                row[0] for row in connection.execute("SELECT word FROM vectors ORDER BY 1")
            )
        return ()

    @contextmanager
    def _transaction(self, mode: Literal["rw", "rwc"]) -> Iterator[sqlite3.Connection]:
        """All or nothing; a damaged file is removed, and the body ends without an error.

        Args:
            mode: "rwc" makes the file; "rw" only reads one that may not be written.
        """
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(sqlite3.connect(uri, _WAIT_S, uri=True)) as connection, connection:
                yield connection
        except sqlite3.OperationalError as error:  # locked, read-only, disk full
            raise PerceptionError(f"cannot use the word cache {self.path}: {error}") from error
        except sqlite3.DatabaseError as error:
            _log.warning("the word cache %s is damaged (%s): begun anew", self.path, error)
            self.path.unlink(missing_ok=True)


def _vector(blob: object, dimension: int) -> NDArray[np.float32] | None:
    """None for what cannot be a vector of this encoder."""
    if not isinstance(blob, bytes) or len(blob) != 4 * dimension:
        return None
    vector = np.frombuffer(blob, "<f4").astype(np.float32)
    return vector if abs(float(vector @ vector) - 1.0) < _UNIT_TOLERANCE else None
