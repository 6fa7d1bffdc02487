"""`scenemind doctor` on recordings, good and spoilt."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from scenemind.cli.doctor import gather
from scenemind.cli.main import app
from scenemind.frames import DepthCalibration, SensorFrame
from scenemind.frames.bag import BagTopics
from scenemind.frames.bag_writer import WriteOptions
from scenemind.geometry import PinholeCamera, Pose
from scenemind.simulation import Sensors, simulate
from tests.unit.frames.made import make_bag
from tests.unit.frames.scannet_bytes import LOST, Sens, made_frames


@dataclass(frozen=True)
class Recording:
    """A sequence of given frames."""

    frames: list[SensorFrame]
    camera: PinholeCamera
    depth_calibration: DepthCalibration | None = None
    name: str = "made"
    path: Path = Path("made")
    drops: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[SensorFrame]:
        return iter(self.frames)


@pytest.fixture(scope="module")
def room() -> Recording:
    """The first 40 frames of a simulated drive, rendered once."""
    drive = simulate(1, 300, Sensors(320, 240))
    return Recording(list(replace(drive, true_poses=drive.true_poses[:40])), drive.camera)


@pytest.fixture(scope="module")
def good_bag(room: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the first frames; not to be changed."""
    return make_bag(room, tmp_path_factory.mktemp("bags") / "bag").path


def examine(path: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit status and the checks by name."""
    done = CliRunner().invoke(app, ["doctor", str(path), "--json"])
    result = json.loads(done.stdout.splitlines()[-1])
    return done.exit_code, {check["check"]: check for check in result["checks"]}


def test_a_good_bag_passes_every_check(good_bag: Path) -> None:
    status, checks = examine(good_bag)
    assert status == 0
    assert {check["status"] for check in checks.values()} == {"ok"}
    # Where the simulated robot has its eyes.
    assert float(checks["floor"]["measured"].split(" m below")[0]) == pytest.approx(1.10, abs=0.02)
    assert {"color encoding", "depth units", "colour to depth", "motion"} <= checks.keys()


def test_a_bag_with_other_topic_names_gets_the_parameter(room: Recording, tmp_path: Path) -> None:
    topics = BagTopics(color="/front/color/image_raw", odometry="/robot/odom")
    make_bag(room, tmp_path / "bag", WriteOptions(topics=topics))
    status, checks = examine(tmp_path / "bag")
    assert status == 0
    assert checks["color topic"]["fix"] == "topics.color:=/front/color/image_raw"
    assert checks["odometry topic"]["fix"] == "topics.odometry:=/robot/odom"
    assert checks["floor"]["status"] == "ok"


def test_a_world_on_its_side_is_found(room: Recording, tmp_path: Path) -> None:
    side = Pose(Rotation.from_euler("x", -90, degrees=True).as_matrix(), np.zeros(3))
    turned = [replace(f, world_T_camera=side @ f.world_T_camera) for f in room.frames]
    make_bag(Recording(turned, room.camera), tmp_path / "bag")
    status, checks = examine(tmp_path / "bag")
    assert status == 1
    assert checks["world is z-up"]["status"] == "fail"
    assert "looks like +y" in checks["world is z-up"]["fix"]


def test_a_truncated_bag_is_one_failure(good_bag: Path, tmp_path: Path) -> None:
    shutil.copytree(good_bag, tmp_path / "bag")
    (file,) = (tmp_path / "bag").glob("*.mcap")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    status, checks = examine(tmp_path / "bag")
    assert status == 1
    assert list(checks) == ["bag"]
    assert "ros2 bag reindex" in checks["bag"]["fix"]


def test_raw_depth_in_a_bag_is_registered(room: Recording, tmp_path: Path) -> None:
    calibration = DepthCalibration(room.camera, Pose.identity())
    make_bag(replace(room, depth_calibration=calibration), tmp_path / "bag")
    status, checks = examine(tmp_path / "bag")
    assert status == 0
    assert checks["registered depth"]["status"] == "ok"


def test_a_scan_of_scannet_gives_evidence(tmp_path: Path) -> None:
    poses = [np.eye(4), LOST, np.eye(4)]
    (tmp_path / "scene0011_00.sens").write_bytes(Sens(made_frames(poses)).data())
    evidence = gather(tmp_path)
    assert len(evidence.frames) == len(evidence.positions) == 2
    assert [finding.measured for finding in evidence.found] == ["1 pose_lost, 2 are usable"]
    assert evidence.streams["depth"].sizes == {(16, 12)}
    assert evidence.depth_calibration is not None


def test_an_image_that_cannot_be_decoded_is_told(tmp_path: Path) -> None:
    frames = made_frames([np.eye(4)] * 3)
    frames[0] = replace(frames[0], color=b"no image")
    (tmp_path / "scene0011_00.sens").write_bytes(Sens(frames).data())
    evidence = gather(tmp_path)
    assert len(evidence.frames) == 2
    (finding,) = evidence.found
    assert finding.measured == "1 color_invalid among 3 frames that were looked at"


def test_nothing_there_is_one_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["doctor", str(tmp_path / "none")])
    assert done.exit_code == 1
    assert "there is no recording" in done.stderr


def test_a_table_with_the_worst_is_printed(good_bag: Path) -> None:
    done = CliRunner().invoke(app, ["doctor", str(good_bag)])
    assert done.exit_code == 0
    assert "0 warn, 0 fail" in done.stdout


def test_unregistered_depth_of_a_real_recording_is_noticed(
    shared_data: Path, tmp_path: Path
) -> None:
    recording = shared_data / "sequences" / "redkitchen"
    status, checks = examine(recording)
    assert status == 0
    assert checks["depth on colour"]["status"] == "warn"
    assert "depth.aligned:=false" in checks["depth on colour"]["fix"]
    assert checks["registered depth"]["status"] == "ok"

    bare = tmp_path / "redkitchen"
    shutil.copytree(recording, bare, ignore=shutil.ignore_patterns("calibration.json"))
    status, checks = examine(bare)
    assert status == 0
    assert checks["depth on colour"]["status"] == "warn"
    assert "cannot tell" in checks["depth on colour"]["measured"]


def test_a_recording_of_another_device_is_fine(shared_data: Path) -> None:
    status, checks = examine(shared_data / "sequences" / "hololens")
    assert status == 0
    assert checks["world is z-up"]["status"] == checks["floor"]["status"] == "ok"
