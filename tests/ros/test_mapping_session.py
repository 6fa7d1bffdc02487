"""The memory and mapper of a mapping node, its diagnostics and its topics, without a camera."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

import scenemind as sm
from scenemind.config import SceneMindConfig
from scenemind.geometry import Pose
from scenemind.memory import Memory, SceneMemoryError
from scenemind.memory.places.coming_back import ComingBack
from scenemind.simulation import simulate
from scenemind_interfaces.msg import SceneGraph
from scenemind_ros.input.camera_input import CameraInput
from scenemind_ros.mapping import session as session_module
from scenemind_ros.mapping.map_publisher import MapPublisher
from scenemind_ros.mapping.session import MappingDiagnostics, MappingSession, Rates
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import LATCHED

from .graph import SIMULATED, RosGraph, wait_for

PARAMETERS = MappingParameters.from_flat(SIMULATED)
FRAME: Any = object()  # no frame: mapping it is a bug


@pytest.fixture
def session() -> Iterator[MappingSession]:
    session = MappingSession(PARAMETERS, lambda _report: None)
    yield session
    session.close()


def status_of(graph: RosGraph, session: MappingSession, part: str) -> DiagnosticStatus:
    source = CameraInput(graph.observer, PARAMETERS, session.submit, lambda _: None)
    message = MappingDiagnostics(graph.observer, PARAMETERS, source, session).message()
    (status,) = [status for status in message.status if status.name.endswith(part)]
    return status


def test_positions_of_an_earlier_visit_have_its_frame_until_mapping_locates_it(
    tmp_path: Path,
) -> None:
    sm.map(simulate(2, 3), tmp_path / "room").close()
    settings = {"memory.root": str(tmp_path), "memory.name": "room", "memory.relocate": True}
    parameters = MappingParameters.from_flat(SIMULATED | settings)
    session = MappingSession(parameters, lambda _report: None)
    try:
        assert session.world_frame == "map_of_earlier_visit"  # not active yet
        session.name_instances({1: "chair"})
        session.start()
        assert session.mapped is not session.memory
        session.stop()
        assert session.world_frame == "map_of_earlier_visit"
        session.reset()
        assert session.world_frame == "map"  # nothing of that visit is left
        assert session.mapped is session.memory
    finally:
        session.close()


def test_a_full_disk_leaves_a_located_visit_to_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sm.map(simulate(2, 3), tmp_path / "room").close()
    settings = {"memory.root": str(tmp_path), "memory.name": "room", "memory.relocate": True}
    reported: list[Any] = []
    session = MappingSession(MappingParameters.from_flat(SIMULATED | settings), reported.append)
    report: Any = object()
    try:
        session.name_instances({1: "chair"})
        session.start()
        monkeypatch.setattr(ComingBack, "note_frame", lambda _self, **_how: Pose.identity())
        with monkeypatch.context() as full:
            error = SceneMemoryError("the disk is full")
            full.setattr(Memory, "merge", Mock(side_effect=error))
            session._note_frame(report)
        assert "the disk is full" in caplog.text
        assert not session.is_located
        session._note_frame(report)
        assert session.is_located
        assert reported == [report, report]
    finally:
        session.close()


def test_dropped_frames_stay_counted_when_mapping_stops(session: MappingSession) -> None:
    for _ in range(PARAMETERS.pending_frames + 3):
        session.submit(FRAME)
    assert session.dropped == 3
    session.stop()
    for _ in range(PARAMETERS.pending_frames + 1):
        session.submit(FRAME)
    assert session.dropped == 4


def test_an_error_of_mapping_is_an_error_on_diagnostics(
    graph: RosGraph, session: MappingSession
) -> None:
    session.name_instances({1: "chair"})
    session.start()
    session.submit(FRAME)
    wait_for(lambda: session.failure, "the error")
    status = status_of(graph, session, "mapper")
    assert status.level == DiagnosticStatus.ERROR
    assert "mapping has stopped" in status.message
    assert "deactivate and activate" in status.message


def test_closing_of_loops_says_what_it_did(graph: RosGraph, session: MappingSession) -> None:
    session.name_instances({1: "chair"})
    session.start()
    status = status_of(graph, session, "loop closure")
    assert status.level == DiagnosticStatus.OK
    values = {value.key: value.value for value in status.values}
    assert (values["loops"], values["applied"]) == ("0", "0")
    session.stop()
    assert session.loops is None


def test_loops_are_left_to_a_slam_system() -> None:
    assert PARAMETERS.own_loops.enabled
    for name, value in (
        ("corrections.path", "/path"),
        ("corrections.tf", True),
        ("pose_source", "tf"),
        ("loop_closure.enabled", False),
    ):
        assert not MappingParameters.from_flat({**SIMULATED, name: value}).own_loops.enabled


@pytest.mark.parametrize("failed", ["images_failed", "failed_commits"])
def test_a_failing_disk_is_a_warning(
    graph: RosGraph, session: MappingSession, failed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert status_of(graph, session, "memory").level == DiagnosticStatus.OK
    stats = replace(session.memory.stats(), **{failed: 2})
    monkeypatch.setattr(session.memory, "stats", lambda: stats)
    status = status_of(graph, session, "memory")
    assert status.level == DiagnosticStatus.WARN
    assert "failed 2 times" in status.message


def test_a_rate_is_that_since_the_last_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr(session_module, "time", SimpleNamespace(monotonic=lambda: now_s))
    rates = Rates()
    assert rates.hz("frames", 1000) == 0.0
    now_s += 2.0
    assert rates.hz("frames", 1010) == 5.0
    now_s += 1.0
    assert rates.hz("frames", 1010) == 0.0


def test_a_memory_is_found_that_was_being_replaced_when_the_process_ended(
    stored_room: Path, tmp_path: Path
) -> None:
    shutil.copytree(stored_room, tmp_path / "room.replaced")
    stored = {"memory.root": str(tmp_path), "memory.name": "room"}
    session = MappingSession(MappingParameters.from_flat(SIMULATED | stored), lambda _: None)
    assert session.memory.snapshot().objects
    session.close()
    assert [path.name for path in tmp_path.iterdir()] == ["room"]


def test_another_memory_of_the_same_revision_is_published(graph: RosGraph) -> None:
    heard = graph.listen(SceneGraph, "~/scene_graph", LATCHED)
    outgoing = MapPublisher(graph.observer, tree_locations=50)
    wait_for(lambda: graph.observer.count_subscribers("/observer/scene_graph"), "the listener")
    for count in (1, 2):
        with Memory.create(None, SceneMindConfig()) as memory:

            def is_heard(memory: Memory = memory, count: int = count) -> bool:
                outgoing.publish(memory, "map")
                return len(heard) == count

            wait_for(is_heard, "its scene graph", 5.0)
