"""Published word vectors into a cache: new words on a machine without torch or the network."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.errors import PerceptionError
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.labels import normalized_label

# What stands behind a name to tell it from another: "bat_(animal)".
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*")


def import_vectors(cache: EmbeddingCache, vectors: Path, names: Path, dimension: int) -> int:
    """Add the words of a published file; how many were new.

    A word that the cache has keeps its vector: the model's own is better than one of another
    prompt (Detic's, for one, are of "a cup", not of "cup"). "bat (animal)" is also added as "bat"
    where nothing else is called that.

    Args:
        cache: of the encoder that made the vectors.
        vectors: a NumPy file of (N, dimension) numbers of any length.
        names: N names, one a line, or a JSON list of names or of objects with a `name`.
        dimension: of the encoder's vectors.

    Raises:
        PerceptionError: a file cannot be read, or the two do not belong together.
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
    """Word -> row; the first of two rows with one name, full names before short ones."""
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
        matrix = np.load(path, allow_pickle=False)
    except OSError as error:
        raise PerceptionError(f"cannot read the vectors {path}: {error}") from error
    except (ValueError, EOFError) as error:  # numpy's advice is to load it unsafely
        raise PerceptionError(f"{path} is no NumPy file of vectors (.npy)") from error
    if not isinstance(matrix, np.ndarray) or matrix.dtype.kind != "f":
        raise PerceptionError(f"{path} holds no array of decimal numbers")
    if matrix.ndim != 2 or matrix.shape[1] != dimension:
        raise PerceptionError(
            f"{path} has the shape {matrix.shape}; the encoder's vectors are (N, {dimension})"
        )
    lengths = np.linalg.norm(matrix.astype(np.float32), axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0.0)))
    if bad.size:
        raise PerceptionError(f"row {bad[0]} of {path} is zero or not finite")
    return matrix.astype(np.float32) / lengths


def _read_names(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix != ".json":
            return [line for line in text.splitlines() if line.strip()]
        return [_name_of(entry, path) for entry in json.loads(text)]
    except (OSError, ValueError, TypeError) as error:
        raise PerceptionError(f"{path} is no list of names: {error}") from error


def _name_of(entry: Any, path: Path) -> str:
    name = entry.get("name") if isinstance(entry, dict) else entry
    if not isinstance(name, str):
        raise PerceptionError(f"{path} has an entry that is no name: {entry!r:.80}")
    return name
