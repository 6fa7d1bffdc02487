"""What words mean: their vectors (GloVe: Pennington et al., 2014).

`python -m benchmarks word-vectors` made `word_vectors.npz`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float32]


@cache
def _vectors_of_words() -> tuple[dict[str, int], _Array]:
    """Rows of words, and vectors (N, D) of length 1; the last row is that of other words."""
    path = files("scenemind.language").joinpath("word_vectors.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
        words = bytes(content["words"]).decode().split("\n")
        vectors = content["vectors"].astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.concatenate((vectors, np.zeros_like(vectors[:1])))
    return {word: row for row, word in enumerate(words)}, vectors


def vectors_of(words: Sequence[str]) -> _Array:
    """What words mean: vectors (N, D) of length 1, near each other where words are used alike; of
    length 0 for unknown words."""
    rows, vectors = _vectors_of_words()
    found: _Array = vectors[[rows.get(word, -1) for word in words]]
    return found


def is_known(word: str) -> bool:
    """Whether a word has a vector: it is an English one, and no slip of the keyboard."""
    return word in _vectors_of_words()[0]


def likenesses(name: str, others: Sequence[str]) -> list[float]:
    """How alike a name and others are in what they mean, in [-1, 1]; 0 where a word is unknown."""
    means = [_mean(each) for each in (name, *others)]
    return [float(means[0] @ other) for other in means[1:]]


def _mean(name: str) -> _Array:
    """Vector (D,) of a name of one or more words, of length 1; 0 where one is not known."""
    words = vectors_of(name.split(" "))
    mean: _Array = words.mean(axis=0) * bool(words.any(axis=1).all())
    return mean / max(float(np.linalg.norm(mean)), 1e-9)
