"""How alike two labels are, for who must tell another name from another thing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import lru_cache

from scenemind.perception.errors import PerceptionError
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.make_encoder import DIMENSION

_log = logging.getLogger(__name__)

# Cosines of an encoder's vectors that count as 0 and as 1. CLIP's, over LVIS' 1,203 names: 95 % of
# all pairs are below the first; sofa and couch, pillow and cushion, remote and remote control are
# at the second. It cannot tell siblings from synonyms: cat and dog come to 0.89.
_SCALES: Mapping[str, tuple[float, float]] = {"clip_vit_b32": (0.823, 0.95)}
_PAIRS_KEPT = 16384


def label_similarity(cache: EmbeddingCache | None = None) -> Callable[[str, str], float]:
    """A function of two labels: 1 for the same, 0 for nothing in common, between them in [0, 1].

    It never builds an encoder and remembers what it said, so it may be called for every frame.
    Words without a vector are alike only when equal, and so are all where the encoder's cosines are
    not calibrated or its cache cannot be read (which is logged once).
    """
    scale = _SCALES.get(cache.encoder_name) if cache is not None else None

    is_readable = True

    @lru_cache(maxsize=_PAIRS_KEPT)
    def cosine(first: str, second: str) -> float:
        nonlocal is_readable
        if cache is None or not is_readable:
            return -1.0
        try:
            vectors = cache.find((first, second), DIMENSION)
        except PerceptionError as error:
            _log.warning("labels are alike only when equal: %s", error)
            is_readable = False
            return -1.0
        return float(vectors[first] @ vectors[second]) if len(vectors) == 2 else -1.0

    def similarity(first: str, second: str) -> float:
        if first == second:
            return 1.0
        if scale is None:
            return 0.0
        none, full = scale
        pair = (first, second) if first < second else (second, first)
        return min(1.0, max(0.0, (cosine(*pair) - none) / (full - none)))

    return similarity
