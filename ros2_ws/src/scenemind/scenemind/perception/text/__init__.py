"""Words for open-vocabulary detectors: the default ones, and their vectors with a cache on disk.
Also image vectors that compare with those of words."""

from scenemind.perception.text.cached_encoder import CachedTextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.labels import (
    checked_vocabulary,
    default_vocabulary,
    normalized_label,
    read_vocabulary,
)
from scenemind.perception.text.make_encoder import (
    ENCODER_FAMILIES,
    make_image_text_encoder,
    make_text_encoder,
)
from scenemind.perception.text.published_vectors import import_vectors
from scenemind.perception.text.similarity import (
    LabelSimilarity,
    label_similarity,
    same_word,
)

__all__ = [
    "ENCODER_FAMILIES",
    "CachedTextEncoder",
    "EmbeddingCache",
    "LabelSimilarity",
    "checked_vocabulary",
    "default_vocabulary",
    "import_vectors",
    "label_similarity",
    "make_image_text_encoder",
    "make_text_encoder",
    "normalized_label",
    "read_vocabulary",
    "same_word",
]
