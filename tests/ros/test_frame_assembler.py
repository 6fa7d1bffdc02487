"""Bad input is a counted drop with its cause, and the next good frame comes through."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np
import pytest
from rclpy.logging import get_logger

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind_ros.conversions import camera_to_msg, color_to_msg, depth_to_msg
from scenemind_ros.input.frame_assembler import DropCounts, FrameAssembler, UndecodedFrame
from scenemind_ros.parameters import OPTICAL_MOUNTING, MappingParameters, pose_from_list

from .camera_messages import CAMERA, FIRST_NS, STEP_NS, WALL_M, Moment


class Recorder:
    """An assembler with what it delivered and dropped."""

    def __init__(self, **parameters: object) -> None:
        self.frames: list[RGBDFrame] = []
        self.drops = DropCounts(get_logger("test"))
        settings = MappingParameters.from_flat(parameters)
        self.assembler = FrameAssembler(settings, self._decode, self.drops)

    def _decode(self, undecoded: UndecodedFrame) -> None:
        frame = undecoded.decode()
        if frame is not None:
            self.frames.append(frame)

    def send(self, moment: Moment) -> None:
        self.assembler.add_odometry(moment.odometry)
        self.assembler.add_camera_info(moment.camera_info)
        self.assembler.add_depth(moment.depth)
        self.assembler.add_color(moment.color)

    def all_drops(self) -> dict[str, int]:
        counts = {**self.drops.counts(), **self.assembler.sync_counts}
        return {cause: count for cause, count in counts.items() if count}


def test_a_good_frame_stands_where_the_mounting_puts_it() -> None:
    recorder = Recorder()
    recorder.send(Moment(0))
    (frame,) = recorder.frames
    assert (frame.number, frame.stamp_ns, frame.camera) == (0, FIRST_NS, CAMERA)
    assert np.all(frame.depth_m == np.float32(WALL_M))
    # The optical axis of the default mounting is the base's x axis (REP-103).
    ahead = frame.world_T_camera.transform(np.array([(0.0, 0.0, 1.0)]))
    np.testing.assert_allclose(ahead, [(1.0, 0.0, 0.0)], atol=1e-9)
    assert recorder.all_drops() == {}


def test_mounting_can_be_given_as_roll_pitch_yaw() -> None:
    turned = pose_from_list([0.0, 0.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2])
    np.testing.assert_allclose(
        turned.matrix(), pose_from_list(OPTICAL_MOUNTING).matrix(), atol=1e-9
    )


def _zero_size(moment: Moment) -> None:
    moment.color.height = moment.color.width = moment.color.step = 0
    moment.color.data = array("B")


def _wrong_encoding(moment: Moment) -> None:
    moment.color.encoding = "yuv422"


def _short_data(moment: Moment) -> None:
    moment.color.data = moment.color.data[:-10]


def _colour_as_depth(moment: Moment) -> None:
    moment.depth = moment.color


def _other_depth_size(moment: Moment) -> None:
    moment.depth = depth_to_msg(np.ones((24, 32), np.float32), moment.depth.header)


def _other_camera(moment: Moment) -> None:
    moment.camera_info = camera_to_msg(CAMERA.resized(32, 24), 0, "optical")


def _no_rotation(moment: Moment) -> None:
    moment.odometry.pose.pose.orientation.w = 0.0


def _nan_position(moment: Moment) -> None:
    moment.odometry.pose.pose.position.x = float("nan")


def _empty_calibration(moment: Moment) -> None:
    moment.camera_info.k = np.zeros(9)


def _no_stamp(moment: Moment) -> None:
    moment.color.header.stamp.sec = moment.color.header.stamp.nanosec = 0


@pytest.mark.parametrize(
    ("spoil", "cause"),
    [
        (_zero_size, "bad_image"),
        (_wrong_encoding, "bad_image"),
        (_short_data, "bad_image"),
        (_colour_as_depth, "bad_image"),
        (_other_depth_size, "bad_image"),
        (_other_camera, "bad_image"),
        (_no_rotation, "bad_pose"),
        (_nan_position, "bad_pose"),
        (_no_stamp, "color_no_stamp"),
    ],
)
def test_one_bad_message_costs_one_frame(spoil: Callable[[Moment], None], cause: str) -> None:
    recorder = Recorder(**{"sync.odometry_gap_s": 0.04})
    moments = [Moment(number) for number in range(3)]
    spoil(moments[1])
    for moment in moments:
        recorder.send(moment)
    assert [f.stamp_ns for f in recorder.frames] == [FIRST_NS, FIRST_NS + 2 * STEP_NS]
    assert recorder.all_drops()[cause] == 1


def test_images_wait_a_moment_for_camera_info_and_are_then_dropped() -> None:
    recorder = Recorder()
    for number in range(8):
        moment = Moment(number)
        recorder.assembler.add_odometry(moment.odometry)
        recorder.assembler.add_depth(moment.depth)
        recorder.assembler.add_color(moment.color)
    assert recorder.all_drops() == {"no_camera_info": 3}
    recorder.assembler.add_camera_info(Moment(8).camera_info)
    assert [f.stamp_ns for f in recorder.frames] == [FIRST_NS + n * STEP_NS for n in range(3, 8)]


def test_an_empty_calibration_keeps_the_last_good_one() -> None:
    recorder = Recorder()
    recorder.send(Moment(0))
    moment = Moment(1)
    _empty_calibration(moment)
    recorder.send(moment)
    assert len(recorder.frames) == 2
    assert recorder.all_drops() == {"bad_camera_info": 1}


def test_depth_that_is_nan_or_infinite_is_a_hole() -> None:
    recorder = Recorder()
    moment = Moment(0)
    depth = np.full((CAMERA.height, CAMERA.width), WALL_M, np.float32)
    depth[:10], depth[10:20], depth[20:30] = np.nan, np.inf, -1.0
    moment.depth.encoding, moment.depth.step = "32FC1", CAMERA.width * 4
    moment.depth.data = array("B", depth.tobytes())
    recorder.send(moment)
    (frame,) = recorder.frames
    assert np.all(frame.depth_m[:30] == 0.0)
    assert np.all(frame.depth_m[30:] == np.float32(WALL_M))


def test_unaligned_depth_is_registered_with_its_own_calibration() -> None:
    depth_camera = PinholeCamera(80, 60, 50.0, 50.0, 39.5, 29.5)
    recorder = Recorder(
        **{"depth.aligned": False, "depth.color_T_depth": [0.05, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]}
    )
    moment = Moment(0)
    wall = np.full((depth_camera.height, depth_camera.width), WALL_M, np.float32)
    moment.depth = depth_to_msg(wall, moment.depth.header)
    recorder.assembler.add_depth_camera_info(camera_to_msg(depth_camera, 0, "depth"))
    recorder.send(moment)
    (frame,) = recorder.frames
    # A wall across the view, 0.1 m further from the colour camera than from the depth camera.
    seen = frame.depth_m[frame.depth_m > 0]
    assert seen.size > 0.9 * frame.depth_m.size
    np.testing.assert_allclose(seen, WALL_M + 0.1, atol=1e-3)


def test_unaligned_depth_without_its_calibration_is_dropped() -> None:
    recorder = Recorder(
        **{"depth.aligned": False, "depth.color_T_depth": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]}
    )
    for number in range(6):
        recorder.send(Moment(number))
    assert recorder.all_drops() == {"no_depth_camera_info": 1}
    assert recorder.frames == []
    recorder.assembler.add_depth_camera_info(camera_to_msg(CAMERA, 0, "depth"))
    assert [f.stamp_ns for f in recorder.frames] == [FIRST_NS + n * STEP_NS for n in range(1, 6)]


def test_depth_is_registered_anew_for_another_resolution() -> None:
    recorder = Recorder(
        **{"depth.aligned": False, "depth.color_T_depth": [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]}
    )
    recorder.assembler.add_depth_camera_info(camera_to_msg(CAMERA, 0, "depth"))
    first, second = Moment(0), Moment(1)
    smaller = np.full((CAMERA.height // 2, CAMERA.width // 2, 3), 128, np.uint8)
    second.color = color_to_msg(smaller, second.color.header)
    second.camera_info = camera_to_msg(CAMERA.resized(32, 24), 0, "optical")
    recorder.send(first)
    recorder.send(second)
    assert [f.depth_m.shape for f in recorder.frames] == [(48, 64), (24, 32)]
    assert recorder.all_drops() == {}


def test_a_camera_pose_from_tf_needs_no_mounting() -> None:
    recorder = Recorder()
    moment = Moment(0)
    world_T_camera = Pose.from_quaternion((1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))
    recorder.assembler.add_camera_info(moment.camera_info)
    recorder.assembler.add_depth(moment.depth)
    recorder.assembler.add_color(moment.color)
    recorder.assembler.add_camera_pose(FIRST_NS, world_T_camera)
    (frame,) = recorder.frames
    np.testing.assert_allclose(frame.world_T_camera.matrix(), world_T_camera.matrix(), atol=1e-9)


def test_a_place_that_cannot_be_is_counted_whoever_says_it() -> None:
    """Odometry, TF's map -> odom, and TF's pose of the camera."""
    recorder = Recorder()
    far = Pose.from_quaternion((1e12, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    recorder.assembler.add_base_pose(FIRST_NS, far)
    recorder.assembler.add_camera_pose(FIRST_NS, far)
    moment = Moment(0)
    moment.odometry.pose.pose.position.x = 1e12
    recorder.send(moment)
    assert recorder.frames == []
    assert recorder.drops.counts()["bad_pose"] == 3
    recorder.send(Moment(1))
    recorder.send(Moment(2))
    assert recorder.frames, "the next good ones come through"
