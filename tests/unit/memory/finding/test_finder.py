"""A kitchen and an office searched by words: what is found, in which order, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.finding import Found, ObjectFinder
from scenemind.memory.types import MapObject
from tests.unit.memory.things import thing


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
def test_what_words_find(words: str, expected: list[int]) -> None:
    assert ids(words) == expected


def test_reasons_tell_why() -> None:
    assert search("chair")[0] == Found(3, 1.0, ("label",))
    assert search("sofa")[0].reasons == ("another word for sofa",)
    assert search("office furniture")[0].reasons == ("a kind of furniture",)
    assert search("red velvet sofa")[0].reasons == ("another word for sofa", "color=red")
    assert search("wooden chair")[0].reasons == ("label", "material=wood")
    assert search("televison")[0].reasons == ('"televison" read as television',)
    assert search("glass")[0].reasons == ("material=glass",)


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


def test_what_changes_is_found_as_it_is_now() -> None:
    finder = ObjectFinder()
    finder.refresh(ROOM)
    assert [f.object_id for f in finder.find("green", 10)] == [7, 9]
    repainted = replace(ROOM[7], label="jug", attributes={"color": "yellow"})
    finder.refresh({**{i: o for i, o in ROOM.items() if i != 9}, 7: repainted})
    assert finder.find("green", 10) == ()
    assert finder.find("vase", 10) == ()
    assert [f.object_id for f in finder.find("pitcher", 10)] == [7]
    assert [f.object_id for f in finder.find("yellow", 10)] == [7]


LABELS = st.sampled_from(["chair", "office chair", "sofa", "couch", "cup", "mug", "x y z"])
THINGS = st.builds(
    lambda label, color, sure: make(0, label, sure / 10, color=color),
    LABELS,
    st.sampled_from(["red", "dark red", "blue", ""]),
    st.integers(1, 9),
)
MAPS = st.dictionaries(st.integers(1, 8), THINGS).map(
    lambda things: {i: replace(o, object_id=i) for i, o in things.items()}
)
WORDS = st.sampled_from(["chair", "red chair", "settee", "red", "cups", "chiar", "furniture"])


@given(st.lists(MAPS, min_size=1, max_size=5), WORDS, st.integers(1, 9))
@settings(deadline=None)
def test_after_any_changes_it_finds_what_a_new_one_finds(
    maps: list[dict[int, MapObject]], words: str, count: int
) -> None:
    followed = ObjectFinder()
    for objects in maps:
        followed.refresh(objects)
        followed.find(words, 1)  # reads what is read only when it is asked for
    fresh = ObjectFinder()
    fresh.refresh(maps[-1])
    assert followed.find(words, count) == fresh.find(words, count)
    assert len(followed.find(words, count)) <= count


class Meanings:
    """An encoder with CLIP's scale that was told which words mean the same."""

    name, dimension = "clip_vit_b32", 3

    def __init__(self) -> None:
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
