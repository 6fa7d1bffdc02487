"""Image vectors of objects, with an encoder whose space is RGB."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.describing import Embedder
from scenemind.memory import Edit, Memory
from scenemind.memory.descriptions import match_words
from tests.unit.memory import walk

GREY = (3**-0.5,) * 3
_RED, _BLUE = (1, 0, 0), (0, 0, 1)
_COLORS = {"red": _RED, "flamingo": _RED, "blue": _BLUE, "ocean": _BLUE}
WORDS = {f"a photo of a {word}": color for word, color in _COLORS.items()}


class MeanColor:
    """An `ImageTextEncoder`: the direction of the mean colour; it knows few words, and
    takes all others for grey."""

    name = "mean_color"
    dimension = 3

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([WORDS.get(text, GREY) for text in texts], np.float32).reshape(-1, 3)

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        means = np.array([image.mean(axis=(0, 1)) for image in images], np.float32)
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def embed_due(memory: Memory, most_views: int = 4) -> int:
    embedder = Embedder(memory, MeanColor(), most_views)
    objects = memory.snapshot().objects
    due = embedder.due(objects.values())
    for thing in due:
        assert embedder.make(thing, objects) is not None
    return len(due)


def test_objects_are_ranked_by_their_appearance(row: Memory) -> None:
    # The walk's images turn from blue to red: the chair that was seen last was seen reddest.
    assert embed_due(row) == 3
    encoder = MeanColor()
    matches = match_words(row.seen_embeddings(encoder.name), ["red", "blue"], encoder)
    by_place = sorted(
        range(3), key=lambda n: row.snapshot().objects[matches.object_ids[n]].box.center[0]
    )
    red, blue = matches.cosines[by_place].T
    assert (np.diff(red) > 0).all()
    assert (np.diff(blue) < 0).all()


def test_vectors_are_the_mean_of_the_views_and_outlive_a_restart(row: Memory) -> None:
    embed_due(row)
    before = row.embeddings("mean_color")
    row.close()
    with Memory.open(row.path, SceneMindConfig()) as again:
        after = again.embeddings("mean_color")
        assert again.stats().embeddings == 3
        assert again.embeddings("another") == {}
    for object_id, embedding in after.items():
        assert np.array_equal(embedding.vector, before[object_id].vector)
        assert np.linalg.norm(embedding.vector) == pytest.approx(1.0)
        assert 1 <= embedding.views <= 4
        # A walk's image has one colour: that of its number.
        r, _, b = embedding.vector / embedding.vector[1] * 128
        assert -1.0 <= r <= 42.0
        assert r + b == pytest.approx(255.0, abs=3.0)


def test_a_vector_is_made_anew_when_there_are_more_views(row: Memory) -> None:
    assert embed_due(row, most_views=1) == 3
    assert embed_due(row, most_views=1) == 0
    row.begin_session()
    walk.go(row, range(41))
    row.flush()
    assert embed_due(row, most_views=4) > 0


def test_words_find_objects_of_their_appearance(row: Memory) -> None:
    """All chairs of the walk are rather blue, and the first is the bluest."""
    embed_due(row)
    objects = row.snapshot().objects
    first = min(objects, key=lambda i: objects[i].box.center[0])
    assert row.find_objects("ocean", 5) == ()
    found = row.find_objects("ocean", 5, image_encoder=MeanColor())
    assert found[0].object_id == first
    assert found[0].reasons[0].startswith("looks like it (mean_color ")
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert row.find_objects("flamingo", 5, image_encoder=MeanColor()) == ()


def test_a_merged_object_has_the_best_vector_of_its_parts_and_a_part_none_of_its_whole(
    row: Memory,
) -> None:
    embed_due(row)
    first, second, third = row.snapshot().objects
    known = row.embeddings("mean_color")
    best = max(known[first], known[second], key=lambda embedding: embedding.views)
    row.apply([Edit("merge", (first, second))], "Ada", "one bench")
    x, y, z = row.snapshot().objects[third].box.center
    row.apply([Edit("split", (third,), places=((x - 0.2, y, z), (x + 0.2, y, z)))], "Ada", "two")
    seen = {e.object_id: e for e in row.seen_embeddings("mean_color")}
    assert seen.keys() == {first, third}
    assert np.array_equal(seen[first].vector, best.vector)
    assert len(row.snapshot().objects) == 3
    row.undo(1)
    assert {e.object_id for e in row.seen_embeddings("mean_color")} == {first, second, third}
