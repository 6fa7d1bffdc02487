"""A running mapping node with every kind of bad input: it counts each and maps on."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header, String

from scenemind.frames import FrameError
from scenemind_ros.conversions import (
    depth_to_msg,
    instance_names_to_msg,
    instances_to_msg,
    stamp_ns,
    time_to_msg,
)
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.qos import LATCHED, SENSOR_OUT
from scenemind_ros.sequence_player import SequencePlayer

from .camera_messages import CAMERA, STEP_NS, Moment
from .graph import NODE, SIMULATED, TOPICS, RosGraph, wait_for

STREAMS = {"odometry": Odometry, "camera_info": CameraInfo, "depth": Image, "instances": Image}
STREAMS["color"] = Image  # last: it completes a frame
SILENCE_S = 0.5


class Camera:
    """Publishes moments to a mapping node and reads its counts."""

    def __init__(self, graph: RosGraph) -> None:
        self._graph = graph
        self._number = 0
        self._publishers = {stream: self._make_publisher(stream) for stream in STREAMS}
        names = graph.observer.create_publisher(String, TOPICS.instance_names, LATCHED)
        names.publish(instance_names_to_msg({1: "box"}))
        self._done = graph.listen(Header, f"{NODE}/processed", SENSOR_OUT)
        self._diagnostics = graph.listen(DiagnosticArray, "/diagnostics")

    def _make_publisher(self, stream: str) -> Any:
        return self._graph.observer.create_publisher(
            STREAMS[stream], getattr(TOPICS, stream), SENSOR_OUT
        )

    def wait_until_read(self) -> None:
        for publisher in self._publishers.values():
            wait_for(publisher.get_subscription_count, f"a reader of {publisher.topic_name}")

    def next_moment(self) -> Moment:
        self._number += 1
        return Moment(self._number)

    def send(self, moment: Moment, *, but: str = "") -> None:
        instances = np.ones((CAMERA.height, CAMERA.width), np.int32)
        messages = {"instances": instances_to_msg(instances, moment.color.header)}
        for stream, publisher in self._publishers.items():
            if stream != but:
                publisher.publish(messages.get(stream) or getattr(moment, stream))

    def is_mapped(self, moment: Moment) -> bool:
        wanted = stamp_ns(moment.color.header.stamp)
        return any(stamp_ns(header.stamp) == wanted for header in self._done)

    def start_over(self) -> None:
        """Stamps go back to the first one, as a bag's do that loops."""
        self._number = 0

    def stop(self, stream: str) -> None:
        self._graph.observer.destroy_publisher(self._publishers.pop(stream))

    def resume(self, stream: str) -> None:
        self._publishers = {stream: self._make_publisher(stream), **self._publishers}
        self.wait_until_read()

    def health(self) -> dict[str, str]:
        """Newest values of the input, its level and message among them."""
        for message in reversed(self._diagnostics):
            for status in message.status:
                if status.name.endswith("input"):
                    values = {pair.key: pair.value for pair in status.values}
                    is_ok = status.level == DiagnosticStatus.OK
                    return {**values, "ok": str(is_ok), "message": status.message}
        return {}


@pytest.fixture(scope="module")
def camera() -> Iterator[Camera]:
    graph = RosGraph()
    graph.add(MappingNode, SIMULATED | {"silence_s": SILENCE_S})
    camera = Camera(graph)
    camera.wait_until_read()
    yield camera
    graph.close()


def map_one(camera: Camera) -> None:
    """Good frames get through again.

    A camera goes on sending: what arrived just before a stream's clock jumped is lost with it, and
    in which order the streams of one moment arrive is nobody's choice.
    """
    sent: list[Moment] = []

    def is_any_mapped() -> bool:
        sent.append(camera.next_moment())
        camera.send(sent[-1])
        return any(camera.is_mapped(moment) for moment in sent)

    wait_for(is_any_mapped, "a good frame to be mapped")


def test_frames_without_calibration_wait_and_then_are_dropped(camera: Camera) -> None:
    moments = []

    def is_explained() -> bool:
        moments.append(camera.next_moment())
        camera.send(moments[-1], but="camera_info")
        return "no_camera_info, images arrive, but no" in camera.health().get("message", "")

    wait_for(is_explained, "words about it")
    assert int(camera.health()["dropped_no_camera_info"]) > 0
    map_one(camera)
    assert not camera.is_mapped(moments[0])


def _zero_size(moment: Moment) -> None:
    moment.color.height = moment.color.width = moment.color.step = 0
    moment.color.data = array("B")


def _wrong_encoding(moment: Moment) -> None:
    moment.color.encoding = "yuv422"


def _short_data(moment: Moment) -> None:
    moment.depth.data = moment.depth.data[:-10]


def _other_depth_size(moment: Moment) -> None:
    moment.depth = depth_to_msg(np.ones((24, 32), np.float32), moment.depth.header)


def _no_rotation(moment: Moment) -> None:
    moment.odometry.pose.pose.orientation.w = 0.0


def _nan_position(moment: Moment) -> None:
    moment.odometry.pose.pose.position.x = float("nan")


def _empty_calibration(moment: Moment) -> None:
    moment.camera_info.k = np.zeros(9)


def _no_stamp(moment: Moment) -> None:
    moment.color.header.stamp = time_to_msg(0)


def _repeated_stamp(moment: Moment) -> None:
    before = stamp_ns(moment.depth.header.stamp) - STEP_NS
    moment.depth.header.stamp = time_to_msg(before)


def _late_stamp(moment: Moment) -> None:
    before = stamp_ns(moment.odometry.header.stamp) - 2 * STEP_NS + 1
    moment.odometry.header.stamp = time_to_msg(before)


def _hour_ahead(moment: Moment) -> None:
    """One message; the next one is then far back."""
    moment.depth.header.stamp.sec += 3600


SPOILT = {
    "bad_image": (_zero_size, _wrong_encoding, _short_data, _other_depth_size),
    "bad_pose": (_no_rotation, _nan_position),
    "bad_camera_info": (_empty_calibration,),
    "color_no_stamp": (_no_stamp,),
    "depth_repeated": (_repeated_stamp,),
    "odometry_late": (_late_stamp,),
    "clock_jump": (_hour_ahead,),
}


def test_bad_messages_are_counted_and_the_next_good_frame_is_mapped(camera: Camera) -> None:
    map_one(camera)
    for spoil in (spoil for spoils in SPOILT.values() for spoil in spoils):
        moment = camera.next_moment()
        spoil(moment)
        camera.send(moment)
        map_one(camera)

    def counted() -> dict[str, int]:
        return {cause: int(camera.health().get(f"dropped_{cause}", 0)) for cause in SPOILT}

    wait_for(lambda: all(n >= len(SPOILT[cause]) for cause, n in counted().items()), "all causes")


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf, -1.0])
def test_depth_without_a_measurement_is_a_frame_without_objects(
    camera: Camera, value: float
) -> None:
    moment = camera.next_moment()
    data = np.full((CAMERA.height, CAMERA.width), value, np.float32)
    moment.depth.encoding, moment.depth.step = "32FC1", 4 * CAMERA.width
    moment.depth.data = array("B", data.tobytes())
    camera.send(moment)
    wait_for(lambda: camera.is_mapped(moment), "the frame")


def test_a_bag_that_loops_is_mapped_again(camera: Camera) -> None:
    for _ in range(40):  # more than sync.jump_s
        camera.send(camera.next_moment())
    before = int(camera.health().get("dropped_clock_jump", 0))
    camera.start_over()
    map_one(camera)
    wait_for(lambda: int(camera.health().get("dropped_clock_jump", 0)) > before, "the jump")


def test_a_topic_that_stops_is_named_and_mapped_when_it_comes_back(camera: Camera) -> None:
    map_one(camera)
    camera.stop("depth")

    def is_named() -> bool:
        camera.send(camera.next_moment())
        return f"nothing arrives for depth: /{TOPICS.depth}" in camera.health()["message"]

    wait_for(is_named, "a warning about depth")
    camera.resume("depth")

    def is_well() -> bool:
        map_one(camera)
        return camera.health()["ok"] == "True"

    wait_for(is_well, "an untroubled input")


def test_a_player_refuses_a_path_that_is_no_sequence(graph: RosGraph, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no camera here")
    with pytest.raises(FrameError, match=str(tmp_path)):
        graph.add(SequencePlayer, {"sequence": str(tmp_path)})


def test_truncated_bag_is_reported(graph: RosGraph, tmp_path: Path) -> None:
    bag = tmp_path / "walk.mcap"
    bag.write_bytes(b"\x89MCAP0\r\n" + bytes(1000))
    with pytest.raises(FrameError, match=r"walk\.mcap"):
        graph.add(SequencePlayer, {"sequence": str(bag)})
