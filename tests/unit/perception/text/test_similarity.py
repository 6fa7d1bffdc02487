"""How alike labels are: other names for one thing, other things, and words without a vector."""

from __future__ import annotations

import numpy as np

from scenemind.perception.text import EmbeddingCache, label_similarity

WORDS = ("cup", "mug", "bowl", "pillow", "cushion", "refrigerator", "sofa")


def test_other_names_are_alike_and_other_things_are_not(lvis: EmbeddingCache) -> None:
    found = lvis.find(WORDS, 512)
    similarity = label_similarity("clip_vit_b32", WORDS, np.stack([found[w] for w in WORDS]))
    assert similarity("cup", "cup") == 1.0
    assert similarity("unheard of", "unheard of") == 1.0
    assert similarity("unheard of", "cup") == 0.0
    assert similarity("pillow", "cushion") == similarity("cushion", "pillow") > 0.9
    assert similarity("cup", "mug") > 0.7 > similarity("cup", "bowl") > 0.1
    assert similarity("cup", "refrigerator") == similarity("sofa", "mug") == 0.0


def test_without_calibrated_vectors_only_equal_labels_are_alike() -> None:
    same = np.eye(1, 512, dtype=np.float32).repeat(2, axis=0)
    similarity = label_similarity("mobileclip", ("cup", "mug"), same)
    assert (similarity("cup", "cup"), similarity("cup", "mug")) == (1.0, 0.0)
