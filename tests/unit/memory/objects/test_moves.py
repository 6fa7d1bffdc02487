"""Objects that were moved keep their id and remember where they were."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory.objects.object_map import ObjectMap
from tests.unit.memory.objects.depth_scene import frame_of, observe_box

OLD = Box3D((2.0, -0.6, 1.0), (0.4, 0.4, 0.8))
NEW = Box3D((2.5, 0.8, 1.0), (0.4, 0.4, 0.8))
PLACES = (-0.4, -0.2, 0.0, 0.2, 0.4)


def seen(object_map: ObjectMap, box: Box3D, start: int, **details: object) -> None:
    for number, y_m in enumerate(PLACES, start=start):
        object_map.update([observe_box(box, seed=number, **details)], frame_of((box,), number, y_m))


def empty(object_map: ObjectMap, start: int) -> None:
    for number, y_m in enumerate(PLACES, start=start):
        object_map.update([], frame_of((), number, y_m))


def test_what_is_found_again_elsewhere_is_the_same_object() -> None:
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


def test_what_is_seen_at_its_new_place_before_the_old_one_is_seen_empty_is_too() -> None:
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


def test_what_is_gone_goes_through_a_restart() -> None:
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


def test_it_knows_since_when_it_is_where_it_is() -> None:
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
