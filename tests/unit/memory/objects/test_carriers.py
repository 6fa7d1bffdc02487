"""What carries things, and what that says about their labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import ObjectMapConfig
from scenemind.memory.objects.box_table import BoxTable
from scenemind.memory.objects.carriers import (
    FLOOR,
    FLOOR_ID,
    carrier_evidence,
    carrier_group,
    find_carriers,
    groups_of,
    likeliness,
    weigh_carrier,
)
from scenemind.memory.objects.object_map import ObjectMap
from tests.unit.memory.things import Vector, empty_frame, observe

TABLE = (0.0, 0.0, 0.0, 2.0, 1.0, 0.75)
CASES = {
    "on its top": ((0.5, 0.5, 0.76, 0.6, 0.6, 0.86), 1),
    "on its top, as depth shows it": ((0.5, 0.5, 0.70, 0.6, 0.6, 0.86), 1),
    "far above it": ((0.5, 0.5, 1.2, 0.6, 0.6, 1.3), None),
    "beside it": ((2.5, 0.5, 0.76, 2.6, 0.6, 0.86), None),
    "under it, on the floor": ((0.5, 0.5, 0.0, 0.6, 0.6, 0.4), FLOOR_ID),
    "within it, as in a shelf": ((0.5, 0.5, 0.3, 0.6, 0.6, 0.4), 1),
    "much larger than it": ((-9.0, -9.0, 0.76, 10.0, 10.0, 0.8), None),
}


@pytest.mark.parametrize(("bounds", "carrier"), CASES.values(), ids=CASES)
def test_a_thing_stands_on_what_is_under_it(bounds: tuple[float, ...], carrier: int | None) -> None:
    boxes = BoxTable()
    boxes.set(1, np.array(TABLE))
    boxes.set(2, np.array(bounds))
    found = find_carriers(np.array([TABLE, bounds]), [1, 2], boxes, 0.0)
    assert found == [FLOOR_ID, carrier]


def test_of_several_the_nearest_top_carries() -> None:
    tray = (0.4, 0.4, 0.75, 0.9, 0.9, 0.78)
    boxes = BoxTable()
    for object_id, box in ((1, TABLE), (2, tray)):
        boxes.set(object_id, np.array(box))
    cup = np.array([(0.5, 0.5, 0.77, 0.6, 0.6, 0.86)])
    assert find_carriers(cup, [3], boxes, None) == [2]
    assert find_carriers(cup, [3], boxes, None, able=lambda i: i == 1) == [1]
    assert find_carriers(np.zeros((0, 6)), [], boxes, 0.0) == []


def test_kinds_stand_where_they_usually_do() -> None:
    for label, usual, odd in (
        ("refrigerator", FLOOR, "seats"),
        ("cup", "tables", FLOOR),
        ("backpack", "seats", "tables"),
        ("cell phone", "tables", FLOOR),
    ):
        assert carrier_evidence(label, usual) > 1.0 > carrier_evidence(label, odd), label
    assert carrier_evidence("gizmo", "seats") == 1.0
    assert carrier_evidence("potted plant", FLOOR) == 1.0  # a fourth of them, fewer than of others
    assert carrier_group("office desk") == "tables"
    assert carrier_group("poster") is None


@given(st.integers(0, 200), st.integers(1, 200), st.integers(0, 5000), st.integers(1, 5000))
def test_a_ratio_is_nearer_to_one_than_its_counts(
    on: int, off: int, all_on: int, all_off: int
) -> None:
    ratio = likeliness({"a": on, "b": off}, {"a": all_on, "b": all_off}, "a")
    expected = (on + off) * all_on / (all_on + all_off)
    counted = on / expected if expected else np.inf
    assert min(counted, 1.0) <= ratio + 1e-9
    assert ratio <= max(counted, 1.0) + 1e-9


def test_a_doubtful_carrier_says_little() -> None:
    sure, doubtful = groups_of({"couch": 0.95}), groups_of({"couch": 0.2})
    assert weigh_carrier("refrigerator", sure) < 0.35
    assert weigh_carrier("refrigerator", doubtful) > 0.8
    assert weigh_carrier("refrigerator", {}) == 1.0


def mapped(things: dict[str, tuple[Vector, Vector]]) -> ObjectMap:
    """Label -> centre and size, each seen from eight sides."""
    objects = ObjectMap(ObjectMapConfig())
    for number in range(8):
        seen = [
            observe(center, size, label=label, track_id=track, seed=number)
            for track, (label, (center, size)) in enumerate(things.items(), 1)
        ]
        viewer = 3.0 * np.cos(number), 3.0 * np.sin(number), 30.0
        objects.update(seen, empty_frame(number, viewer, number), floor_z=0.0)
    return objects


COUCH = ((0.0, 0.0, 0.4), (2.0, 0.9, 0.8))
ON_IT = ((0.0, 0.0, 1.6), (0.8, 0.7, 1.6))


def test_what_stands_on_a_couch_is_hardly_a_refrigerator() -> None:
    alone = mapped({"refrigerator": ON_IT}).objects()[1]
    objects = mapped({"couch": COUCH, "refrigerator": ON_IT}).objects()
    (fridge,) = (thing for thing in objects.values() if thing.label == "refrigerator")
    odds = fridge.confidence / (1.0 - fridge.confidence)
    assert odds < 0.3 * alone.confidence / (1.0 - alone.confidence)


def test_a_stored_map_knows_it_again_and_so_does_one_whose_carrier_came_later() -> None:
    objects = mapped({"couch": COUCH, "refrigerator": ON_IT})
    told = {i: thing.label_probabilities for i, thing in objects.objects().items()}
    again = ObjectMap(ObjectMapConfig())
    again.restore(objects.export(told), 0.0)
    assert {i: thing.label_probabilities for i, thing in again.objects().items()} == told

    later = ObjectMap(ObjectMapConfig())
    couch, fridge = objects.export(told)
    later.restore([fridge], 0.0)
    before = later.objects()[fridge.object_id]
    later.restore([couch], 0.0)
    after = later.objects()[fridge.object_id]
    assert after.label_probabilities == told[fridge.object_id] != before.label_probabilities
