"""Sources of scenes."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.evaluation import EvaluationError
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.sources import (
    MappedMemories,
    ObjectsMemory,
    ObjectsSource,
    predicted_instances,
)
from scenemind.memory import Edit, Memory, SceneMemoryError
from scenemind.reasoning import Query, Router
from tests.unit.evaluation import made

EPISODE = "hm3d-v0/000-hm3d-BFRyYbPCCPE"


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    root = tmp_path / "memories"
    for scene in (made.SCENE, EPISODE):
        folder = root / scene
        folder.parent.mkdir(parents=True, exist_ok=True)
        Memory.create(folder, SceneMindConfig()).close()
    return root


def test_true_objects_are_named_and_have_true_ids(tmp_path: Path) -> None:
    source = ObjectsSource(Scenes(made.write_objects(tmp_path)))
    assert (source.name, source.has_true_ids) == ("ground-truth objects", True)
    with source.opened(made.SCENE) as memory:
        assert sorted(memory.snapshot().objects) == [0, 1, 2, 3, 4]
    source.check(made.SCENE)
    with pytest.raises(EvaluationError, match="no scene scene9"):
        source.check("scene9")


def test_predicted_instances_are_as_sure_as_their_scores(tmp_path: Path) -> None:
    found = [{**thing, "score": 0.25} for thing in made.OBJECTS]
    found[0].pop("score")
    source = predicted_instances(made.write_objects(tmp_path, objects=found))
    assert (source.name, source.has_true_ids) == ("predicted instances", False)
    with source.opened(made.SCENE) as memory:
        objects = memory.snapshot().objects
        assert [objects[k].confidence for k in range(3)] == [1.0, 0.25, 0.25]
        with pytest.raises(SceneMemoryError, match="these are predicted instances only"):
            memory.key_frame(0)


@pytest.mark.parametrize("scene", [made.SCENE, EPISODE])
def test_a_memory_is_open_while_its_scene_is_asked(memories: Path, scene: str) -> None:
    source = MappedMemories(memories)
    source.check(scene)
    with source.opened(scene) as memory:
        assert memory.snapshot().objects == {}
        with pytest.raises(SceneMemoryError, match=r"read.only"):
            memory.undo()
    Memory.open(memories / scene, SceneMindConfig()).close()  # no process holds it any more


def test_error_of_a_missing_memory_says_how_to_map_it(memories: Path) -> None:
    source = MappedMemories(memories)
    with pytest.raises(EvaluationError, match=r"`scenemind map .*hm3d-v0 --memory 001-x`"):
        source.check("hm3d-v0/001-x")
    with pytest.raises(EvaluationError, match="no folder"):
        MappedMemories(memories / "nowhere")


@pytest.mark.parametrize("scene", ["../memories/scene0001_00/..", "../secret", "/etc"])
def test_names_of_scenes_do_not_lead_out_of_the_folder(memories: Path, scene: str) -> None:
    with pytest.raises(EvaluationError, match="leads out of"):
        MappedMemories(memories / "hm3d-v0").check(scene)


def test_memory_that_is_being_written_to(memories: Path) -> None:
    with (
        Memory.open(memories / made.SCENE, SceneMindConfig()),
        pytest.raises(EvaluationError, match="cannot be read"),
        MappedMemories(memories).opened(made.SCENE),
    ):
        pass


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
        memory.visits,
    ):
        with pytest.raises(SceneMemoryError, match="ground-truth objects"):
            refused()
