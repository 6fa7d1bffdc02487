"""Where to stand, over ROS: free floor as a grid, poses for objects and phrases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point
from nav_msgs.msg import OccupancyGrid

from scenemind.memory.occupancy.approach import Robot
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.conversions.floor import approach_from_response
from scenemind_ros.qos import LATCHED
from scenemind_ros.reasoning.memory_access import RemoteMemory
from scenemind_ros.reasoning_node import ReasoningNode

from .graph import NODE, RosGraph, wait_for
from .mapped_room import Mapped, mapped_room

POSES = "get_approach_pose"
REASONER = "/reasoning_node"


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapped]:
    with mapped_room(tmp_path_factory.mktemp("memories")) as room:
        room.graph.add(ReasoningNode, {}, memory=RemoteMemory(room.node, NODE, 10.0))
        yield room


def asked(graph: RosGraph, owner: str, **fields: Any) -> srv.GetApproachPose.Response:
    return graph.call(srv.GetApproachPose, f"{owner}/{POSES}", **fields)


def table(mapped: Mapped) -> Any:
    objects = mapped.node.session.memory.snapshot().objects.values()
    return next(thing for thing in objects if thing.label == "dining table")


def test_grid_comes_late_with_the_cells_of_the_memory(mapped: Mapped) -> None:
    grids = mapped.graph.listen(OccupancyGrid, f"{NODE}/occupancy", LATCHED)
    wait_for(lambda: grids, "a grid")
    known, grid = mapped.node.session.memory.occupancy(), grids[-1]
    cells = np.array(grid.data, np.int8).reshape(grid.info.height, grid.info.width)
    np.testing.assert_array_equal(cells, known.data)
    assert set(np.unique(cells)) == {-1, 0, 100}
    assert grid.info.resolution == pytest.approx(known.resolution_m)
    assert grid.info.origin.position.z == pytest.approx(known.floor_z)
    assert grid.header.frame_id == "map"


def test_poses_of_an_object_are_those_of_the_memory_and_face_it(mapped: Mapped) -> None:
    thing = table(mapped)
    response = asked(mapped.graph, NODE, object_id=thing.object_id, anywhere=True, k=3)
    assert response.success, response.error
    memory = mapped.node.session.memory
    known = memory.approach_poses(thing.object_id, count=3)
    for sent, pose in zip(approach_from_response(response), known, strict=True):
        assert (sent.x, sent.y, sent.z) == (pose.x, pose.y, pose.z)
        assert sent.yaw == pytest.approx(pose.yaw)
        assert sent.stand_off_m == pytest.approx(pose.stand_off_m)
        assert sent.visible == pytest.approx(pose.visible)
    for at in response.poses:
        turn = 2.0 * math.atan2(at.pose.orientation.z, at.pose.orientation.w)
        ahead = np.subtract(thing.yaw_box.center[:2], (at.pose.position.x, at.pose.position.y))
        assert math.cos(turn - math.atan2(ahead[1], ahead[0])) == pytest.approx(1.0)
        assert at.header.frame_id == "map"
    assert response.object.id == thing.object_id


def test_phrase_is_grounded_by_the_reasoning_node(mapped: Mapped) -> None:
    thing = table(mapped)
    by_phrase = asked(mapped.graph, REASONER, phrase="the dining table", purpose="reach")
    by_id = asked(mapped.graph, REASONER, object_id=thing.object_id, purpose="reach")
    assert by_phrase.success, by_phrase.error
    assert by_phrase.object.id == thing.object_id
    assert by_phrase.poses == by_id.poses
    assert min(by_phrase.stand_offs_m) >= 0.05
    missing = asked(mapped.graph, REASONER, phrase="the elephant")
    assert not missing.success
    assert missing.error.code == Error.NOT_FOUND
    assert "elephant" in missing.error.message


def test_robot_stands_where_the_camera_is_unless_said(mapped: Mapped) -> None:
    thing, memory = table(mapped), mapped.node.session.memory
    camera = memory.snapshot().world_T_camera.translation
    here = Robot(place=(float(camera[0]), float(camera[1])))
    response = asked(mapped.graph, NODE, object_id=thing.object_id)
    known = memory.approach_poses(thing.object_id, robot=here)
    assert [pose.x for pose in approach_from_response(response)] == [pose.x for pose in known]
    far = Point(x=100.0, y=100.0)
    response = asked(mapped.graph, NODE, object_id=thing.object_id, robot=far, has_robot=True)
    assert response.error.code == Error.NOT_FOUND
    assert "no way there from the robot at (100.00, 100.00)" in response.error.message


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({"object_id": 99_999}, Error.NOT_FOUND, "no object 99999"),
        ({"phrase": "the table"}, Error.INVALID_REQUEST, "reasoning node"),
        ({"purpose": "dance"}, Error.INVALID_REQUEST, "say look or reach"),
        ({"robot": Point(x=math.nan), "has_robot": True}, Error.INVALID_REQUEST, "place is (nan"),
        ({"robot_radius_m": -1.0}, Error.INVALID_REQUEST, "radius of -1"),
        ({"stand_off_m": math.inf}, Error.INVALID_REQUEST, "stand-off of inf"),
        ({"robot_radius_m": 5.0}, Error.NOT_FOUND, "no floor is known where a robot of 5 m"),
    ],
)
def test_request_that_cannot_be_gets_a_code_and_why(
    mapped: Mapped, fields: dict[str, Any], code: int, words: str
) -> None:
    asking = {"object_id": table(mapped).object_id} | fields
    response = asked(mapped.graph, NODE, **asking)
    assert not response.success
    assert response.error.code == code
    assert words in response.error.message
