"""Objects that a model named in stored frames, beside those of a detector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import NAMED_BY, Memory, SceneMemoryError
from tests.unit.memory import walk
from tests.unit.memory.things import observe

LAMP = observe((1.0, 2.0, 0.5), (0.3, 0.3, 1.2), "floor lamp", score=0.4)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A walk past three chairs that goes on: its last location is open."""
    with Memory.create(tmp_path / "row", SceneMindConfig()) as memory:
        walk.go(memory, range(30))
        yield memory


def test_a_named_thing_is_in_the_map_the_tree_and_its_frames_at_once_and_later(
    memory: Memory,
) -> None:
    numbers = memory.stored_frames()
    assert len(memory.frame_index())  # kept between calls, and made anew for older frames
    ends = numbers[0], numbers[-1]  # of the first, closed location and of the open one
    lamp = memory.add_named("floor lamp", [(number, LAMP) for number in ends], "seer")
    other = memory.add_named("rug", [(numbers[0], LAMP)], "seer")  # a second one in one frame

    def check(memory: Memory) -> None:
        thing = memory.snapshot().objects[lamp]
        assert (thing.label, thing.attributes[NAMED_BY]) == ("floor lamp", "seer")
        assert thing.observation_count == 2
        assert {lamp, other} <= memory.key_frame(numbers[0]).boxes_px.keys()
        assert lamp in memory.key_frame(numbers[-1]).boxes_px
        seen = {t.object_id for place in memory.tree() for t in place.tracklets}
        assert {lamp, other} <= seen
        index = memory.frame_index()
        assert {lamp, other} <= set(index.detection_objects.tolist())

    check(memory)
    memory.close()
    with Memory.open(memory.path, SceneMindConfig()) as again:
        check(again)
        walk.go(again, range(30))  # ids of tracks and objects go on above
        assert again.snapshot().objects[lamp].label == "floor lamp"


def test_a_detector_without_the_word_makes_no_ghost_of_it(memory: Memory) -> None:
    number = memory.stored_frames()[-1]
    lamp = memory.add_named("floor lamp", [(number, LAMP)], "seer")
    before = memory.snapshot().objects[lamp].confidence
    walk.go(memory, range(30, 80))
    assert memory.snapshot().objects[lamp].confidence == before


def test_a_settled_label_wins_over_votes_and_yields_to_people(memory: Memory) -> None:
    chair = memory.snapshot().objects[1]
    assert memory.settle_label(1, "armchair", "seer")
    settled = memory.snapshot().objects[1]
    assert settled.label == "armchair"
    assert settled.label_probabilities["chair"] > 0.0
    assert settled.confidence < chair.confidence
    assert settled.attributes[NAMED_BY] == "seer"
    assert not memory.settle_label(999, "armchair", "seer")


def test_a_frame_that_is_not_stored_is_refused(memory: Memory) -> None:
    before = memory.snapshot()
    with pytest.raises(SceneMemoryError, match="not stored"):
        memory.add_named("floor lamp", [(9999, LAMP)], "seer")
    assert memory.snapshot() is before
