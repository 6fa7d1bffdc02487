"""Every question of several simulated rooms, on their true boxes: the simulation knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.reasoning import Router
from scenemind.simulation.make_room import make_room
from scenemind.simulation.questions import Question, make_questions

from .scene import SmallMemory, query, snapshot_of, thing


def _is_right(router: Router, question: Question) -> bool:
    if question.kind == "ground":
        grounding = router.ground(query(question.text))
        return question.is_answered_by("", [obj.object_id for obj in grounding.objects])
    answer = router.ask(query(question.text))
    return question.is_answered_by(answer.text, [obj.object_id for obj in answer.objects])


@pytest.mark.parametrize("seed", range(1, 6))
def test_all_questions_are_answered_right(seed: int) -> None:
    room = make_room(seed)
    objects = [
        replace(thing(o.instance_id, o.label, (0, 0, 0), (0, 0, 0), color=o.color), box=o.box)
        for o in room.objects
    ]
    router = Router(SmallMemory(snapshot_of(objects)))
    questions = make_questions(room)
    assert len(questions) > 50
    assert [q.text for q in questions if not _is_right(router, q)] == []
