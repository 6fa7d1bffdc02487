"""Ground-truth objects as a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.evaluation.scenes import Scenes
from scenemind.memory import Edit, SceneMemoryError
from scenemind.reasoning import Query, Router
from tests.unit.evaluation import made


@pytest.fixture
def memory(tmp_path: Path) -> ObjectsMemory:
    return ObjectsMemory(Scenes(made.write_objects(tmp_path)).get_snapshot(made.SCENE))


def test_a_router_answers_on_it(memory: ObjectsMemory) -> None:
    answer = Router(memory).ask(Query("how many chairs are there?"))
    assert answer.failure is None
    assert {thing.object_id for thing in answer.objects} == {1, 2}
    assert answer.key_frames == ()


def test_there_are_no_frames(memory: ObjectsMemory) -> None:
    assert list(memory.stored_frames()) == memory.select_key_frames([1]) == []
    assert memory.tree_json().locations_shown == 0
    assert len(memory.frame_index()) == 0
    for ask in (memory.key_frame, memory.depth_image):
        with pytest.raises(SceneMemoryError, match="frame 3 is not stored"):
            ask(3)


def test_it_takes_no_corrections(memory: ObjectsMemory) -> None:
    rename = Edit("rename", (1,), value="stool")
    assert memory.corrections() == memory.find_similar(rename) == []
    for refused in (
        lambda: memory.apply([rename], "me", "because"),
        memory.undo,
        memory.redo,
        memory.changes_since,
    ):
        with pytest.raises(SceneMemoryError, match="ground-truth objects"):
            refused()
