"""Vectors of words on disk: embedded once, or imported from published vectors."""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any, Literal

import numpy as np
from numpy.lib.format import read_array
from numpy.typing import NDArray

from scenemind.perception.text.labels import normalized_label
from scenemind.perception.types import PerceptionError
from scenemind.perception.weights import cache_root
from scenemind.untrusted import MOST_JSON_BYTES, load_json, open_regular, read_regular

_log = logging.getLogger(__name__)

# What numpy raises of a header that is damaged or claims too much.
_NO_VECTORS = (ValueError, EOFError, MemoryError, SyntaxError, TypeError, OverflowError, TokenError)
_WAIT_S = 10.0  # for another process that writes
# Executed before reading too: a killed first writer leaves a file without the table.
_CREATE = "CREATE TABLE IF NOT EXISTS vectors (word TEXT PRIMARY KEY, vector BLOB NOT NULL)"
# Vectors have unit length; damaged ones rarely do.
_UNIT_TOLERANCE = 1e-3
# Disambiguation after a name: "bat_(animal)".
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*")


class EmbeddingCache:
    """The vectors of one encoder: one SQLite file, float32 little-endian of unit length.

    Every call is one transaction on its own connection: all threads and processes may read and
    write at any time, and a killed writer leaves the previous state. A damaged file is replaced,
    with one line in the log.
    """

    def __init__(self, encoder_name: str, folder: Path | None = None) -> None:
        """Name the file, which the first `put` creates.

        Raises:
            PerceptionError: the name cannot be a file name.
        """
        if not re.fullmatch(r"[\w.-]{1,64}", encoder_name) or encoder_name.startswith("."):
            raise PerceptionError(f"{encoder_name!r} is no name of an encoder: letters and digits")
        self.encoder_name = encoder_name
        self.path = (folder or embedding_folder()) / f"{encoder_name}.sqlite"

    def find(self, words: Sequence[str], dimension: int) -> dict[str, NDArray[np.float32]]:
        """Word -> vector (dimension,) float32, for the words in the cache.

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
        """Store vectors (N, dimension) of unit length, replacing those of known words.

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
        for _ in range(2):  # again into a new file where the first is damaged
            with self._transaction("rwc") as connection:
                connection.execute(_CREATE)
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                return

    def words(self) -> tuple[str, ...]:
        """All words in the cache, sorted.

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
        """Context of one transaction; a damaged file is removed, and the body ends without error.

        Args:
            mode: "rwc" creates the file; "rw" also reads a read-only one.
        """
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(sqlite3.connect(uri, _WAIT_S, uri=True)) as connection, connection:
                yield connection
        except sqlite3.OperationalError as error:  # locked, read-only, disk full
            raise PerceptionError(f"cannot use the word cache {self.path}: {error}") from error
        except sqlite3.DatabaseError as error:
            _log.warning("the word cache %s is damaged (%s) and is replaced", self.path, error)
            self.path.unlink(missing_ok=True)


def _vector(blob: object, dimension: int) -> NDArray[np.float32] | None:
    """The vector of a blob; None where it is no vector of this encoder."""
    if not isinstance(blob, bytes) or len(blob) != 4 * dimension:
        return None
    vector = np.frombuffer(blob, "<f4").astype(np.float32)
    return vector if abs(float(vector @ vector) - 1.0) < _UNIT_TOLERANCE else None


def embedding_folder() -> Path:
    """Default folder of the caches of all encoders."""
    return cache_root() / "text"


def import_vectors(cache: EmbeddingCache, vectors: Path, names: Path, dimension: int) -> int:
    """Import published word vectors, for machines without torch; returns the number of new words.

    Words in the cache keep their vector: the model's own is better than one of another prompt
    (Detic's are of "a cup", not of "cup"). "bat (animal)" is also added as "bat" where no other
    name is "bat".

    Args:
        cache: of the encoder that made the vectors.
        vectors: a NumPy file of (N, dimension) numbers; rows are normalised.
        names: N names, one per line, or a JSON list of names or of objects with a `name`.
        dimension: of the encoder's vectors.

    Raises:
        PerceptionError: a file cannot be read, or the two do not fit.
    """
    matrix = _read_vectors(vectors, dimension)
    words = _read_names(names)
    if len(words) != len(matrix):
        raise PerceptionError(
            f"{vectors} has {len(matrix)} vectors and {names} has {len(words)} names"
        )
    rows = _rows_of(words)
    known = cache.find(list(rows), dimension)
    new = [word for word in rows if word not in known]
    if new:
        cache.put(new, matrix[[rows[word] for word in new]])
    return len(new)


def _rows_of(words: Sequence[str]) -> dict[str, int]:
    """Word -> row; the first row of each name, full names before short ones."""
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(normalized_label(word), row)
    for word, row in list(rows.items()):
        short = _QUALIFIER.sub(" ", word).strip()
        if short:
            rows.setdefault(short, row)
    return rows


def _read_vectors(path: Path, dimension: int) -> NDArray[np.float32]:
    try:
        with open(open_regular(path, follow=True), "rb") as file:
            matrix = read_array(file, allow_pickle=False)  # `np.load` opens archives too
    except OSError as error:
        raise PerceptionError(f"cannot read the vectors {path}: {error}") from error
    except _NO_VECTORS as error:  # numpy's advice is to load it unsafely
        raise PerceptionError(f"{path} is no NumPy file of vectors (.npy)") from error
    if matrix.dtype.kind != "f":
        raise PerceptionError(f"{path} holds no array of decimal numbers")
    if matrix.ndim != 2 or matrix.shape[1] != dimension:
        raise PerceptionError(
            f"{path} has the shape {matrix.shape}; the encoder's vectors are (N, {dimension})"
        )
    with np.errstate(over="ignore", invalid="ignore"):  # which are told below
        lengths = np.linalg.norm(matrix.astype(np.float32), axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0.0)))
    if bad.size:
        raise PerceptionError(f"row {bad[0]} of {path} is zero or not finite")
    return matrix.astype(np.float32) / lengths


def _read_names(path: Path) -> list[str]:
    try:
        data = read_regular(path, MOST_JSON_BYTES, follow=True)
        if path.suffix != ".json":
            return [line for line in data.decode().splitlines() if line.strip()]
        return [_name_of(entry, path) for entry in load_json(data)]
    except (OSError, ValueError, TypeError) as error:
        raise PerceptionError(f"{path} is no list of names: {error}") from error


def _name_of(entry: Any, path: Path) -> str:
    name = entry.get("name") if isinstance(entry, dict) else entry
    if not isinstance(name, str):
        raise PerceptionError(f"{path} has an entry that is no name: {entry!r:.80}")
    return name
