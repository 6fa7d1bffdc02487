"""Places seen through, and objects found elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory.objects import gone_objects
from scenemind.memory.objects.map_entry import MapEntry, View
from scenemind.memory.objects.object_map import ObjectMap
from tests.unit.memory.objects.depth_scene import frame_of, observe_box

CHAIR = Box3D((2.0, 0.0, 1.0), (0.4, 0.4, 0.8))
SCREEN = Box3D((1.2, 0.0, 1.0), (0.1, 1.5, 1.5))
SLATS = tuple(Box3D((2.0, -0.18 + 0.09 * i, 1.0), (0.03, 0.03, 0.8)) for i in range(5))
PLACES = (-0.4, -0.2, 0.0, 0.2, 0.4)


def mapped(*boxes: Box3D) -> ObjectMap:
    """A map that has seen each of the boxes from every place."""
    object_map = ObjectMap(ObjectMapConfig())
    for number, y_m in enumerate(PLACES):
        seen = [observe_box(box, seed=number) for box in boxes]
        object_map.update(seen, frame_of(boxes, number, y_m))
    return object_map


def watch(
    object_map: ObjectMap, boxes: tuple[Box3D, ...], places: tuple[float, ...], error_m: float = 0.0
) -> None:
    """Frames without a single detection."""
    for number, y_m in enumerate(places, start=100):
        object_map.update([], frame_of(boxes, number, y_m, error_m))


def test_object_that_was_taken_away_is_gone_with_its_time_there() -> None:
    object_map = mapped(CHAIR)
    watch(object_map, (), PLACES)
    assert not object_map.objects()
    (chair,) = object_map.gone().values()
    (stay,) = chair.stays
    assert (stay.first_seen_ns, stay.last_seen_ns) == (0, 400_000_000)
    assert stay.gone_ns == 10_200_000_000  # the third place that it was seen through from
    assert stay.box.center == pytest.approx(CHAIR.center, abs=0.02)


def test_an_update_names_retired_objects() -> None:
    object_map = mapped(CHAIR)
    retired = [
        object_map.update([], frame_of((), number, y_m)).retired
        for number, y_m in enumerate(PLACES, start=100)
    ]
    assert retired == [frozenset()] * 2 + [frozenset({1})] + [frozenset()] * 2


def test_an_object_that_is_there_and_not_detected_stays() -> None:
    object_map = mapped(CHAIR)
    for _ in range(5):
        for number, y_m in enumerate(PLACES, start=5):
            object_map.update([observe_box(CHAIR, seed=number)], frame_of((CHAIR,), number, y_m))
    watch(object_map, (CHAIR,), PLACES * 20)
    assert list(object_map.objects()) == [1]


def test_looking_without_detecting_changes_view_and_store_alike() -> None:
    board = Box3D((2.0, 0.0, 1.0), (0.02, 0.8, 0.8))
    object_map = mapped(board)
    before = object_map.objects()[1].confidence
    assert object_map.update([], frame_of((board,), 100, 0.0)).changed == {1}
    restarted = ObjectMap(ObjectMapConfig())
    restarted.restore(object_map.export([1]))
    shown, stored = (m.objects()[1].confidence for m in (object_map, restarted))
    assert shown == stored < before


def test_an_object_behind_another_one_stays() -> None:
    object_map = mapped(CHAIR)
    watch(object_map, (CHAIR, SCREEN), PLACES * 5)
    watch(object_map, (SCREEN,), PLACES * 5)
    assert list(object_map.objects()) == [1]


def test_one_place_alone_does_not_retire() -> None:
    object_map = mapped(CHAIR)
    watch(object_map, (), (0.1,) * 20)
    assert list(object_map.objects()) == [1]


@pytest.mark.parametrize("error_m", [0.0, 0.03, -0.03])
def test_slats_survive_a_pose_that_is_wrong_by_their_own_width(error_m: float) -> None:
    object_map = ObjectMap(ObjectMapConfig())
    for number, y_m in enumerate(PLACES * 5):
        slat = [observe_box(SLATS[number % 5], seed=number, count=40) for _ in range(1)]
        whole = observe_box(Box3D((2.0, 0.0, 1.0), (0.03, 0.39, 0.8)), seed=number)
        object_map.update([*slat, whole], frame_of(SLATS, number, y_m))
    watch(object_map, SLATS, PLACES * 5, error_m)
    assert len(object_map.objects()) == 1


def test_unmeasured_depth_retires_no_object() -> None:
    object_map = mapped(CHAIR)
    for number, y_m in enumerate(PLACES * 3, start=100):
        frame = frame_of((), number, y_m)
        frame.depth_m[:] = 0.0
        object_map.update([], frame)
    assert list(object_map.objects()) == [1]


def ghost() -> ObjectMap:
    """A map with a thing that was detected in three frames, and in none of very many since."""
    object_map = ObjectMap(ObjectMapConfig())
    for number in range(3):
        object_map.update([observe_box(CHAIR)], frame_of((CHAIR,), number, 0.0))
    assert list(object_map.objects()) == [1]
    watch(object_map, (CHAIR,), PLACES * 12)
    assert not object_map.objects()
    return object_map


def test_a_ghost_that_is_never_detected_again_is_recorded_as_one() -> None:
    restarted = ObjectMap(ObjectMapConfig())
    restarted.restore(ghost().export([1]))
    for object_map in (ghost(), restarted):
        (thing,) = object_map.gone().values()
        assert thing.is_ghost
        assert thing.stays[-1].gone_ns > thing.stays[-1].last_seen_ns == 200_000_000
    object_map = mapped(CHAIR)
    watch(object_map, (), PLACES)
    assert not object_map.gone()[1].is_ghost


def test_a_ghost_that_is_detected_again_was_there_all_along() -> None:
    object_map = ghost()
    seen(object_map, CHAIR, 300)
    (thing,) = object_map.objects().values()
    assert (thing.object_id, thing.stays, thing.is_ghost) == (1, (), False)
    assert (thing.here_since_ns, thing.observation_count) == (0, 8)
    assert not object_map.gone()


def test_a_ghost_does_not_move() -> None:
    object_map = ghost()
    seen(object_map, NEW, 300)
    assert list(object_map.objects()) == [2]
    assert list(object_map.gone()) == [1]


OLD = Box3D((2.0, -0.6, 1.0), (0.4, 0.4, 0.8))
NEW = Box3D((2.5, 0.8, 1.0), (0.4, 0.4, 0.8))


def seen(object_map: ObjectMap, box: Box3D, start: int, **details: object) -> None:
    for number, y_m in enumerate(PLACES, start=start):
        object_map.update([observe_box(box, seed=number, **details)], frame_of((box,), number, y_m))


def empty(object_map: ObjectMap, start: int) -> None:
    for number, y_m in enumerate(PLACES, start=start):
        object_map.update([], frame_of((), number, y_m))


def test_gone_object_found_elsewhere_keeps_its_id() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    seen(object_map, OLD, 0)
    empty(object_map, 100)
    assert list(object_map.gone()) == [1]
    seen(object_map, NEW, 200)
    (chair,) = object_map.objects().values()
    assert chair.object_id == 1
    assert chair.box.center == pytest.approx(NEW.center, abs=0.02)
    assert [stay.box.center for stay in chair.stays] == [pytest.approx(OLD.center, abs=0.02)]
    assert (chair.first_seen_ns, chair.observation_count) == (0, 10)
    assert not object_map.gone()


def test_object_found_elsewhere_before_its_old_place_is_seen_empty_keeps_its_id() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    seen(object_map, OLD, 0)
    updates = []
    for number, y_m in enumerate(PLACES * 2, start=100):
        observation = observe_box(NEW, seed=number)
        updates.append(object_map.update([observation], frame_of((NEW,), number, y_m)))
    (chair,) = object_map.objects().values()
    assert chair.object_id == 1
    assert len(chair.stays) == 1
    assert {2: 1} in [dict(update.merged) for update in updates]
    assert not any(update.retired for update in updates)


@pytest.mark.parametrize(
    "details", [{"label": "cup"}, {"rgb": (20.0, 200.0, 40.0)}], ids=["label", "colour"]
)
def test_another_thing_is_no_moved_one(details: dict[str, object]) -> None:
    object_map = ObjectMap(ObjectMapConfig())
    seen(object_map, OLD, 0)
    empty(object_map, 100)
    seen(object_map, NEW, 200, **details)
    assert list(object_map.objects()) == [2]
    assert list(object_map.gone()) == [1]


def test_something_much_smaller_is_no_moved_one() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    seen(object_map, OLD, 0)
    empty(object_map, 100)
    seen(object_map, Box3D(NEW.center, (0.1, 0.1, 0.1)), 200)
    assert list(object_map.gone()) == [1]


def test_a_chair_that_always_stood_there_too_stays_another_one() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    for number, y_m in enumerate(PLACES):
        both = [observe_box(OLD, seed=number), observe_box(NEW, seed=number)]
        object_map.update(both, frame_of((OLD, NEW), number, y_m))
    for number, y_m in enumerate(PLACES, start=100):
        object_map.update([observe_box(NEW, seed=number)], frame_of((NEW,), number, y_m))
    assert list(object_map.objects()) == [2]
    assert list(object_map.gone()) == [1]


def test_of_too_many_gone_objects_those_gone_longest_are_forgotten(monkeypatch) -> None:
    """Except those that a person has corrected."""
    monkeypatch.setattr(gone_objects, "MOST_GONE", 3)
    gone = gone_objects.GoneObjects()
    for object_id, gone_ns in {1: 50, 2: 10, 3: 40, 4: 20, 5: 30}.items():
        entry = MapEntry(object_id, ObjectMapConfig(), 0)
        entry.add(observe_box(CHAIR), View(0, np.zeros(3)))
        entry.retire(gone_ns)
        gone.add(entry)
    assert gone.take_oldest(edited_ids={2}) == {4, 5}
    assert list(gone.values()) == [1, 2, 3]
    assert gone.take_oldest(edited_ids={2}) == set()


def test_gone_objects_survive_a_restart() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    seen(object_map, OLD, 0)
    empty(object_map, 100)
    restarted = ObjectMap(ObjectMapConfig())
    restarted.restore(object_map.export([1]))
    assert not restarted.objects()
    assert restarted.gone()[1].stays == object_map.gone()[1].stays
    seen(restarted, NEW, 200)
    assert list(restarted.objects()) == [1]
    np.testing.assert_allclose(restarted.objects()[1].box.center, NEW.center, atol=0.02)


def test_object_has_the_time_since_which_it_is_at_its_place() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    seen(object_map, OLD, 0)
    assert object_map.objects()[1].here_since_ns == frame_of((), 0, 0.0).stamp_ns
    empty(object_map, 100)
    seen(object_map, NEW, 200)
    restarted = ObjectMap(ObjectMapConfig())
    restarted.restore(object_map.export([1]))
    (chair,) = restarted.objects().values()
    assert chair.here_since_ns == frame_of((), 200, 0.0).stamp_ns
    assert chair.stays[0].first_seen_ns == frame_of((), 0, 0.0).stamp_ns
