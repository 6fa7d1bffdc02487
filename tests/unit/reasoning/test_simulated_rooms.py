"""Every question of several simulated rooms, on their true boxes: the simulation knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, Stay, StructurePlane
from scenemind.reasoning import Router
from scenemind.simulation import Room, Sensors, SimObject, make_change_questions, simulate
from scenemind.simulation.questions import Question, make_questions
from scenemind.simulation.room_generator import make_room
from tests.unit.reasoning.scene import SmallMemory, query, snapshot_of, thing

# A minute covers all of the sequence.
NEWEST_NS = 60_000_000_001


def _is_right(router: Router, question: Question) -> bool:
    if question.kind == "ground":
        grounding = router.ground(query(question.text))
        return question.is_answered_by("", [obj.object_id for obj in grounding.objects])
    answer = router.ask(query(question.text))
    return question.is_answered_by(answer.text, [obj.object_id for obj in answer.objects])


def building_of(room: Room) -> list[StructurePlane]:
    """The floor and the four walls of a room."""
    x, y, z = room.size
    planes = [StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (x, y, 0.02)), (0, 0, 1), x * y)]
    for side in (-1.0, 1.0):
        across = Box3D((side * x / 2, 0, z / 2), (0.02, y, z)), (-side, 0.0, 0.0)
        along = Box3D((0, side * y / 2, z / 2), (x, 0.02, z)), (0.0, -side, 0.0)
        for box, normal in (across, along):
            planes.append(StructurePlane(-1 - len(planes), "wall", box, normal, 1.0))
    return planes


@pytest.mark.parametrize("seed", range(1, 6))
def test_all_questions_are_answered_right(seed: int) -> None:
    room = make_room(seed)
    objects = [
        replace(thing(o.instance_id, o.label, (0, 0, 0), (0, 0, 0), color=o.color), box=o.box)
        for o in room.objects
    ]
    router = Router(SmallMemory(snapshot_of(objects, structure=building_of(room))))
    questions = make_questions(room)
    assert len(questions) > 50
    assert [q.text for q in questions if not _is_right(router, q)] == []


@pytest.mark.parametrize("seed", range(1, 4))
def test_questions_about_moved_objects_are_answered_right(seed: int) -> None:
    """By a memory that saw each change as soon as it had happened."""
    sequence = simulate(seed, 240, Sensors(64, 48), loops=2, changes=6)
    after = sequence.room_at(NEWEST_NS)
    objects = {o.instance_id: _seen(o) for o in after.objects}
    gone: dict[int, MapObject] = {}
    for change in sequence.changes:
        stay = Stay(change.old_box, 1, change.stamp_ns - 1, change.stamp_ns)
        if change.after is None:
            gone[change.instance_id] = replace(_seen(change.before), stays=(stay,))
        else:
            known = objects[change.instance_id]
            since = replace(known, stays=(stay,), here_since_ns=change.stamp_ns)
            objects[change.instance_id] = since
    snapshot = replace(snapshot_of(list(objects.values())), stamp_ns=NEWEST_NS, gone=gone)
    router = Router(SmallMemory(snapshot))
    questions = list(make_change_questions(sequence.changes, "in the last minute"))
    assert len(questions) == len({change.kind for change in sequence.changes})
    assert [q.text for q in questions if not _is_right(router, q)] == []


def _seen(item: SimObject) -> MapObject:
    """From the first to the newest moment."""
    known = thing(item.instance_id, item.label, (0, 0, 0), (0, 0, 0), color=item.color)
    return replace(known, box=item.box, first_seen_ns=1, last_seen_ns=NEWEST_NS, here_since_ns=1)
