"""`scenemind doctor --live` beside a player of a simulated room."""

from __future__ import annotations

from functools import partial

from scenemind.config import SyncConfig
from scenemind.doctor.examination import examine
from scenemind_ros.commands.doctor_live import DoctorNode
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.sequence_player import SequencePlayer

from .graph import RosGraph, wait_for

FRAMES = 20


def test_a_running_camera_is_examined(graph: RosGraph) -> None:
    doctor = graph.add(partial(DoctorNode, MappingParameters()), {})
    player = graph.add(SequencePlayer, {"sequence": "sim:1", "frames": FRAMES})
    wait_for(lambda: doctor.count_publishers("/odom"), "the player")
    wait_for(lambda: doctor.count_publishers("/camera/camera/color/image_raw"), "the player")
    doctor.listen(seconds=1.0)
    graph.in_background(player.play)

    def has_all() -> bool:
        streams = doctor.evidence().streams
        return all(len(stream.stamps_ns) == FRAMES for stream in streams.values())

    wait_for(has_all, "every message")
    checks = {finding.check: finding for finding in examine(doctor.evidence(), SyncConfig())}
    problems = {name: check for name, check in checks.items() if check.status != "ok"}
    assert problems.keys() == {"clock"}, "the recorded stamps are old, the rest is well"
    assert "1.10 m below" in checks["floor"].measured
    assert checks["color QoS"].measured == "reliable, volatile"


def test_a_silent_graph_names_every_topic(graph: RosGraph) -> None:
    doctor = graph.add(partial(DoctorNode, MappingParameters()), {})
    doctor.listen(seconds=1.0)
    findings = examine(doctor.evidence(), SyncConfig())
    assert [finding.check for finding in findings if finding.status == "fail"] == [
        "color topic",
        "depth topic",
        "camera_info topic",
        "odometry topic",
    ]
