"""Words for open-vocabulary detectors: the default ones, and their vectors with a cache on disk."""

from scenemind.perception.text.cached_encoder import CachedTextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.labels import (
    checked_vocabulary,
    default_vocabulary,
    normalized_label,
    read_vocabulary,
)

__all__ = [
    "CachedTextEncoder",
    "EmbeddingCache",
    "checked_vocabulary",
    "default_vocabulary",
    "normalized_label",
    "read_vocabulary",
]
