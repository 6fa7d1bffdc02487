"""A drive of two rounds whose odometry drifts, and what stands in the way of closing its loop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from types import ModuleType

import numpy as np
import pytest

from scenemind.config import LoopClosureConfig, SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Pose
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.mapping import Mapper, map_all
from scenemind.memory import Memory
from scenemind.memory.loops import closing as loop_closing
from scenemind.memory.loops.closing import LoopClosing
from scenemind.memory.loops.submaps import shared
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Drift, Sensors, SimulatedSequence, simulate

CONFIG = SceneMindConfig()
FRAMES = 240
# At the end of two rounds it is off by more than 0.3 m.
SENSORS = Sensors(width=320, height=240, drift=Drift(0.01, 0.5))


@pytest.fixture(scope="module")
def drive() -> SimulatedSequence:
    return simulate(3, FRAMES, SENSORS, loops=2)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.create(None, CONFIG) as made:
        yield made


def drive_through(memory: Memory, drive: SimulatedSequence, loops: LoopClosing) -> float:
    """Map a drive; how far the camera's last place in the map is from the true one, metres."""
    mapper = Mapper(InstanceCamera(drive.class_names), memory, CONFIG, loops=loops)
    map_all(mapper, read_sequence(drive))
    pose = memory.snapshot().world_T_camera
    assert pose is not None
    return pose.distance_m(drive.true_poses[-1])


@pytest.mark.extras
def test_a_loop_takes_drift_back(
    open3d: ModuleType,  # noqa: ARG001
    memory: Memory,
    drive: SimulatedSequence,
) -> None:
    drifted_m, _ = drive.drift_at_end
    with closing(LoopClosing(memory, CONFIG.loop_closure, patiently=True)) as loops:
        off_m = drive_through(memory, drive, loops)
        report, ends = loops.report(), loops.closed()
    assert drifted_m > 0.3
    assert off_m < 0.4 * drifted_m
    assert report.problem == ""
    assert report.found == len(ends) >= 4
    assert report.applied >= 1
    assert report.residual_m is not None
    assert report.residual_m < 0.03
    assert len(memory.pose_corrections()) == report.applied
    assert all(first < second for first, second in ends)


@pytest.mark.extras
def test_poses_that_are_right_stay(open3d: ModuleType, memory: Memory) -> None:  # noqa: ARG001
    exact = simulate(3, FRAMES, Sensors(width=320, height=240), loops=2)
    with closing(LoopClosing(memory, CONFIG.loop_closure, patiently=True)) as loops:
        off_m = drive_through(memory, exact, loops)
        report = loops.report()
    assert report.found >= 4
    assert off_m < 0.02


def test_without_open3d_it_is_said_once_and_mapping_goes_on(
    memory: Memory, drive: SimulatedSequence, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def missing(purpose: str) -> ModuleType:
        asked.append(purpose)
        raise MissingOpen3DError(f"{purpose} needs Open3D")

    monkeypatch.setattr(loop_closing, "load_open3d", missing)
    with closing(LoopClosing(memory, CONFIG.loop_closure, patiently=True)) as loops:
        drive_through(memory, drive, loops)
        assert loops.report().problem == "closing loops needs Open3D"
    assert asked == ["closing loops"]
    assert len(memory.snapshot().objects) > 10


def steps(count: int) -> Iterator[tuple[int, Pose]]:
    for number in range(count):
        yield number, Pose(np.eye(3), np.array([0.2 * number, 0.0, 0.0]))


def test_a_look_waits_while_mapping_is_late(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    monkeypatch.setattr(loop_closing, "load_open3d", lambda _: object())
    monkeypatch.setattr(LoopClosing, "_look_back", lambda *_: looks.append("a look"))
    config = LoopClosureConfig(put_off_frames=10)
    with closing(LoopClosing(memory, config, patiently=True)) as loops:
        for number, pose in steps(12):
            loops.note_frame(number, pose, is_late=True)
        assert looks == []
        assert loops.report().put_off == 1
        for number, pose in steps(20):
            loops.note_frame(12 + number, pose, is_late=True)
        assert looks != []  # no longer than the configured number of frames


def test_after_a_reset_the_way_begins_anew(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []

    def look(loops: LoopClosing, _: ModuleType) -> None:
        begun.append(loops._begins_anew)

    monkeypatch.setattr(loop_closing, "load_open3d", lambda _: object())
    monkeypatch.setattr(LoopClosing, "_look_back", look)
    with closing(LoopClosing(memory, CONFIG.loop_closure, patiently=True)) as loops:
        for number, pose in [*steps(15), *steps(15)]:
            loops.note_frame(number, pose)
    assert begun[0] is False
    assert begun[-1] is True


def test_who_waits_for_open3d_loads_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of low priority would take as long as a busy machine lets it, and so would who waits
    for it: a node did not hear Ctrl-C meanwhile."""
    threads: list[threading.Thread] = []
    monkeypatch.setattr(
        loop_closing, "load_open3d", lambda _: threads.append(threading.current_thread())
    )
    with closing(LoopClosing(memory, CONFIG.loop_closure)) as loops:
        loops.prepare()
    assert threads == [threading.current_thread()]


def test_it_can_be_switched_off(memory: Memory) -> None:
    with closing(LoopClosing(memory, LoopClosureConfig(enabled=False))) as loops:
        for number, pose in steps(50):
            loops.note_frame(number, pose)
        assert loops.report().problem == "loop_closure.enabled is false"
        assert loops.report().pieces == 0


def test_points_are_shared_up_to_the_cell_beside() -> None:
    a = np.array([[0.1, 0.1, 0.1], [5.1, 0.1, 0.1]], np.float32)
    assert shared(a, a[:1] + np.float32(0.6), 0.5) == 0.5
    assert shared(a, a[:1] + np.float32(1.6), 0.5) == 0.0
    assert shared(a, np.zeros((0, 3), np.float32), 0.5) == 0.0
