"""Maps of one simulated room with two origins: located, merged, continued; and other rooms."""

from __future__ import annotations

import importlib.util
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import scenemind as sm
from scenemind.cli.main import app
from scenemind.errors import SceneMemoryError
from scenemind.geometry import Pose
from scenemind.memory.places import locating
from scenemind.memory.places.constellation import turn_about_z
from scenemind.memory.places.locating import locate
from scenemind.memory.places.refining import refined
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import SimulatedSequence, match_objects, simulate, simulate_visit

FRAMES = 60


def mapped(sequence: SimulatedSequence, memory: Path) -> Path:
    sm.map(sequence, memory, detector=InstanceCamera(sequence.class_names)).close()
    return memory


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("places")


@pytest.fixture(scope="module")
def old(folder: Path) -> Path:
    return mapped(simulate(2, FRAMES), folder / "old")


@pytest.fixture(scope="module")
def visit() -> SimulatedSequence:
    whole = simulate_visit(2, 1, 2 * FRAMES).delayed(600)
    return replace(
        whole, true_poses=whole.true_poses[:FRAMES], odometry=(whole.odometry or ())[:FRAMES]
    )


@pytest.fixture(scope="module")
def new(folder: Path, visit: SimulatedSequence) -> Path:
    return mapped(visit, folder / "new")


def off_by(found: Pose, visit: SimulatedSequence) -> tuple[float, float]:
    error = found.inverse() @ visit.world_T_odometry(0)
    return float(np.linalg.norm(error.translation)), math.degrees(error.angle_rad(Pose.identity()))


def test_a_visit_with_another_origin_is_located(
    old: Path, new: Path, visit: SimulatedSequence
) -> None:
    with sm.open(old, read_only=True) as place, sm.open(new, read_only=True) as other:
        found = locate(other.memory, place.memory)
    assert found.old_T_new is not None, found.reason
    metres, degrees = off_by(found.old_T_new, visit)
    assert metres < 0.15
    assert degrees < 3.0
    assert found.agreement > 0.95


@pytest.mark.extras
@pytest.mark.usefixtures("open3d")
@pytest.mark.parametrize("off", [(0.0, 0.0, 0.0, 0.0), (0.05, 0.12, -0.1, 0.03)])
def test_depth_refines_where_objects_put_it(
    old: Path,
    new: Path,
    visit: SimulatedSequence,
    off: tuple[float, float, float, float],
) -> None:
    guess = turn_about_z(*off) @ visit.world_T_odometry(0)
    with sm.open(old, read_only=True) as place, sm.open(new, read_only=True) as other:
        found, why = refined(other.memory, place.memory, guess)
        assert locate(other.memory, place.memory).unrefined == ""
    assert why == ""
    metres, degrees = off_by(found, visit)
    assert metres < 0.03
    assert degrees < 0.5


@pytest.mark.extras
@pytest.mark.usefixtures("open3d")
def test_depth_that_lies_elsewhere_refines_nothing(
    old: Path, new: Path, visit: SimulatedSequence
) -> None:
    guess = turn_about_z(0.0, 0.35, 0.0, 0.0) @ visit.world_T_odometry(0)
    with sm.open(old, read_only=True) as place, sm.open(new, read_only=True) as other:
        found, why = refined(other.memory, place.memory, guess)
    assert why != ""
    assert found is guess


def test_without_open3d_a_place_is_where_the_objects_put_it(
    old: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "open3d" else find_spec(name)
    )
    with sm.open(old, read_only=True) as place, sm.open(new, read_only=True) as other:
        found = locate(other.memory, place.memory)
    assert found.old_T_new is not None, found.reason
    assert "pip install" in found.unrefined


def test_of_few_objects_depth_decides(
    old: Path, visit: SimulatedSequence, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table and five chairs may stand so by chance; that depth agrees everywhere may not."""
    seats = {i: name for i, name in visit.class_names.items() if name in ("chair", "dining table")}
    memory = folder / "seats"
    sm.map(visit, memory, detector=InstanceCamera(seats)).close()
    with sm.open(old, read_only=True) as place, sm.open(memory, read_only=True) as other:
        found = locate(other.memory, place.memory)
        monkeypatch.setattr(locating, "_AGREE_WELL", 1.1)
        alone = locate(other.memory, place.memory)
    assert found.old_T_new is not None, found.reason
    metres, degrees = off_by(found.old_T_new, visit)
    assert metres < 0.15
    assert degrees < 3.0
    assert alone.old_T_new is None
    assert "may be chance" in alone.reason


def test_merging_keeps_ids_and_doubles_nothing(
    old: Path, new: Path, visit: SimulatedSequence, folder: Path
) -> None:
    with sm.open(old) as place:
        place.memory.save_as("merged")  # type: ignore[union-attr]
    with sm.open(folder / "merged") as place, sm.open(new) as other:
        before = {thing.id: thing.label for thing in place.objects}
        frames = place.memory.last_frame_number + 1
        other.align(f"object {other.objects[0].id} is a totem", by="Ada")
        done = place.merge(other)
        assert done.frames == len(visit)
        assert len(done.same) >= 0.8 * len(done.object_ids)
        assert place.snapshot.objects[done.object_ids[other.objects[0].id]].label == "totem"
        assert len(other.objects) == len(done.object_ids)
    with sm.open(folder / "merged") as place:  # all of it is on disk
        scene = place.snapshot
        table = match_objects(scene.objects.values(), visit.room)
        assert len(table.duplicates) <= 1
        now = set(done.object_ids.values()) & before.keys()
        assert now == {i for i in now if i in scene.objects}
        newest = max(place.memory.stored_frames())
        assert newest >= frames
        seen_from = place.memory.key_frame(newest).world_T_camera
        true = visit.true_poses[newest - frames]
        assert seen_from.distance_m(true) < 0.15
        assert len(place.memory.tree()) > 1


def test_a_camera_that_comes_back_goes_on_in_the_old_map(
    old: Path, visit: SimulatedSequence, folder: Path
) -> None:
    with sm.open(old) as place:
        place.memory.save_as("continued")  # type: ignore[union-attr]
        ids = {thing.id for thing in place.objects}
    detector = InstanceCamera(visit.class_names)
    with sm.open(folder / "continued", relocate=True, detector=detector) as place:
        assert not place.is_located
        assert "earlier visit" in place.ask("how many chairs are there?").text
        assert "earlier visit" in place.ground("the chair").reasoning
        place.map(visit)
        assert place.is_located, place.why_not_located
        assert "earlier visit" not in place.ask("how many chairs are there?").text
        assert "earlier visit" not in place.ground("the chair").reasoning
        assert len(ids & {thing.id for thing in place.objects}) >= 0.9 * len(ids)
        camera = place.snapshot.world_T_camera
        assert camera is not None
        assert camera.distance_m(visit.true_poses[-1]) < 0.15
        assert len(match_objects(place.objects, visit.room).duplicates) <= 1


def test_another_room_is_never_merged(old: Path, folder: Path) -> None:
    other = mapped(simulate(5, FRAMES), folder / "other")
    with sm.open(old) as place, sm.open(other, read_only=True) as room:
        before = place.snapshot
        with pytest.raises(SceneMemoryError, match="cannot be told"):
            place.merge(room)
        assert place.snapshot.objects.keys() == before.objects.keys()


def test_the_command_merges_by_name(old: Path, new: Path, folder: Path) -> None:
    with sm.open(old) as place:
        place.writable_memory.save_as("by-name")
    runner, root = CliRunner(), ["--memory-root", str(folder)]
    done = runner.invoke(app, ["memory", "merge", "by-name", new.name, *root, "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["frames"] == FRAMES
    assert len(result["known"]) >= 0.8 * len(result["object_ids"])


def test_a_nearly_empty_map_cannot_tell(old: Path, folder: Path) -> None:
    glance = simulate_visit(2, 3, 300)
    glance = replace(glance, true_poses=glance.true_poses[:1], odometry=(glance.odometry or ())[:1])
    memory = mapped(glance, folder / "glance")
    with sm.open(old) as place, sm.open(memory, read_only=True) as seen:
        assert locate(seen.memory, place.memory).old_T_new is None


def test_a_memory_cannot_be_merged_with_itself(old: Path) -> None:
    with sm.open(old) as place, pytest.raises(SceneMemoryError, match="with itself"):
        place.merge(place)
