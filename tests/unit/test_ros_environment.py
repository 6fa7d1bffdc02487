"""The environment of child processes that use ROS 2, with or without a sourced one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from scenemind.ros_environment import (
    RosEnvironmentError,
    main,
    ros_environment,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace as colcon leaves it: one prefix a package."""
    install = tmp_path / "ros2_ws" / "install"
    for package in ("scenemind_interfaces", "scenemind_ros"):
        (install / package / "share" / package).mkdir(parents=True)
    (install / ".colcon_install_layout").write_text("isolated\n")

    library = install / "scenemind_interfaces" / "lib"
    (library / "python3.12" / "site-packages" / "scenemind_interfaces").mkdir(parents=True)
    (library / "libscenemind_interfaces.so").touch()
    profile = install / "scenemind_ros" / "share" / "scenemind_ros" / "config"
    profile.mkdir()
    (profile / "fastdds_profile.xml").write_text("<dds/>")
    return tmp_path / "ros2_ws"


def test_the_overlay_comes_first_and_sourced_folders_stay(workspace: Path) -> None:
    sourced = {
        "SCENEMIND_WS": str(workspace),
        "AMENT_PREFIX_PATH": "/opt/ros/jazzy",
        "LD_LIBRARY_PATH": "/opt/ros/jazzy/lib",
        "PYTHONPATH": "/opt/ros/jazzy/lib/python3.12/site-packages",
        "HOME": "/home/robot",
    }
    environment = ros_environment(sourced)

    interfaces = workspace / "install" / "scenemind_interfaces"
    for name, first in {
        "AMENT_PREFIX_PATH": interfaces,
        "LD_LIBRARY_PATH": interfaces / "lib",
        "PYTHONPATH": interfaces / "lib" / "python3.12" / "site-packages",
    }.items():
        entries = environment[name].split(":")
        assert entries[0] == str(first)
        assert sourced[name] in entries
    assert "ROS_LOG_DIR" not in environment


@pytest.mark.parametrize(("distro", "vendor"), [("jazzy", "FASTRTPS"), ("kilted", "FASTDDS")])
def test_the_dds_profile_is_set_under_the_name_that_is_read(
    distro: str, vendor: str, workspace: Path
) -> None:
    environment = ros_environment({"SCENEMIND_WS": str(workspace), "ROS_DISTRO": distro})
    names = [name for name in environment if name.endswith("DEFAULT_PROFILES_FILE")]
    assert names == [f"{vendor}_DEFAULT_PROFILES_FILE"]
    assert Path(environment[names[0]]).read_text() == "<dds/>"


def test_another_dds_profile_stays(workspace: Path) -> None:
    base = {"SCENEMIND_WS": str(workspace)}
    chosen = {**base, "FASTDDS_DEFAULT_PROFILES_FILE": "/etc/dds.xml"}
    assert ros_environment(chosen)["FASTDDS_DEFAULT_PROFILES_FILE"] == "/etc/dds.xml"


def test_logs_find_a_place_without_a_home(workspace: Path) -> None:
    assert ros_environment({"SCENEMIND_WS": str(workspace)})["ROS_LOG_DIR"]


def test_applying_it_twice_changes_nothing(workspace: Path) -> None:
    once = ros_environment({"SCENEMIND_WS": str(workspace)})
    assert ros_environment(once) == once


def test_each_process_has_a_private_domain_of_its_own() -> None:
    code = (
        "import os, sys; os.getpid = lambda: 7;"  # all would take the same one first
        "from scenemind.ros_environment import private_domain;"
        "print(private_domain()['ROS_DOMAIN_ID'], flush=True);"
        # What it becomes keeps the domain.
        "os.execv(sys.executable, [sys.executable, '-c', 'input()'])"
    )
    pipe = subprocess.PIPE
    with ExitStack() as ended:
        domains = []
        for _ in range(4):
            process = subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)
            ended.callback(process.communicate, b"\n")
            assert process.stdout is not None
            domains.append(int(process.stdout.readline()))
    assert len(set(domains)) == 4
    assert all(40 <= domain <= 101 for domain in domains)


def test_an_unbuilt_workspace_is_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(RosEnvironmentError, match=rf"{tmp_path}.*make setup"):
        ros_environment({"SCENEMIND_WS": str(tmp_path)})


def test_a_child_speaks_ros_with_nothing_sourced() -> None:
    code = (
        "import rclpy; from rclpy.serialization import serialize_message;"
        "from scenemind_interfaces.msg import SceneGraph;"
        "rclpy.init(); rclpy.create_node('probe').create_publisher(SceneGraph, 'probe', 1);"
        "print(len(serialize_message(SceneGraph())) > 0)"
    )
    bare = {"PATH": os.defpath, "ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=ros_environment(bare),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_the_command_line_runs_a_command_in_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scenemind.ros_environment", "--", "env"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "scenemind_interfaces" in done.stdout


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--", "no-such-command"], 127)])
def test_a_wrong_command_line_is_an_error(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    assert capsys.readouterr().err
