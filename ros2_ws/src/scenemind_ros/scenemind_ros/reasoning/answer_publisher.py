"""The topics of the reasoning node: answers, and the boxes that the last one speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from scenemind.memory import MapObject
from scenemind_interfaces.msg import Answer, SceneObjectArray
from scenemind_ros.conversions import (
    box_to_msg,
    header_to_msg,
    markers_to_msg,
    object_to_markers,
    objects_to_msg,
)
from scenemind_ros.optional_ros import vision_msgs
from scenemind_ros.qos import LATCHED


class AnswerPublisher:
    """Latched: who comes late sees the last one. `~/detections` only where vision_msgs is."""

    def __init__(self, node: Node, map_frame: str) -> None:
        self._map_frame = map_frame
        self._answers = node.create_publisher(Answer, "~/answers", LATCHED)
        self._boxes = node.create_publisher(SceneObjectArray, "~/boxes", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._detections = (
            node.create_publisher(vision_msgs.Detection3DArray, "~/detections", LATCHED)
            if vision_msgs is not None
            else None
        )

    def publish_answer(self, answer: Answer) -> None:
        self._answers.publish(answer)

    def publish_objects(self, things: Sequence[MapObject], stamp: int) -> None:
        """What was meant, best first; `stamp` of the newest frame, nanoseconds."""
        header = header_to_msg(stamp, self._map_frame)
        self._boxes.publish(objects_to_msg(things, stamp, self._map_frame))
        markers = (marker for thing in things for marker in object_to_markers(thing, header))
        self._markers.publish(markers_to_msg(markers, header))
        if self._detections is not None and vision_msgs is not None:
            self._detections.publish(_detections_to_msg(vision_msgs, things, header))


def _detections_to_msg(messages: ModuleType, things: Sequence[MapObject], header: Header) -> Any:
    """A vision_msgs/Detection3DArray; `messages` is the module vision_msgs.msg."""
    array = messages.Detection3DArray(header=header)
    for thing in things:
        detection = messages.Detection3D(header=header, id=str(thing.object_id))
        box = box_to_msg(thing.box)
        detection.bbox.center, detection.bbox.size = box.center, box.size
        hypothesis = messages.ObjectHypothesisWithPose()
        hypothesis.hypothesis.class_id = thing.label
        hypothesis.hypothesis.score = float(thing.confidence)
        hypothesis.pose.pose = box.center
        detection.results.append(hypothesis)
        array.detections.append(detection)
    return array
