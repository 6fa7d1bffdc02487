"""Words that no table has, by CLIP's published vectors of the names in LVIS."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.memory.finding import ObjectFinder
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import CachedTextEncoder, EmbeddingCache, import_vectors
from tests.unit.memory.things import thing

LABELS = ("armchair", "refrigerator", "banana", "lamp", "sofa", "table", "pillow", "toaster")
DIMENSION = 512


def no_model() -> TextEncoder:
    raise PerceptionError("there is no model here")


@pytest.fixture(scope="module")
def encoder(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> TextEncoder:
    folder = shared_data / "clip_text"
    cache = EmbeddingCache("clip_vit_b32", tmp_path_factory.mktemp("words"))
    names = folder / "lvis_v1_train_cat_info.json"
    import_vectors(cache, folder / "lvis_v1_clip_a+cname.npy", names, DIMENSION)
    return CachedTextEncoder(cache, "clip_vit_b32", DIMENSION, no_model)


@pytest.fixture
def finder() -> ObjectFinder:
    finder = ObjectFinder()
    finder.refresh({i: thing(i, name, (0, 0, 0), (1, 1, 1)) for i, name in enumerate(LABELS)})
    return finder


@pytest.mark.parametrize(
    ("word", "means"), [("recliner", "armchair"), ("lamppost", "lamp"), ("lantern", "lamp")]
)
def test_what_means_nearly_the_same_is_found(
    word: str, means: str, finder: ObjectFinder, encoder: TextEncoder
) -> None:
    assert finder.find(word, 3) == ()
    first, *_ = finder.find(word, 3, encoder)
    assert LABELS[first.object_id] == means
    assert first.reasons[0].startswith("means something like it (clip_vit_b32 0.")


def test_a_synonym_comes_before_what_only_means_something_like_it(
    finder: ObjectFinder, encoder: TextEncoder
) -> None:
    found = finder.find("cushion", 8, encoder)
    assert [LABELS[one.object_id] for one in found][:1] == ["pillow"]
    assert found[0].reasons[0] == "another word for cushion"
    assert all(one.score < 0.8 for one in found[1:])


def test_a_word_without_a_vector_says_how_to_get_one(
    finder: ObjectFinder, encoder: TextEncoder
) -> None:
    with pytest.raises(PerceptionError, match="'xylorimba' cannot be embedded"):
        finder.find("xylorimba", 3, encoder)
