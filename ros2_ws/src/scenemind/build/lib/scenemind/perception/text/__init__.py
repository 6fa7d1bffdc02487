"""Words for open-vocabulary detectors: the default ones, and their vectors with a cache on disk.
Also image vectors that compare with those of words."""

from scenemind.perception.text.embedding_cache import EmbeddingCache, import_vectors
from scenemind.perception.text.encoders import (
    ENCODER_FAMILIES,
    CachedTextEncoder,
    make_image_text_encoder,
    make_text_encoder,
)
from scenemind.perception.text.labels import (
    LabelSimilarity,
    checked_vocabulary,
    default_vocabulary,
    label_similarity,
    normalized_label,
    read_vocabulary,
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
