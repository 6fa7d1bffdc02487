"""Counts of the mapping bench on maps with planted faults."""

from __future__ import annotations

import pytest

from benchmarks.mapping import doubled, score_room, summary
from scenemind.simulation import make_room
from tests.unit.memory.things import thing

ROOM = make_room(1)
SEEN = frozenset(item.instance_id for item in ROOM.objects)


def perfect_map():
    return [
        thing(99 + item.instance_id, item.label, item.box.center, item.box.size)
        for item in ROOM.objects
    ]


def test_perfect_map_has_everything_once_and_well_named():
    found = summary([score_room(1, ROOM, perfect_map(), SEEN)])
    assert found["mean_iou"] == pytest.approx(1.0)
    rest = {name: value for name, value in found.items() if name != "mean_iou"}
    assert rest == {"recall_25": 1, "precision_25": 1, "duplicates": 0, "labels_right": 1}


def test_missing_ghost_double_and_misnamed_objects_each_cost_their_own():
    count = len(ROOM.objects)
    first, *rest = perfect_map()
    (x, y, z), (length, width, height) = rest[0].box.center, rest[0].box.size
    double = thing(900, rest[0].label, (x, y, z), (length / 2, width, height))
    ghost = thing(901, "person", (0.0, 0.0, 2.4), (0.1, 0.1, 0.1))
    misnamed = thing(902, "submarine", rest[1].box.center, rest[1].box.size)
    found = summary([score_room(1, ROOM, [rest[0], double, ghost, misnamed, *rest[2:]], SEEN)])
    assert found["recall_25"] == pytest.approx((count - 1) / count)
    assert found["precision_25"] == pytest.approx((count - 1) / (count + 1))
    assert found["duplicates"] == pytest.approx(1 / (count + 1))
    assert found["labels_right"] == pytest.approx((count - 2) / (count - 1))
    assert first.label  # the missing one


def test_object_that_was_hardly_seen_does_not_count():
    hardly = ROOM.objects[0].instance_id
    with_it = score_room(1, ROOM, perfect_map(), SEEN - {hardly})
    without_it = score_room(1, ROOM, perfect_map()[1:], SEEN - {hardly})
    assert summary([with_it]) == pytest.approx(summary([without_it]))


def test_rooms_weigh_by_their_objects():
    nothing_found = score_room(1, ROOM, [], SEEN)
    all_of_two = score_room(1, ROOM, perfect_map()[:2], {1, 2})
    found = summary([nothing_found, all_of_two])
    assert found["recall_25"] == pytest.approx(2 / (len(ROOM.objects) + 2))
    assert found["precision_25"] == 1.0


def test_one_label_in_one_place_is_doubled_and_neighbours_are_not():
    chair = thing(1, "chair", (0.0, 0.0, 0.5), (0.5, 0.5, 1.0))
    beside = thing(2, "chair", (0.5, 0.0, 0.5), (0.5, 0.5, 1.0))
    within = thing(3, "chair", (0.1, 0.0, 0.4), (0.4, 0.4, 0.8))
    table = thing(4, "table", (0.0, 0.0, 0.5), (0.5, 0.5, 1.0))
    assert doubled([chair, beside, within, table]) == [(1, 3)]
