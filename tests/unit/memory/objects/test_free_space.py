"""Objects leave the map where the camera sees through them, and only there."""

from __future__ import annotations

import pytest

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
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


def test_what_was_taken_away_is_gone_with_its_stay() -> None:
    object_map = mapped(CHAIR)
    watch(object_map, (), PLACES)
    assert not object_map.objects()
    (chair,) = object_map.gone().values()
    (stay,) = chair.stays
    assert (stay.first_seen_ns, stay.last_seen_ns) == (0, 400_000_000)
    assert stay.gone_ns == 10_200_000_000  # the third place that it was seen through from
    assert stay.box.center == pytest.approx(CHAIR.center, abs=0.02)


def test_an_update_says_what_was_retired() -> None:
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


def test_looking_without_detecting_changes_what_is_shown_and_stored_alike() -> None:
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


def test_unmeasured_depth_says_nothing() -> None:
    object_map = mapped(CHAIR)
    for number, y_m in enumerate(PLACES * 3, start=100):
        frame = frame_of((), number, y_m)
        frame.depth_m[:] = 0.0
        object_map.update([], frame)
    assert list(object_map.objects()) == [1]


def test_a_ghost_that_is_never_detected_again_is_forgotten() -> None:
    object_map = ObjectMap(ObjectMapConfig())
    for number in range(3):
        object_map.update([observe_box(CHAIR)], frame_of((CHAIR,), number, 0.0))
    assert list(object_map.objects()) == [1]
    watch(object_map, (CHAIR,), PLACES * 12)
    assert not object_map.objects()
    assert not object_map.gone()
