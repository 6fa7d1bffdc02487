"""rosbag2 recordings, and transforms between their frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from scipy.spatial.transform import Rotation

from scenemind.frames import FrameError, RGBDFrame, SensorFrame, open_sequence, read_sequence
from scenemind.frames.bag import BagOptions, BagTopics, StaticTransforms
from scenemind.frames.bag_writer import WriteOptions
from scenemind.frames.bag_writer.messages import MessageFactory
from scenemind.frames.images import (
    COMPRESSED_DEPTH_FORMAT,
    encode_color_file,
    encode_compressed_depth,
)
from scenemind.frames.readers.rosbag import RosbagSequence
from scenemind.geometry import Pose
from tests.unit.frames.made import make_bag

from ..made import MadeSequence, pose

BASE_T_MAST = Pose(Rotation.from_euler("z", 90, degrees=True).as_matrix(), np.array([0, 0, 1.0]))
MAST_T_CAMERA = Pose(Rotation.from_euler("x", 20, degrees=True).as_matrix(), np.array([0.1, 0, 0]))


def test_a_chain_is_followed_both_ways_and_across_a_fork() -> None:
    transforms = StaticTransforms()
    transforms.add("base_link", "/mast", BASE_T_MAST)
    transforms.add("mast", "camera", MAST_T_CAMERA)
    transforms.add("base_link", "lidar", Pose.identity())
    base_T_camera = transforms.find("base_link", "camera")
    lidar_T_camera = transforms.find("lidar", "camera")
    camera_T_base = transforms.find("camera", "base_link")
    expected = (BASE_T_MAST @ MAST_T_CAMERA).matrix()
    assert base_T_camera is not None
    assert lidar_T_camera is not None
    assert camera_T_base is not None
    assert np.allclose(base_T_camera.matrix(), expected)
    assert np.allclose(lidar_T_camera.matrix(), expected)
    assert np.allclose(camera_T_base.matrix(), np.linalg.inv(expected))


def test_the_same_frame_and_a_frame_that_is_not_connected() -> None:
    transforms = StaticTransforms()
    same = transforms.find("camera", "camera")
    assert same is not None
    assert np.array_equal(same.matrix(), np.eye(4))
    assert transforms.find("base_link", "camera") is None


MAKE = MessageFactory()
TOPICS = BagTopics()
MOUNTED = BagOptions(base_T_camera=Pose.identity())
Messages = list[tuple[str, int, Any]]


def recorded(made: MadeSequence) -> Messages:
    """Topic, stamp and message of a bag of the usual kind, without /tf_static."""
    messages: Messages = []
    for frame in made:
        ns = frame.stamp_ns
        messages += [
            (TOPICS.odometry, ns, MAKE.odometry(ns, "odom", "base_link", frame.world_T_camera)),
            (TOPICS.camera_info, ns, MAKE.camera_info(ns, "camera", made.camera)),
            (TOPICS.color, ns, MAKE.color(ns, "camera", frame.color)),
            (TOPICS.depth, ns, MAKE.depth(ns, "camera", frame.depth_m)),
        ]
    return messages


def write(
    folder: Path,
    messages: Messages,
    storage: StoragePlugin = StoragePlugin.MCAP,
    mode: CompressionMode = CompressionMode.NONE,
) -> Path:
    writer = Writer(folder, version=8, storage_plugin=storage)
    writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        connections: dict[str, Any] = {}
        for topic, ns, message in messages:
            kind = message.__msgtype__
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=MAKE.store)
            writer.write(connections[topic], ns, MAKE.store.serialize_cdr(message, kind))
    return folder


def read(folder: Path) -> tuple[list[RGBDFrame], dict[str, int]]:
    sequence = open_sequence(folder, MOUNTED)
    return list(read_sequence(sequence)), dict(sequence.drops)


def changed(
    messages: Messages, topic: str, change: Callable[[Any], None], which: int | None = None
) -> Messages:
    """Change all messages of a topic, or one of them, in place."""
    chosen = [message for name, _, message in messages if name == topic]
    for message in chosen if which is None else [chosen[which]]:
        change(message)
    return messages


def test_compressed_topics_are_found_and_decoded(tmp_path: Path, made: MadeSequence) -> None:
    messages = [m for m in recorded(made) if m[0] not in (TOPICS.color, TOPICS.depth)]
    compressed = MAKE.store.types["sensor_msgs/msg/CompressedImage"]
    for frame in made:
        flat = np.full_like(frame.color, 90)
        header = MAKE.color(frame.stamp_ns, "camera", frame.color).header
        jpeg = np.frombuffer(encode_color_file(flat), np.uint8)
        png = np.frombuffer(encode_compressed_depth(frame.depth_m), np.uint8)
        color = compressed(header=header, format="rgb8; jpeg compressed bgr8", data=jpeg)
        depth = compressed(header=header, format=COMPRESSED_DEPTH_FORMAT, data=png)
        messages.append((TOPICS.color + "/compressed", frame.stamp_ns, color))
        messages.append((TOPICS.depth + "/compressedDepth", frame.stamp_ns, depth))
    frames, drops = read(write(tmp_path / "run", messages))
    assert drops == {}
    for frame, original in zip(frames, made, strict=True):
        assert np.abs(frame.color.astype(int) - 90).max() < 3
        assert np.array_equal(frame.depth_m, original.depth_m)


def test_the_pose_is_interpolated_to_the_image(tmp_path: Path) -> None:
    made = MadeSequence(count=3)
    messages = [m for m in recorded(made) if m[0] != TOPICS.odometry]
    for i in range(8):
        ns = 1_950_000_000 + i * 40_000_000
        at = Pose(np.eye(3), np.array([ns * 1e-9, 0.0, 0.0]))
        messages.append((TOPICS.odometry, ns, MAKE.odometry(ns, "odom", "base_link", at)))
    frames, drops = read(write(tmp_path / "run", sorted(messages, key=lambda m: m[1])))
    assert drops == {}
    assert [f.world_T_camera.translation[0] for f in frames] == pytest.approx([2.0, 2.1, 2.2])


def test_one_bad_message_costs_one_frame_and_is_counted(tmp_path: Path, made: MadeSequence) -> None:
    def no_pixels(message: Any) -> None:
        message.height = message.width = message.step = 0
        message.data = np.empty(0, np.uint8)

    def never_filled(message: Any) -> None:
        message.pose.pose.orientation = MAKE.store.types["geometry_msgs/msg/Quaternion"](
            x=0.0, y=0.0, z=0.0, w=0.0
        )

    def unknown_encoding(message: Any) -> None:
        message.encoding = "yuv422"

    def no_stamp(message: Any) -> None:
        message.header.stamp = MAKE.store.types["builtin_interfaces/msg/Time"](sec=0, nanosec=0)

    messages = recorded(made)
    changed(messages, TOPICS.depth, no_pixels, 0)
    changed(messages, TOPICS.color, unknown_encoding, 1)
    changed(messages, TOPICS.color, no_stamp, 3)
    changed(messages, TOPICS.odometry, never_filled, 5)
    frames, drops = read(write(tmp_path / "run", messages))
    assert [round(f.stamp_ns / 1e8) for f in frames] == [22, 24]
    assert drops == {
        "depth_invalid": 1,
        "color_invalid": 1,
        "color_no_stamp": 1,
        "depth_unmatched": 1,
        "odometry_invalid": 1,
        "no_pose": 1,
    }


def test_the_ends_are_read_without_the_rest(tmp_path: Path, made: MadeSequence) -> None:
    sequence = RosbagSequence(write(tmp_path / "run", recorded(made)), MOUNTED)
    first, *_, last = made
    for end, expected in zip(sequence.ends(), (first, last), strict=True):
        assert end.stamp_ns == expected.stamp_ns
        assert np.array_equal(end.color, expected.color)
        assert np.array_equal(end.depth_m, expected.depth_m)


def test_an_end_that_is_unusable(tmp_path: Path, made: MadeSequence) -> None:
    def unknown_encoding(message: Any) -> None:
        message.encoding = "yuv422"

    messages = changed(recorded(made), TOPICS.color, unknown_encoding, 5)
    sequence = RosbagSequence(write(tmp_path / "run", messages), MOUNTED)
    with pytest.raises(FrameError, match=r"first or last frame cannot be used .*yuv422"):
        sequence.ends()


def test_a_bag_without_one_usable_frame_says_why(tmp_path: Path, made: MadeSequence) -> None:
    def wrong_encoding(message: Any) -> None:
        message.encoding = "yuv422"

    messages = changed(recorded(made), TOPICS.color, wrong_encoding)
    with pytest.raises(FrameError, match=r"'color_invalid': 6.*encoding 'yuv422'"):
        read(write(tmp_path / "run", messages))


def test_depth_of_another_size_is_an_error(tmp_path: Path, made: MadeSequence) -> None:
    messages = [m for m in recorded(made) if m[0] != TOPICS.depth]
    for frame in made:
        small = MAKE.depth(frame.stamp_ns, "camera", frame.depth_m[::2, ::2].copy())
        messages.append((TOPICS.depth, frame.stamp_ns, small))
    with pytest.raises(FrameError, match="align_depth"):
        read(write(tmp_path / "run", messages))


def test_a_camera_that_is_not_calibrated(tmp_path: Path, made: MadeSequence) -> None:
    def zero(message: Any) -> None:
        message.k = np.zeros(9)

    messages = changed(recorded(made), TOPICS.camera_info, zero)
    with pytest.raises(FrameError, match="camera_info of frame 'camera'"):
        open_sequence(write(tmp_path / "run", messages), MOUNTED)


def test_a_camera_without_a_mounting(tmp_path: Path, made: MadeSequence) -> None:
    folder = write(tmp_path / "run", recorded(made))
    with pytest.raises(FrameError, match="'base_link' to 'camera': give base_T_camera"):
        open_sequence(folder)


@pytest.mark.parametrize("topic", [TOPICS.color, TOPICS.depth, TOPICS.camera_info, TOPICS.odometry])
def test_a_missing_topic_is_named(tmp_path: Path, made: MadeSequence, topic: str) -> None:
    messages = [m for m in recorded(made) if m[0] != topic]
    with pytest.raises(FrameError, match=f"no topic {topic}"):
        open_sequence(write(tmp_path / "run", messages), MOUNTED)


@pytest.mark.parametrize("storage", ["mcap", "db3"])
def test_a_bag_that_was_cut_short(tmp_path: Path, made: MadeSequence, storage: Any) -> None:
    make_bag(made, tmp_path / "run", WriteOptions(storage=storage))
    (file,) = (tmp_path / "run").glob(f"*.{storage}")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(FrameError, match=r"cut short.*ros2 bag reindex"):
        open_sequence(tmp_path / "run")


def test_messages_before_the_damage_are_read(tmp_path: Path) -> None:
    """A flipped bit changes the length that a message states."""
    made = MadeSequence(count=200)
    make_bag(made, tmp_path / "run")
    file = tmp_path / "run" / "run_0.mcap"
    content = bytearray(file.read_bytes())
    middle = content.index(b"16UC1", len(content) // 2)
    content[middle - 4 : middle] = (2**31).to_bytes(4, "little")
    file.write_bytes(content)
    frames: list[SensorFrame] = []
    with pytest.raises(FrameError, match="is damaged"):
        frames.extend(open_sequence(file))
    assert 0 < len(frames) < 200


def test_a_recorder_that_was_killed_leaves_no_metadata(tmp_path: Path, made: MadeSequence) -> None:
    make_bag(made, tmp_path / "run", WriteOptions(storage="db3"))
    (tmp_path / "run" / "metadata.yaml").unlink()
    frames = list(open_sequence(tmp_path / "run"))
    assert np.allclose(frames[-1].world_T_camera.matrix(), pose(5).matrix())
