"""`scenemind doctor --live` beside a player of a simulated room."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from rclpy.node import Node
from sensor_msgs.msg import Image

from scenemind.config import SyncConfig
from scenemind.doctor.examination import examine
from scenemind.doctor.findings import Finding
from scenemind.ros_environment import private_domain
from scenemind_ros.commands.doctor_live import DoctorNode
from scenemind_ros.commands.driver_checks import (
    RealsenseSettings,
    Segment,
    check_losses,
    check_shared_memory,
    segments,
)
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
    assert problems.keys() == {"clock", "nodes"}, "the stamps are old, and no node maps"
    assert "1.10 m below" in checks["floor"].measured
    assert checks["color QoS"].measured == "reliable, volatile"


def test_nodes_of_the_project_are_found_or_missed(graph: RosGraph) -> None:
    doctor = graph.add(partial(DoctorNode, MappingParameters()), {})

    def nodes() -> Finding:
        doctor.listen(seconds=1.0)
        (finding,) = (f for f in doctor.evidence().found if f.check == "nodes")
        return finding

    assert nodes().measured == "mapping_node is not found; reasoning_node is not found"
    assert "scenemind up" in nodes().fix
    graph.spin(Node("mapping_node", context=graph.context))
    wait_for(lambda: nodes().measured.startswith("mapping_node runs;"), "the first node")
    assert nodes().status == "warn"
    graph.spin(Node("reasoning_node", namespace="/r1", context=graph.context))
    wait_for(lambda: nodes().status == "ok", "the second node")
    assert nodes().measured == "mapping_node runs; reasoning_node runs as /r1/reasoning_node"
    assert not nodes().fix


def test_settings_of_realsense_that_spoil_maps_are_named_with_the_line_to_type(
    graph: RosGraph,
) -> None:
    """A node with the parameters of its driver, which publishes the colour topic."""
    driver = Node("camera", namespace="/camera", context=graph.context)
    values = {
        "enable_color": True,
        "align_depth.enable": True,
        "enable_sync": False,
        "depth_module.emitter_enabled": 0,
        "rgb_camera.color_profile": "1920x1080x30",
        "depth_module.depth_profile": "640,480,3",
    }
    for name, value in values.items():
        driver.declare_parameter(name, value)
    driver.create_publisher(Image, "/camera/camera/color/image_raw", 10)
    graph.spin(driver)
    doctor = graph.add(partial(DoctorNode, MappingParameters()), {})
    wait_for(lambda: doctor.count_publishers("/camera/camera/color/image_raw"), "the driver")
    doctor.listen(seconds=1.0)

    def settings() -> list[Finding]:
        return [f for f in doctor.evidence().found if f.check == "RealSense settings"]

    found = wait_for(settings, "its settings")
    assert {finding.status for finding in found} == {"warn"}
    fixes = {finding.measured.split()[0]: finding.fix for finding in found}
    assert fixes["enable_sync"] == "ros2 param set /camera/camera enable_sync true"
    assert fixes["depth_module.emitter_enabled"].endswith("depth_module.emitter_enabled 1")
    assert "640x480x30" in fixes["rgb_camera.color_profile"]
    assert "3 a second" in next(f.measured for f in found if "depth_profile" in f.measured)
    assert "align_depth.enable" not in fixes


def test_another_driver_has_no_settings_of_realsense(graph: RosGraph) -> None:
    doctor = graph.add(partial(DoctorNode, MappingParameters()), {})
    player = graph.add(SequencePlayer, {"sequence": "sim:1", "frames": 1})
    topic = "/camera/camera/color/image_raw"
    wait_for(lambda: doctor.count_publishers(topic), "the player")
    asked = RealsenseSettings(doctor, topic)
    wait_for(lambda: asked.is_answered, "the answer")
    assert asked.findings(depth_is_aligned=True) == []
    assert player is not None


def shared_memory(folder: Path, processes: list[tuple[int, int, str, bool]]) -> tuple[Path, Path]:
    """Files as Fast DDS and Linux have them, of processes (pid, bytes, command, has a profile)."""
    shared, proc = folder / "shm", folder / "proc"
    shared.mkdir()
    proc.mkdir()
    locks = []
    for number, (pid, size, command, has_profile) in enumerate(processes):
        segment = shared / f"fastdds_{number:016x}"
        segment.write_bytes(b"")
        os.truncate(segment, size)
        lock = segment.with_name(f"{segment.name}_el")
        lock.touch()
        if command:
            (proc / str(pid)).mkdir()
            (proc / str(pid) / "cmdline").write_text("\0".join(command.split()))
            name = "FASTDDS_DEFAULT_PROFILES_FILE=/p.xml" if has_profile else "HOME=/root"
            (proc / str(pid) / "environ").write_text(f"PATH=/bin\0{name}\0")
            locks.append(f"{number}: FLOCK  ADVISORY  WRITE {pid} 00:1b:{lock.stat().st_ino} 0 EOF")
    (proc / "locks").write_text("\n".join(locks))
    return shared, proc


def test_a_driver_without_a_profile_is_named_by_its_segment(tmp_path: Path) -> None:
    found = segments(
        *shared_memory(
            tmp_path,
            [
                (70001, 549_408, "/opt/ros/lib/realsense2_camera_node --ros-args", False),
                (70002, 35_127_840, "python3 /opt/scenemind/mapping_node", True),
                (70003, 549_408, "", False),  # killed: nobody holds its lock
            ],
        )
    )
    assert [segment.process for segment in found] == [
        "realsense2_camera_node (pid 70001)",
        "mapping_node (pid 70002)",
    ]
    assert [segment.has_profile for segment in found] == [False, True]
    checks = {c.check: c for c in check_shared_memory(640 * 480 * 4, found, 10**9, is_lost=True)}
    assert checks["shared memory"].status == "ok"
    profile = checks["DDS profile"]
    assert profile.status == "warn"
    assert "realsense2_camera_node (pid 70001) has 0.5 MB" in profile.measured
    assert "mapping_node" not in profile.measured
    assert "as the same user: export FASTDDS_DEFAULT_PROFILES_FILE=" in profile.fix


def test_another_user_and_a_full_shared_memory_are_warnings() -> None:
    stranger = Segment(35_127_840, "nobody-here", "driver (pid 9)", has_profile=None)
    checks = {c.check: c for c in check_shared_memory(10**6, [stranger], 10**6, is_lost=False)}
    assert "driver (pid 9) of nobody-here" in checks["users of shared memory"].measured
    assert checks["shared memory"].status == "warn"
    assert checks["DDS profile"].status == "ok"
    (none,) = check_shared_memory(10**6, [], None, is_lost=False)
    assert "ipc: host" in none.fix


def test_this_process_finds_the_segments_of_another_one() -> None:
    """Against Fast DDS itself: a process that sends has a segment, and holds its lock."""
    code = (
        "import rclpy; rclpy.init(); n = rclpy.create_node('n'); print('up', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **private_domain()},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        own = [s for s in segments() if s.process.endswith(f"(pid {process.pid})")]
        process.communicate("end\n", 30.0)
    assert own
    assert all(segment.size > 500_000 for segment in own)


def test_images_that_do_not_come_with_their_camera_info_were_lost() -> None:
    assert not check_losses({"camera_info": 100, "color": 99, "depth": 97})
    (lost,) = check_losses({"camera_info": 100, "color": 99, "depth": 8})
    assert (lost.check, lost.status) == ("depth on the way", "fail")
    assert lost.measured.startswith("8 images came with 100 camera_info")
    assert not check_losses({"color": 5})


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
