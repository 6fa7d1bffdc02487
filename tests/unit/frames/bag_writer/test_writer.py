"""Writing bags, and reading them back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.frames import (
    DepthCalibration,
    FrameError,
    RecordedSequence,
    SensorFrame,
    open_sequence,
)
from scenemind.frames.bag import BagFile, BagOptions, BagTopics
from scenemind.frames.bag_writer import (
    ImageEncoding,
    WriteOptions,
    plan_bag,
    write_bag,
)
from scenemind.frames.bag_writer.messages import FORWARD_MOUNTING, Storage
from scenemind.frames.bag_writer.work_folder import read_information
from scenemind.frames.bag_writer.writer import check_files, check_frames
from scenemind.frames.images import encode_color_file
from scenemind.frames.readers.rosbag import RosbagSequence
from scenemind.frames.sequence import IndexedSequence
from scenemind.geometry import PinholeCamera, Pose
from tests.unit.frames.made import make_bag

from ..made import CAMERA, MadeSequence, pose


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bag(MadeSequence(), tmp_path_factory.mktemp("bags") / "run").path


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"stamp_ns": 2_500_000_001}, "stamp"),
        ({"color": np.zeros((12, 16, 3), np.uint8)}, "colour"),
        ({"depth_m": np.ones((12, 16), np.float32)}, "depth"),
        ({"world_T_camera": pose(4)}, "pose"),
    ],
)
def test_bag_with_another_last_frame_is_an_error(
    bag: Path, changes: dict[str, Any], what: str
) -> None:
    first, *_, last = MadeSequence()
    files = [bag / "run_0.mcap"]
    check_frames(files, BagTopics(), first, last)
    with pytest.raises(FrameError, match=f"reads back with another {what}"):
        check_frames(files, BagTopics(), first, dataclasses.replace(last, **changes))


def test_bag_with_missing_messages_is_an_error(bag: Path) -> None:
    files, information = [bag / "run_0.mcap"], read_information(bag / "metadata.yaml")
    check_files(files, "/odom", [information])
    information["topics_with_message_count"][0]["message_count"] += 1
    with pytest.raises(FrameError, match=r"run_0\.mcap holds .* and should"):
        check_files(files, "/odom", [information])


def test_bag_of_overlapping_files_is_an_error(bag: Path) -> None:
    information = read_information(bag / "metadata.yaml")
    with pytest.raises(FrameError, match="begins before the file in front of it ends"):
        check_files([bag / "run_0.mcap"] * 2, "/odom", [information] * 2)


def test_bag_with_damaged_metadata_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "metadata.yaml").write_text("rosbag2: [")
    with pytest.raises(FrameError, match="no metadata of a bag"):
        read_information(tmp_path / "metadata.yaml")


OTHER_CAMERA = PinholeCamera(16, 12, 22.0, 22.0, 7.5, 5.5)


def assert_equal(read: RecordedSequence, written: RecordedSequence) -> None:
    assert len(read) == len(written)
    for a, b in zip(read, written, strict=True):
        assert a.stamp_ns == b.stamp_ns
        assert np.array_equal(a.color, b.color)
        assert np.array_equal(a.depth_m, b.depth_m)
        moved = a.world_T_camera.matrix() - b.world_T_camera.matrix()
        assert np.abs(moved).max() < 1e-9


@dataclasses.dataclass(frozen=True)
class Changed(MadeSequence):
    """`MadeSequence` with other frames."""

    changes: tuple[dict[str, Any], ...] = ()

    def __iter__(self) -> Iterator[SensorFrame]:
        for i, frame in enumerate(super().__iter__()):
            yield dataclasses.replace(frame, **self.changes[i % len(self.changes)])


@pytest.mark.parametrize(("storage", "is_raw"), [("mcap", False), ("mcap", True), ("db3", False)])
def test_a_sequence_survives(
    tmp_path: Path, made: MadeSequence, storage: Storage, is_raw: bool
) -> None:
    written = make_bag(made, tmp_path / "run", WriteOptions(storage=storage, is_raw=is_raw))
    assert (written.frames, written.files, written.rounded) == (6, 1, 0)
    sequence = open_sequence(tmp_path / "run")
    assert (sequence.camera, sequence.depth_calibration) == (CAMERA, None)
    assert_equal(sequence, made)
    assert_equal(sequence, made)  # again
    assert sequence.drops == {}
    assert not (tmp_path / "run.part").exists()


def test_jpegs_are_passed_on_as_they_are(tmp_path: Path) -> None:
    jpeg = encode_color_file(np.full((12, 16, 3), 90, np.uint8))
    color = np.full((12, 16, 3), 90, np.uint8)
    sequence = Changed(changes=({"color_file": jpeg, "color": color},))
    written = make_bag(sequence, tmp_path / "run")
    assert written.encoding == ImageEncoding("file", "png")
    assert {frame.color_file for frame in open_sequence(tmp_path / "run")} == {jpeg}
    raw = make_bag(sequence, tmp_path / "raw", WriteOptions(is_raw=True))
    assert raw.encoding == ImageEncoding("rgb8", "16UC1")


def test_depth_between_millimetres_is_kept_as_floats(tmp_path: Path) -> None:
    depth_m = np.random.default_rng(1).random((12, 16), np.float32) * np.float32(80.0)
    sequence = Changed(changes=({"depth_m": depth_m},))
    assert make_bag(sequence, tmp_path / "run").encoding.depth == "32FC1"
    assert_equal(open_sequence(tmp_path / "run"), sequence)


def test_later_depth_that_does_not_fit_is_rounded_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole = {"depth_m": np.ones((12, 16), np.float32)}
    between = {"depth_m": np.full((12, 16), 1.0004, np.float32)}
    sequence = Changed(count=20, changes=(*[whole] * 15, *[between] * 5))
    assert make_bag(sequence, tmp_path / "run").rounded == 5
    assert caplog.text.count("it is rounded") == 1


def test_depth_that_is_not_aligned_keeps_its_calibration(tmp_path: Path) -> None:
    made = MadeSequence(depth_calibration=DepthCalibration(OTHER_CAMERA, pose(1)))
    make_bag(made, tmp_path / "run")
    sequence = open_sequence(tmp_path / "run")
    calibration = sequence.depth_calibration
    assert calibration is not None
    assert calibration.camera == OTHER_CAMERA
    assert np.allclose(calibration.color_T_depth.matrix(), pose(1).matrix())
    assert_equal(sequence, made)


def test_odometry_is_of_the_base_and_the_mounting_can_be_given(
    tmp_path: Path, made: MadeSequence
) -> None:
    make_bag(made, tmp_path / "run")
    sequence = open_sequence(tmp_path / "run", BagOptions(base_T_camera=Pose.identity()))
    for i, frame in enumerate(sequence):
        world_T_base = pose(i) @ FORWARD_MOUNTING.inverse()
        assert np.allclose(frame.world_T_camera.matrix(), world_T_base.matrix())


def test_tf_agrees_with_odometry(tmp_path: Path, made: MadeSequence) -> None:
    make_bag(made, tmp_path / "run")
    with BagFile(tmp_path / "run") as bag:
        messages = list(bag.messages(("/odom", "/tf")))
    assert [topic for topic, _ in messages] == ["/odom", "/tf"] * 6
    for (_, odometry), (_, tf) in zip(messages[::2], messages[1::2], strict=True):
        (moved,) = tf.transforms
        assert (moved.header, moved.child_frame_id) == (odometry.header, odometry.child_frame_id)
        assert moved.transform.translation.x == odometry.pose.pose.position.x
        assert moved.transform.rotation == odometry.pose.pose.orientation


def test_bag_holds_the_rotation_of_the_world(tmp_path: Path, hololens_folder: Path) -> None:
    sequence = open_sequence(hololens_folder)
    make_bag(sequence, tmp_path / "run")
    with BagFile(tmp_path / "run") as bag:
        ((_, fixed),) = bag.messages(("/tf_static",))
    below = {item.child_frame_id: item for item in fixed.transforms}
    assert {(i.header.frame_id, name) for name, i in below.items()} == {
        ("map", "odom"),
        ("map", "scan"),
        ("base_link", "camera_color_optical_frame"),
    }
    # y up to z up is a quarter turn about x.
    turn = below["scan"].transform.rotation
    assert np.allclose((turn.x, turn.y, turn.z, turn.w), (0.5**0.5, 0.0, 0.0, 0.5**0.5))
    assert_equal(open_sequence(tmp_path / "run"), sequence)


def test_bag_of_a_bag_holds_the_rotation_of_the_world(
    tmp_path: Path, hololens_folder: Path, made: MadeSequence
) -> None:
    sequence = open_sequence(hololens_folder)
    assert isinstance(sequence, IndexedSequence)
    make_bag(sequence, tmp_path / "first")
    make_bag(open_sequence(tmp_path / "first"), tmp_path / "second")
    again = open_sequence(tmp_path / "second")
    assert isinstance(again, RosbagSequence)
    turned = again.world_T_recorded.matrix() - sequence.world_T_recorded.matrix()
    assert np.abs(turned).max() < 1e-9
    assert_equal(again, sequence)

    make_bag(made, tmp_path / "never turned")
    never = open_sequence(tmp_path / "never turned")
    assert isinstance(never, RosbagSequence)
    assert np.array_equal(never.world_T_recorded.matrix(), np.eye(4))


def test_topics_can_be_named(tmp_path: Path, made: MadeSequence) -> None:
    topics = BagTopics(color="/left/rgb", camera_info="/left/info", depth="/left/depth")
    make_bag(made, tmp_path / "run", WriteOptions(topics=topics))
    with pytest.raises(FrameError, match=r"no topic /camera/.*/left/rgb \(sensor_msgs"):
        open_sequence(tmp_path / "run")
    assert_equal(open_sequence(tmp_path / "run", BagOptions(topics=topics)), made)


def test_instances_of_a_simulator_are_written(tmp_path: Path) -> None:
    ids = np.arange(12 * 16, dtype=np.int32).reshape(12, 16)
    sequence = Changed(changes=({"instances": ids},))
    make_bag(sequence, tmp_path / "run", WriteOptions(instance_names={7: "chair"}))
    with BagFile(tmp_path / "run") as bag:
        (_, names), (_, image) = list(
            bag.messages((BagTopics().instances, BagTopics().instance_names))
        )[:2]
    assert names.data == '{"7": "chair"}'
    assert image.encoding == "32SC1"
    assert np.array_equal(image.data.view("<i4").reshape(12, 16), ids)


def test_a_bag_is_several_files_each_of_which_can_be_read(
    tmp_path: Path, made: MadeSequence
) -> None:
    told: list[int] = []
    plan = plan_bag(made, tmp_path / "run", WriteOptions(frames_per_file=4))
    written = write_bag(plan, told.append)
    assert written.files == 2
    assert told == [1, 2, 3, 4, 5, 6]
    files = [tmp_path / "run" / f"run_{n}.mcap" for n in range(2)]
    assert [len(list(open_sequence(file))) for file in files] == [4, 2]
    assert_equal(open_sequence(tmp_path / "run"), made)


@pytest.mark.parametrize("indexed", [True, False])
def test_a_part_of_the_frames(tmp_path: Path, hololens_folder: Path, indexed: bool) -> None:
    whole: RecordedSequence = open_sequence(hololens_folder) if indexed else MadeSequence()
    stamps = [frame.stamp_ns for frame in whole]
    written = make_bag(whole, tmp_path / "run", WriteOptions(frames=slice(1, 6, 2)))
    assert written.frames == 3
    assert [frame.stamp_ns for frame in open_sequence(tmp_path / "run")] == stamps[1:6:2]
    with pytest.raises(FrameError, match="none of which is chosen"):
        make_bag(whole, tmp_path / "none", WriteOptions(frames=slice(8, 9)))


def test_nothing_is_overwritten(tmp_path: Path, made: MadeSequence) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(FrameError, match="exists already"):
        make_bag(made, tmp_path / "run")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FrameError, match="exists already"):
        make_bag(made, tmp_path / "link")
    with pytest.raises(FrameError, match="name it run"):
        make_bag(made, tmp_path / "run.mcap")


def test_stamps_that_do_not_increase(tmp_path: Path) -> None:
    sequence = Changed(changes=({"stamp_ns": 5_000_000_000},))
    with pytest.raises(FrameError, match="stamps have to increase"):
        make_bag(sequence, tmp_path / "run")


@settings(max_examples=3, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    gaps_ns=st.lists(st.integers(1, 10**9), min_size=1, max_size=5),
    storage=st.sampled_from(["mcap", "db3"]),
    millimetres=st.booleans(),
)
def test_any_frames_survive(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    size: tuple[int, int],
    gaps_ns: list[int],
    storage: Storage,
    millimetres: bool,
) -> None:
    rng = np.random.default_rng(seed)
    stamps_ns = np.cumsum(gaps_ns)
    camera = PinholeCamera(size[1], size[0], *rng.uniform(1.0, 900.0, 4).tolist())
    depths = rng.integers(0, 65535, (len(gaps_ns), *size)).astype(np.float32) / np.float32(1000.0)
    if not millimetres:
        depths *= rng.random(depths.shape, np.float32)
    changes = tuple(
        {
            "stamp_ns": int(stamp_ns),
            "color": rng.integers(0, 256, (*size, 3), dtype=np.uint8),
            "depth_m": depth_m,
            "world_T_camera": Pose.from_quaternion(rng.normal(0.0, 50.0, 3), _unit(rng)),
        }
        for stamp_ns, depth_m in zip(stamps_ns, depths, strict=True)
    )
    sequence = Changed(count=len(gaps_ns), camera=camera, changes=changes)
    out = tmp_path_factory.mktemp("bags") / "run"
    make_bag(sequence, out, WriteOptions(storage=storage, frames_per_file=2))
    read = open_sequence(out)
    assert read.camera == camera
    assert_equal(read, sequence)


def _unit(rng: np.random.Generator) -> np.ndarray:
    xyzw = rng.normal(size=4)
    return xyzw / np.linalg.norm(xyzw)


@pytest.mark.parametrize("name", ["redkitchen", "hololens"])
def test_a_real_recording_survives(tmp_path: Path, shared_data: Path, name: str) -> None:
    sequence = open_sequence(shared_data / "sequences" / name)
    options = WriteOptions(frames=slice(0, 12, 3))
    assert make_bag(sequence, tmp_path / "run", options).encoding == ImageEncoding("file", "png")
    expected = dataclasses.replace(sequence, entries=sequence.entries[0:12:3])
    assert_equal(open_sequence(tmp_path / "run"), expected)
