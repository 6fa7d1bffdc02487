"""Objects against words by their image vectors (CLIP; Radford et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.types import Embedding
from scenemind.perception.protocols import ImageTextEncoder

# As CLIP's authors ask for classes of pictures: its pictures came with sentences, not with words.
SENTENCE = "a photo of a {}"


@dataclass(frozen=True, slots=True, eq=False)
class WordMatches:
    """How well each object looks like what each word says.

    Attributes:
        object_ids: the N objects that have a vector, ascending.
        words: the W words.
        cosines: (N, W) float32, in [-1, 1]. CLIP's of what fits are about 0.25 to 0.35: compare
            them within a column, or an object's with each other, never with a fixed bound.
    """

    object_ids: tuple[int, ...]
    words: tuple[str, ...]
    cosines: NDArray[np.float32]


def match_words(
    embeddings: Sequence[Embedding], words: Sequence[str], encoder: ImageTextEncoder
) -> WordMatches:
    """Compare objects with words.

    Args:
        embeddings: of the encoder, one an object; others are left out.

    Raises:
        PerceptionError: the encoder cannot be had.
    """
    known = sorted((e for e in embeddings if e.encoder == encoder.name), key=lambda e: e.object_id)
    vectors = np.array([e.vector for e in known], np.float32).reshape(-1, encoder.dimension)
    texts = encoder.encode_texts([SENTENCE.format(word) for word in words])
    return WordMatches(tuple(e.object_id for e in known), tuple(words), vectors @ texts.T)
