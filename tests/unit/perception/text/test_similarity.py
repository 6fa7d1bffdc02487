"""How alike labels are: other names for one thing, other things, and words without a vector."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from scenemind.perception.text import EmbeddingCache, label_similarity


def test_other_names_are_alike_and_other_things_are_not(lvis: EmbeddingCache) -> None:
    similarity = label_similarity(lvis)
    assert similarity("cup", "cup") == 1.0
    assert similarity("unheard of", "unheard of") == 1.0
    assert similarity("unheard of", "cup") == 0.0
    assert similarity("pillow", "cushion") == similarity("cushion", "pillow") > 0.9
    assert similarity("cup", "mug") > 0.7 > similarity("cup", "bowl") > 0.1
    assert similarity("cup", "refrigerator") == similarity("sofa", "keyboard") == 0.0


def test_without_calibrated_vectors_only_equal_labels_are_alike(tmp_path: Path) -> None:
    other = EmbeddingCache("mobileclip", tmp_path)
    other.put(["cup", "mug"], np.eye(1, 512, dtype=np.float32).repeat(2, axis=0))
    for similarity in (label_similarity(), label_similarity(other)):
        assert (similarity("cup", "cup"), similarity("cup", "mug")) == (1.0, 0.0)


def test_a_cache_that_cannot_be_read_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = EmbeddingCache("clip_vit_b32", tmp_path)
    cache.path.mkdir()
    similarity = label_similarity(cache)
    with caplog.at_level(logging.WARNING):
        assert [similarity("cup", word) for word in ("cup", "mug", "bowl")] == [1.0, 0.0, 0.0]
    (record,) = caplog.records
    assert str(cache.path) in record.getMessage()
