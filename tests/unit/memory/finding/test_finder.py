"""Objects by words: labels, attributes, meanings and images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.memory.descriptions import SENTENCE
from scenemind.memory.finding import Found, ImageVectors, ObjectFinder
from scenemind.memory.types import Embedding, MapObject
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
def test_words_of_nearly_the_same_meaning_are_found(
    word: str, means: str, finder: ObjectFinder, encoder: TextEncoder
) -> None:
    assert finder.find(word, 3) == ()
    first, *_ = finder.find(word, 3, encoder)
    assert LABELS[first.object_id] == means
    assert first.reasons[0].startswith("means something like it (clip_vit_b32 0.")


def test_synonym_comes_before_similar_meaning(finder: ObjectFinder, encoder: TextEncoder) -> None:
    found = finder.find("cushion", 8, encoder)
    assert [LABELS[one.object_id] for one in found][:1] == ["pillow"]
    assert found[0].reasons[0] == "another word for cushion"
    assert all(one.score < 0.8 for one in found[1:])


def test_a_word_without_a_vector_says_how_to_get_one(
    finder: ObjectFinder, encoder: TextEncoder
) -> None:
    with pytest.raises(PerceptionError, match="'xylorimba' cannot be embedded"):
        finder.find("xylorimba", 3, encoder)


def make(object_id: int, label: str, confidence: float = 0.9, **attributes: str) -> MapObject:
    bare = thing(object_id, label, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    return replace(bare, attributes=attributes, confidence=confidence)


ROOM = {
    o.object_id: o
    for o in (
        make(1, "couch", color="red"),
        make(2, "chair", color="red", material="wood"),
        make(3, "chair", color="black", material="metal", confidence=0.95),
        make(4, "office chair", color="dark red"),
        make(5, "cup", color="white", caption="a coffee cup with red flowers"),
        make(6, "mug", color="blue"),
        make(7, "vase", color="green", material="glass"),
        make(8, "television", color="black"),
        make(9, "potted plant", color="green"),
        make(10, "table", color="brown", material="wood"),
    )
}


def search(words: str, count: int = 10, objects: dict[int, MapObject] = ROOM) -> list[Found]:
    finder = ObjectFinder()
    finder.refresh(objects)
    return list(finder.find(words, count))


def ids(words: str, count: int = 10) -> list[int]:
    return [found.object_id for found in search(words, count)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("chair", [3, 2, 4]),  # the surer one of two with the label, then the compound
        ("the Chairs", [3, 2, 4]),
        ("office-chair", [4, 3, 2]),
        ("sofa", [1]),
        ("TV", [8]),
        ("plants", [9, 7]),
        ("mug", [6, 5]),  # the mug, then what is mixed up with one
        ("red chair", [2, 4, 3]),
        ("wooden chair", [2, 3, 4]),
        ("red wooden chair", [2, 4, 3]),
        ("crimson sofa", [1]),
        ("wooden things", [2, 10]),
        ("something green", [7, 9]),
        ("glass", [7, 5, 6]),  # no glass here: something of glass, then what is mixed up with one
        ("coffee with flowers", [5]),
        ("televison", [8]),
        ("red chiar", [2, 3]),
        ("unicorn", []),
        ("purple unicorn", []),
    ],
)
def test_ids_that_words_find(words: str, expected: list[int]) -> None:
    assert ids(words) == expected


def test_results_give_reasons() -> None:
    assert search("chair")[0] == Found(3, 1.0, ("label",))
    assert search("sofa")[0].reasons == ("another word for sofa",)
    assert search("office furniture")[0].reasons == ("a kind of furniture",)
    assert search("red velvet sofa")[0].reasons == ("another word for sofa", "color=red")
    assert search("wooden chair")[0].reasons == ("label", "material=wood")
    assert search("televison")[0].reasons == ('"televison" read as television',)
    assert search("glass")[0].reasons == ("material=glass",)


def test_what_may_be_a_thing_comes_after_what_is_called_one() -> None:
    doubtful = replace(
        make(11, "suitcase", 0.6), label_probabilities={"suitcase": 0.6, "couch": 0.3, "bed": 0.02}
    )
    room = {**ROOM, 11: doubtful}
    assert [(one.object_id, one.score) for one in search("couch", 2, room)] == [(1, 1.0), (11, 0.3)]
    assert search("couch", 2, room)[1].reasons == ("may be a couch",)
    assert not search("bed", 5, room)
    said = replace(doubtful, label="trunk", confidence=1.0, corrected=True)
    assert [one.object_id for one in search("couch", 2, {**ROOM, 11: said})] == [1]


def test_scores_fall_and_stay_in_bounds() -> None:
    scores = [found.score for found in search("red chair")]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(1.0)  # it is a chair, and red
    assert 0.0 < scores[-1] < 0.7  # it is not red


def test_count_limits_the_answers_to_the_best() -> None:
    assert ids("chair", 1) == [3]
    assert ids("chair", 2) == [3, 2]


@pytest.mark.parametrize("words", ["", "   ", "the", "?!", "_", "\u200b"])
def test_words_that_name_nothing_are_refused(words: str) -> None:
    with pytest.raises(SceneMemoryError, match="names nothing"):
        search(words)


def test_too_many_words_and_too_few_answers_are_refused() -> None:
    with pytest.raises(SceneMemoryError, match="10000 characters are too many"):
        search("x" * 10_000)
    with pytest.raises(SceneMemoryError, match="ask for 1 or more"):
        search("chair", 0)


def test_an_empty_map_and_labels_of_any_length_do_no_harm() -> None:
    assert search("chair", objects={}) == []
    long = make(1, "chair " * 2000)
    odd = make(2, "café ☕", color="")
    assert search("chair", objects={1: long}) == []
    assert search("café", objects={1: long, 2: odd})[0].object_id == 2


def test_changed_objects_are_found_as_they_are_now() -> None:
    finder = ObjectFinder()
    finder.refresh(ROOM)
    assert [f.object_id for f in finder.find("green", 10)] == [7, 9]
    repainted = replace(ROOM[7], label="jug", attributes={"color": "yellow"})
    finder.refresh({**{i: o for i, o in ROOM.items() if i != 9}, 7: repainted})
    assert finder.find("green", 10) == ()
    assert finder.find("vase", 10) == ()
    assert [f.object_id for f in finder.find("pitcher", 10)] == [7]
    assert [f.object_id for f in finder.find("yellow", 10)] == [7]


def test_objects_that_went_before_anybody_asked_are_not_found() -> None:
    finder = ObjectFinder()
    finder.refresh(ROOM)
    finder.refresh({i: thing for i, thing in ROOM.items() if i != 9})
    assert [f.object_id for f in finder.find("green", 10)] == [7]


def test_an_object_of_another_shape_is_found_by_that_one() -> None:
    finder = ObjectFinder()
    finder.refresh({1: make(1, "table", shape="round")})
    assert finder.find("round things", 1)[0].reasons == ("shape=round",)
    finder.refresh({1: make(1, "table", shape="rectangular")})
    assert finder.find("round things", 1) == ()


LABELS_FINDER = st.sampled_from(["chair", "office chair", "sofa", "couch", "cup", "mug", "x y z"])
THINGS = st.builds(
    lambda label, other, color, sure: replace(
        make(0, label, sure / 10, color=color), label_probabilities={other: 0.2}
    ),
    LABELS_FINDER,
    LABELS_FINDER,
    st.sampled_from(["red", "dark red", "blue", ""]),
    st.integers(1, 9),
)
MAPS = st.dictionaries(st.integers(1, 8), THINGS).map(
    lambda things: {i: replace(o, object_id=i) for i, o in things.items()}
)
WORDS = st.sampled_from(["chair", "red chair", "settee", "red", "cups", "chiar", "furniture"])


@given(st.lists(MAPS, min_size=1, max_size=5), WORDS, st.integers(1, 9))
@settings(deadline=None)
def test_after_any_changes_it_finds_the_same_as_a_new_one(
    maps: list[dict[int, MapObject]], words: str, count: int
) -> None:
    followed = ObjectFinder()
    for objects in maps:
        followed.refresh(objects)
        followed.find(words, 1)  # reads values that are computed lazily
    fresh = ObjectFinder()
    fresh.refresh(maps[-1])
    assert followed.find(words, count) == fresh.find(words, count)
    assert len(followed.find(words, count)) <= count


class Meanings:
    """An encoder with CLIP's scale and a given table of synonyms."""

    dimension = 3

    def __init__(self, name: str = "clip_vit_b32") -> None:
        self.name = name
        self._vectors = {"davenport": (1.0, 0.0, 0.0), "couch": (0.95, 0.3122, 0.0)}
        self.asked: list[str] = []

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([self._vectors.get(text, (0.0, 0.0, 1.0)) for text in texts], np.float32)


def test_an_encoder_finds_by_meaning_and_embeds_each_label_once() -> None:
    encoder = Meanings()
    finder = ObjectFinder()
    finder.refresh(ROOM)
    assert finder.find("davenport", 5) == ()
    (found,) = finder.find("davenport", 5, encoder)
    assert found.object_id == 1
    assert found.score == pytest.approx(0.8, abs=1e-3)  # at CLIP's cosine for synonyms
    assert found.reasons == ("means something like it (clip_vit_b32 1.00)",)
    finder.refresh({**ROOM, 11: make(11, "lamp")})
    finder.find("davenport", 5, encoder)
    assert sorted(encoder.asked) == sorted(
        [*{o.label for o in ROOM.values()}, "lamp", "davenport", "davenport"]
    )


def test_label_vectors_are_those_of_the_encoder_that_is_asked() -> None:
    finder = ObjectFinder()
    finder.refresh(ROOM)
    assert finder.find("davenport", 5, Meanings("without a scale")) == ()
    assert [found.object_id for found in finder.find("davenport", 5, Meanings())] == [1]


class Pictures:
    """An `ImageTextEncoder` of two directions: what holds drinks, and anything else."""

    name, dimension = "pictures", 2

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        turn_deg = {SENTENCE.format("cup"): 0.0, SENTENCE.format("grail"): 10.0}
        turns = np.deg2rad([turn_deg.get(text, 90.0) for text in texts])
        return np.column_stack((np.cos(turns), np.sin(turns))).astype(np.float32)

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        raise NotImplementedError


def test_looks_find_objects_without_words_unless_another_label_fits_better() -> None:
    """Two pictures of a cup: the cup may be called a grail too, the vase should be called a cup."""
    finder = ObjectFinder()
    finder.refresh(ROOM)
    a_cup = np.array((1.0, 0.0), np.float32)
    vectors = [Embedding(object_id, "pictures", a_cup, 1) for object_id in (5, 7)]
    (found,) = finder.find("grail", 5, looks=ImageVectors(vectors, Pictures()))
    assert (found.object_id, found.score) == (5, pytest.approx(0.7, abs=1e-3))
