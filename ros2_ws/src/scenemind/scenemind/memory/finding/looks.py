"""What objects look like to an encoder of pictures and words, for words that no table has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scenemind.memory.descriptions.matching import match_words
from scenemind.memory.types import Embedding
from scenemind.perception.protocols import ImageTextEncoder

# CLIP was trained with about this factor before its softmax over cosines (Radford et al. 2021).
_SHARPNESS = 100.0
# Less than even chances against all other labels is no likeness.
_LEAST = 0.5
# So many labels are compared at most: a text that is new takes milliseconds to encode.
_MOST_LABELS = 256
# What pictures may show where the map has few labels.
_ANYTHING = ("thing", "wall", "floor", "room")


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Image vectors of objects, with the encoder that made them."""

    vectors: Sequence[Embedding]
    encoder: ImageTextEncoder


def looking_like(
    words: str, looks: Looks, label_of: Mapping[int, str], labels: Sequence[str]
) -> dict[int, float]:
    """Objects that look like the words, with the probability in [0.5, 1] that their pictures show
    that rather than what else there is in the map; what one is called itself does not count.

    Cosines of one object with several words can be compared, and nothing else can (`WordMatches`).

    Args:
        label_of: object id -> label, of all that have a vector.
        labels: of the map, short enough to be names of things.

    Raises:
        PerceptionError: the encoder cannot be had.
    """
    others = dict.fromkeys((*_ANYTHING, *labels[:_MOST_LABELS]))
    others.pop(words, None)
    matches = match_words(looks.vectors, [words, *others], looks.encoder)
    logits = _SHARPNESS * matches.cosines.astype(np.float64)
    column = {label: number for number, label in enumerate(others, 1)}
    for row, object_id in enumerate(matches.object_ids):
        own = column.get(label_of[object_id])
        if own is not None:
            logits[row, own] = -np.inf
    chances = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
    alike = chances[:, 0] / chances.sum(axis=1)
    rows = np.flatnonzero(alike >= _LEAST).tolist()
    return {matches.object_ids[row]: float(alike[row]) for row in rows}
