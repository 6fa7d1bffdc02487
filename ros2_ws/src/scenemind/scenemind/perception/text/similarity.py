"""How alike two labels are, for who must tell another name from another thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

LabelSimilarity = Callable[[str, str], float]

# Cosines of an encoder's vectors that count as 0 and as 1. CLIP's, over LVIS' 1,203 names: 95 % of
# all pairs are below the first; sofa and couch, pillow and cushion, remote and remote control are
# at the second. It cannot tell siblings from synonyms: cat and dog come to 0.89.
_SCALES: Mapping[str, tuple[float, float]] = {"clip_vit_b32": (0.823, 0.95)}


def same_word(a: str, b: str) -> float:
    """The similarity of labels where nothing is known of their meaning."""
    return float(a == b)


def scaled_similarity(encoder_name: str, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosines of an encoder's vectors as similarities in [0, 1]; all 0 where its are not
    calibrated."""
    if encoder_name not in _SCALES:
        return np.zeros_like(cosines)
    none, full = _SCALES[encoder_name]
    return np.clip((cosines - none) / (full - none), 0.0, 1.0)


def label_similarity(
    encoder_name: str, words: Sequence[str], vectors: NDArray[np.float32]
) -> LabelSimilarity:
    """A function of two labels: 1 for the same, 0 for nothing in common, between them in [0, 1].

    Other labels than the given words are alike only when equal, and so are all where the encoder's
    cosines are not calibrated.

    Args:
        encoder_name: whose vectors they are.
        vectors: (N, D) of unit length, of the N words.
    """
    if encoder_name not in _SCALES:
        return same_word
    alike = scaled_similarity(encoder_name, vectors @ vectors.T)
    place = {word: number for number, word in enumerate(words)}

    def similarity(a: str, b: str) -> float:
        if a == b:
            return 1.0
        first, second = place.get(a), place.get(b)
        return 0.0 if first is None or second is None else float(alike[first, second])

    return similarity
