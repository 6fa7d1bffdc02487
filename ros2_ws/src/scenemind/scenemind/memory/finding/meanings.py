"""What labels mean to a text encoder, for words that no table has."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text.similarity import scaled_similarity

# Below this, labels have hardly more in common than that they are things in rooms.
_LEAST = 0.3


class LabelMeanings:
    """Label vectors of one encoder: each label is embedded once while it is in the map."""

    def __init__(self) -> None:
        self._encoder_name = ""
        self._labels: tuple[str, ...] = ()
        self._vectors = np.zeros((0, 0), np.float32)

    def similar(
        self, words: str, labels: Collection[str], encoder: TextEncoder
    ) -> dict[str, float]:
        """Labels that mean something like the words, with how alike they are in [0.3, 1].

        Args:
            labels: short enough to be names of things.

        Raises:
            PerceptionError: the encoder does not know a word and cannot be had; names the way out.
        """
        if not labels:
            return {}
        self._follow(labels, encoder)
        (wanted,) = encoder.encode([words])
        alike = scaled_similarity(encoder.name, self._vectors @ wanted)
        return {
            self._labels[row]: float(alike[row]) for row in np.flatnonzero(alike >= _LEAST).tolist()
        }

    def _follow(self, labels: Collection[str], encoder: TextEncoder) -> None:
        """Vectors of exactly these labels."""
        if encoder.name != self._encoder_name:
            self._encoder_name, self._labels = encoder.name, ()
            self._vectors = np.zeros((0, encoder.dimension), np.float32)
        if set(labels) == set(self._labels):
            return
        row_of = {label: row for row, label in enumerate(self._labels)}
        kept = [label for label in labels if label in row_of]
        new = [label for label in labels if label not in row_of]
        vectors: list[NDArray[np.float32]] = [self._vectors[[row_of[label] for label in kept]]]
        if new:
            vectors.append(encoder.encode(new))
        self._labels, self._vectors = (*kept, *new), np.concatenate(vectors)
