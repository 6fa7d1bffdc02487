"""Published vectors that several tests of words use."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.perception.text import EmbeddingCache, import_vectors

LVIS = ("lvis_v1_clip_a+cname.npy", "lvis_v1_train_cat_info.json")


@pytest.fixture(scope="session")
def lvis(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> EmbeddingCache:
    """CLIP's vectors of the names of LVIS."""
    cache = EmbeddingCache("clip_vit_b32", tmp_path_factory.mktemp("cache"))
    vectors, names = (shared_data / "clip_text" / name for name in LVIS)
    assert import_vectors(cache, vectors, names, 512) > 1203
    return cache
