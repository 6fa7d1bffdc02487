"""Conversions to messages and back: equal values, as far as a message can hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header, String
from visualization_msgs.msg import Marker

from scenemind.frames import FrameError
from scenemind.frames.images import encode_color_file, encode_compressed_depth
from scenemind.geometry import Box3D, GeometryError, PinholeCamera, Pose
from scenemind.memory import (
    Correction,
    DepthImage,
    DetectionNode,
    Edit,
    FrameIndex,
    KeyFrame,
    LocationNode,
    MapObject,
    MemorySnapshot,
    ObjectTracklet,
    Relation,
    Stay,
    StructurePlane,
)
from scenemind.models import Usage
from scenemind.reasoning import Answer, Query, ReasoningFailure
from scenemind.reasoning.query import ErrorCode
from scenemind_interfaces.msg import Correction as CorrectionMsg
from scenemind_interfaces.msg import Error
from scenemind_interfaces.srv import Ask, GetFrameIndex
from scenemind_ros import conversions as c
from scenemind_ros.errors import RosError
from tests.unit.memory.index_rows import assert_same_index

metres = st.floats(-50.0, 50.0).map(lambda x: np.float64(x))
edges = st.floats(0.0, 10.0)
stamps = st.integers(0, 2**31 * 1_000_000_000 - 1)
ids = st.integers(0, 2**31 - 1)
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@st.composite
def poses(draw: st.DrawFn) -> Pose:
    q = np.array(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 4)))
    norm = np.linalg.norm(q)
    q = q / norm if norm > 0.1 else np.array((0.0, 0.0, 0.0, 1.0))
    return Pose.from_quaternion(draw(st.tuples(metres, metres, metres)), q)


@st.composite
def boxes(draw: st.DrawFn) -> Box3D:
    """Boxes of numpy numbers, like the library's own; these types must not reach a message."""
    return Box3D(
        draw(st.tuples(metres, metres, metres)),
        draw(st.tuples(edges, edges, edges)),
        np.float64(draw(st.floats(-3.1, 3.1))),
    )


@st.composite
def earlier_stays(draw: st.DrawFn) -> Stay:
    return Stay(draw(boxes()), np.int64(draw(stamps)), draw(stamps), np.int64(draw(stamps)))


@st.composite
def objects(draw: st.DrawFn) -> MapObject:
    attributes = draw(st.dictionaries(words, words, max_size=3))
    return MapObject(
        object_id=np.int64(draw(ids)),
        label=draw(words),
        perceived_label=draw(words),
        attributes=attributes,
        confidence=np.float32(draw(st.floats(0.0, 1.0, width=32))),
        box=draw(boxes()),
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=np.int64(draw(stamps)),
        last_seen_ns=draw(stamps),
        observation_count=np.int64(draw(ids)),
        track_ids=tuple(np.int64(i) for i in draw(st.lists(ids, max_size=3))),
        corrected=np.bool_(draw(st.booleans())),
        stays=tuple(draw(st.lists(earlier_stays(), max_size=2))),
        known_yaw_box=draw(st.none() | boxes()),
        here_since_ns=draw(st.none() | stamps.filter(bool)),
        attribute_sources={
            name: draw(st.sampled_from(("model", "user")))
            for name in attributes
            if draw(st.booleans())
        },
        label_probabilities=draw(st.dictionaries(words, st.floats(0.0, 1.0), max_size=3)),
        measured_share=np.float64(draw(st.floats(0.0, 1.0))),
        is_ghost=np.bool_(draw(st.booleans())),
    )


WALL = StructurePlane(-1, "wall", Box3D((2, 1, 1.25), (4, 0, 2.5)), (0.0, 0.6, 0.8), 6.5)


def through_wire(message: object) -> object:
    """The message after serialization, as another process gets it."""
    return deserialize_message(serialize_message(message), type(message))


def assert_same_pose(a: Pose, b: Pose) -> None:
    np.testing.assert_allclose(a.matrix(), b.matrix(), atol=1e-9)


def assert_same_object(a: MapObject, b: MapObject) -> None:
    for name in (
        "object_id",
        "label",
        "perceived_label",
        "attributes",
        "first_seen_ns",
        "last_seen_ns",
        "observation_count",
        "track_ids",
        "corrected",
        "here_since_ns",
        "attribute_sources",
        "is_ghost",
    ):
        assert getattr(a, name) == getattr(b, name), name
    assert a.confidence == pytest.approx(b.confidence)
    assert a.label_probabilities == pytest.approx(b.label_probabilities, abs=1e-6)
    assert a.measured_share == pytest.approx(b.measured_share, abs=1e-6)
    np.testing.assert_allclose(a.box.corners(), b.box.corners(), atol=1e-6)
    np.testing.assert_allclose(a.yaw_box.corners(), b.yaw_box.corners(), atol=1e-6)
    for stay, other in zip(a.stays, b.stays, strict=True):
        for name in ("first_seen_ns", "last_seen_ns", "gone_ns"):
            assert getattr(stay, name) == getattr(other, name), name
        np.testing.assert_allclose(stay.box.corners(), other.box.corners(), atol=1e-6)


@given(stamps)
def test_a_stamp_keeps_its_nanoseconds(stamp: int) -> None:
    assert c.stamp_ns(c.time_to_msg(stamp)) == stamp


@given(poses())
def test_a_pose_comes_back(pose: Pose) -> None:
    assert_same_pose(c.pose_from_msg(through_wire(c.pose_to_msg(pose))), pose)


def test_a_pose_that_was_never_filled_is_refused() -> None:
    message = c.pose_to_msg(Pose.identity())
    message.orientation.w = 0.0
    with pytest.raises(GeometryError, match="norm 0"):
        c.pose_from_msg(message)


def test_a_camera_comes_back_and_zeros_are_no_camera() -> None:
    camera = PinholeCamera(640, 480, 525.5, 526.5, 319.5, 239.5)
    assert c.camera_from_msg(through_wire(c.camera_to_msg(camera, 7, "optical"))) == camera
    with pytest.raises(GeometryError):
        c.camera_from_msg(CameraInfo(width=640, height=480))


@given(objects(), objects(), poses(), st.booleans())
def test_a_scene_graph_comes_back(
    thing: MapObject, lost: MapObject, pose: Pose, has_pose: bool
) -> None:
    relation = Relation(int(thing.object_id), "on", 7, 0.5, "user")
    snapshot = MemorySnapshot(
        5,
        123,
        {int(thing.object_id): thing},
        (relation,),
        pose if has_pose else None,
        {int(lost.object_id): lost},
        {-1: WALL},
        {int(thing.object_id): 2},
        (Relation(int(thing.object_id), "near", 8, source="user"),),
    )
    back = c.snapshot_from_msg(through_wire(c.snapshot_to_msg(snapshot, "map")))
    assert (back.revision, back.stamp_ns, back.relations) == (5, 123, (relation,))
    assert back.denied == snapshot.denied
    assert (back.structure, back.levels) == (snapshot.structure, snapshot.levels)
    assert back.objects.keys() == snapshot.objects.keys()
    assert_same_object(back.objects[int(thing.object_id)], thing)
    assert back.gone.keys() == snapshot.gone.keys()
    assert_same_object(back.gone[int(lost.object_id)], lost)
    assert (back.world_T_camera is not None) == has_pose


@given(
    st.sampled_from(("rename", "set_attribute", "delete_object", "add_relation")),
    st.lists(ids, min_size=1, max_size=2),
    words,
    stamps,
    st.booleans(),
)
def test_a_correction_comes_back(
    kind: str, object_ids: list[int], value: str, stamp: int, undone: bool
) -> None:
    correction = Correction(
        3, Edit(kind, tuple(object_ids), "key", value), "me", "so", stamp, undone
    )
    assert c.correction_from_msg(through_wire(c.correction_to_msg(correction))) == correction


def test_an_unknown_kind_of_correction_is_refused_by_name() -> None:
    with pytest.raises(RosError, match=r"'paint'.*rename"):
        c.edit_from_msg(CorrectionMsg(kind="paint"))


@given(poses(), st.lists(st.tuples(*[st.floats(0, 600)] * 4), max_size=3))
def test_a_key_frame_comes_back_with_boxes_to_the_pixel(
    pose: Pose, corners: list[tuple[float, float, float, float]]
) -> None:
    boxes_px = {
        i: (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        for i, (x0, y0, x1, y1) in enumerate(corners)
    }
    camera = PinholeCamera(640, 480, 500.0, 500.0, 320.0, 240.0)
    sent = KeyFrame(12, 34, 5, camera, pose, b"\xff\xd8jpeg", np.float32(0.5), boxes_px)
    back = c.key_frame_from_msg(through_wire(c.key_frame_to_msg(sent, "optical")))
    assert (back.frame_number, back.stamp_ns, back.location_id) == (12, 34, 5)
    assert (back.camera, back.jpeg, back.score) == (camera, sent.jpeg, 0.5)
    assert_same_pose(back.world_T_camera, pose)
    assert back.boxes_px.keys() == boxes_px.keys()
    for object_id, box in boxes_px.items():
        np.testing.assert_allclose(back.boxes_px[object_id], box, atol=0.5)


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_depth_comes_back_with_its_key_frame(every_px: int, seed: int) -> None:
    camera = PinholeCamera(30, 21, 25.0, 26.0, 14.5, 10.0)
    fewer = camera.subsampled(every_px)
    depth_mm = np.random.default_rng(seed).integers(0, 65535, (fewer.height, fewer.width))
    depth = DepthImage((depth_mm / 1000.0).astype(np.float32), every_px, fewer)
    key_frame = KeyFrame(12, 34, 5, camera, Pose.identity(), b"")
    back = c.depth_image_from_msg(through_wire(c.key_frame_to_msg(key_frame, "optical", depth)))
    assert back is not None
    np.testing.assert_array_equal(back.depth_m, depth.depth_m)
    assert (back.every_px, back.camera) == (every_px, fewer)
    assert c.depth_image_from_msg(through_wire(c.key_frame_to_msg(key_frame, "optical"))) is None


def test_depth_that_does_not_fit_its_image_is_refused() -> None:
    camera = PinholeCamera(30, 21, 25.0, 26.0, 14.5, 10.0)
    depth = DepthImage(np.ones((11, 15), np.float32), 2, camera.subsampled(2))
    message = c.key_frame_to_msg(KeyFrame(12, 34, 5, camera, Pose.identity(), b""), "", depth)
    for every_px in (0, 1, 3):
        message.depth_every_px = every_px
        with pytest.raises(RosError, match="depth of frame 12 has"):
            c.depth_image_from_msg(message)
    message.depth.data = message.depth.data[:40]
    with pytest.raises(RosError, match=r"depth of frame 12: .*cut short"):
        c.depth_image_from_msg(message)


def some_index(frames: int, detections: int, seed: int = 1) -> FrameIndex:
    rng = np.random.default_rng(seed)
    turns = Rotation.random(frames, rng).as_matrix() if frames else np.zeros((0, 3, 3))
    matrices = np.tile(np.eye(4), (frames, 1, 1))
    matrices[:, :3, :3], matrices[:, :3, 3] = turns, rng.uniform(-9, 9, (frames, 3))
    rows = np.sort(rng.integers(0, frames, detections)) if frames else np.zeros(0)
    return FrameIndex(
        frame_numbers=np.arange(frames, dtype=np.int32) * 3,
        stamps_ns=np.arange(frames, dtype=np.int64) * 33_000_000 + 1_700_000_000_000_000_000,
        location_ids=np.arange(frames, dtype=np.int32) // 4,
        world_T_camera=matrices,
        camera_indices=rng.integers(0, 2, frames, np.int32),
        cameras=(PinholeCamera(64, 48, 50.0, 51.0, 32.0, 24.0), PinholeCamera(8, 6, 5, 5, 4, 3)),
        detection_frames=rows.astype(np.int32),
        detection_labels=rng.integers(0, 2, len(rows), np.int32),
        detection_objects=rng.integers(0, 5, len(rows), np.int32),
        detection_scores=rng.uniform(0, 1, len(rows)).astype(np.float32),
        detection_boxes_px=rng.uniform(0, 64, (len(rows), 4)).astype(np.float32),
        labels=("chair", "Stuhl äöü"),
    )


@given(st.integers(0, 20), st.integers(0, 60), st.integers(0, 1000))
def test_an_index_of_frames_comes_back(frames: int, detections: int, seed: int) -> None:
    index = some_index(frames, detections, seed)
    response = GetFrameIndex.Response()
    c.fill_frame_index(index, response, "optical")
    assert_same_index(c.frame_index_from_msg(through_wire(response)), index)


@pytest.mark.parametrize(
    ("column", "change", "says"),
    [
        ("stamps_ns", lambda values: values[1:], "stamps_ns .* has 4 values, not 5"),
        ("world_t_camera", lambda values: values[1:], "world_t_camera .* 34 values, not 35"),
        ("detection_boxes_px", lambda values: values[4:], "detection_boxes_px"),
        ("camera_indices", lambda values: [2, *values[1:]], "camera_indices .* beyond the 2"),
        ("detection_frames", lambda values: [*values[:-1], 5], "detection_frames .* the 5"),
        ("detection_labels", lambda values: [-1, *values[1:]], "detection_labels .* the 2"),
    ],
)
def test_an_index_of_frames_that_contradicts_itself_is_refused(
    column: str, change: Callable[[Sequence[float]], Sequence[float]], says: str
) -> None:
    response = GetFrameIndex.Response()
    c.fill_frame_index(some_index(5, 9), response, "optical")
    setattr(response, column, change(getattr(response, column)))
    with pytest.raises(RosError, match=says):
        c.frame_index_from_msg(response)


@given(words, words, st.floats(0, 1, width=32), st.integers(0, 2**31))
def test_an_answer_comes_back(text: str, fallback: str, confidence: float, tokens: int) -> None:
    query = Query("where is it?", policy="strict")
    usage = Usage(2, tokens, tokens // 2, 30, 0.25)
    sent = Answer(
        query, text, confidence, (), (), "memtree", 1.5, ("first", "then"), None, usage, fallback,
        brief=text[:5],
    )  # fmt: skip
    response = Ask.Response(answer=c.answer_to_msg(sent, 12, "map"))
    back = c.answer_from_msg(through_wire(response), query, {})
    assert (back.text, back.confidence, back.method) == (text, confidence, "memtree")
    assert back.brief == text[:5]
    assert (back.seconds, back.steps, back.usage) == (1.5, ("first", "then"), usage)
    assert (back.fallback, back.failure) == (fallback, None)


@pytest.mark.parametrize("code", get_args(ErrorCode))
def test_every_failure_comes_back(code: ErrorCode) -> None:
    failure = ReasoningFailure(code, "why, and what to do", "how many chairs are there?")
    assert c.failure_from_msg(through_wire(c.failure_to_msg(failure))) == failure


def test_errors_of_a_node_are_no_failures_of_reasoning() -> None:
    with pytest.raises(RosError, match="a bug") as caught:
        c.failure_from_msg(Error(code=Error.INTERNAL, message="a bug"))
    assert caught.value.code == Error.INTERNAL


def test_missing_numbers_in_the_tree_are_minus_one() -> None:
    best = DetectionNode(4, 40, np.float32(0.75), (0.0, 0.0, 1.0, 1.0))
    trajectory = np.array([(1, 2, 3)], np.float32)
    tracklets = tuple(
        ObjectTracklet(track, "cup", None, 2, 10, 40, best, trajectory) for track in (8, 2)
    )
    location = LocationNode(1, Pose.identity(), 10, 40, (0, 4), tracklets)
    snapshot = MemorySnapshot(9, 40, {}, (), None)
    tree = through_wire(c.tree_to_msg([c.location_to_msg(location)], 5, snapshot, "map"))
    assert (tree.revision, tree.location_count, c.stamp_ns(tree.header.stamp)) == (9, 5, 40)
    (message,) = tree.locations
    assert (message.revisit_of, message.frame_count) == (-1, 5)
    for seen in (message, message.tracklets[0]):
        assert (c.stamp_ns(seen.first_stamp), c.stamp_ns(seen.last_stamp)) == (10, 40)
    assert [t.track_id for t in message.tracklets] == [2, 8]
    assert message.tracklets[0].object_id == -1
    assert message.tracklets[0].best_score == 0.75
    assert message.tracklets[0].trajectory[0].z == 3.0


def test_raw_images_come_back() -> None:
    rng = np.random.default_rng(1)
    color = rng.integers(0, 255, (4, 6, 3), np.uint8)
    depth_mm = rng.integers(0, 60000, (4, 6))
    depth_m = (depth_mm / 1000.0).astype(np.float32)
    instances = rng.integers(0, 100000, (4, 6), np.int32)
    header = Header(frame_id="optical")
    np.testing.assert_array_equal(
        c.color_from_msg(through_wire(c.color_to_msg(color, header))), color
    )
    back = c.depth_from_msg(through_wire(c.depth_to_msg(depth_m, header)))
    np.testing.assert_allclose(back, depth_m, atol=1e-6)
    sent = through_wire(c.instances_to_msg(instances, header))
    np.testing.assert_array_equal(c.instances_from_msg(sent), instances)


def test_compressed_images_come_back() -> None:
    color = np.full((32, 48, 3), (200, 100, 50), np.uint8)
    depth_m = np.full((32, 48), 1.234, np.float32)
    jpeg = CompressedImage(format="rgb8; jpeg compressed bgr8", data=encode_color_file(color))
    png = CompressedImage(
        format="16UC1; compressedDepth png", data=encode_compressed_depth(depth_m)
    )
    assert np.abs(c.color_from_msg(jpeg).astype(int) - color).max() <= 3
    np.testing.assert_allclose(c.depth_from_msg(png), depth_m, atol=1e-6)


@pytest.mark.parametrize(
    ("read", "message", "says"),
    [
        (c.color_from_msg, Image(encoding="rgb8"), "0x0"),
        (c.color_from_msg, Image(encoding="32FC1", height=1, width=1, step=4), "32FC1"),
        (c.color_from_msg, Image(encoding="rgb8", height=2, width=2, step=6), "holds 0 bytes"),
        (c.depth_from_msg, Image(encoding="16UC1"), "0x0"),
        (c.depth_from_msg, Image(encoding="rgb8", height=1, width=1, step=3), "rgb8"),
        (c.instances_from_msg, Image(encoding="rgb8", height=1, width=1, step=3), "rgb8"),
        (c.instances_from_msg, Image(encoding="32SC1"), "0x0"),
        (c.color_from_msg, CompressedImage(format="jpeg", data=b"no image"), "no JPEG"),
    ],
)
def test_error_names_the_fault_of_an_unusable_image(
    read: object, message: Image | CompressedImage, says: str
) -> None:
    with pytest.raises(FrameError, match=says):
        read(message)


def test_unmeasured_depth_is_zero() -> None:
    depth = np.array([[np.nan, np.inf, -1.0, 2.0]], np.float32)
    message = Image(encoding="32FC1", height=1, width=4, step=16, data=depth.tobytes())
    assert c.depth_from_msg(message).tolist() == [[0.0, 0.0, 0.0, 2.0]]


def test_instance_names_come_back_and_other_text_is_refused() -> None:
    names = {7: "chair", 12: "Tasse"}
    assert c.instance_names_from_msg(through_wire(c.instance_names_to_msg(names))) == names
    with pytest.raises(FrameError, match="chair"):
        c.instance_names_from_msg(String(data="[1, 2]"))


def test_markers_replace_the_whole_picture() -> None:
    thing = MapObject(
        3, "cup", "cup", {}, 1.0, Box3D((1, 2, 3), (0.0, 0.1, 0.2)), np.zeros((0, 3), np.float32),
        0, 0, 1, (),
    )  # fmt: skip
    message = through_wire(c.markers_to_msg(c.object_to_markers(thing, Header()), Header()))
    clear, cube, name = message.markers
    assert clear.action == Marker.DELETEALL
    assert (cube.id, cube.type, name.text) == (3, Marker.CUBE, "cup 3")
    assert cube.scale.x > 0.0, "RViz refuses a cube without thickness"
    assert math.isclose(name.pose.position.z, 3.1 + 0.12)


def test_a_cube_is_turned_as_its_object_is() -> None:
    turned = Box3D((0.5, 0.5, 1.5), (2.0, 1.0, 3.0), 0.5)
    points = turned.corners().astype(np.float32)
    hull = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    thing = MapObject(3, "box", "box", {}, 1.0, hull, points, 0, 0, 1, ())
    cube, _ = (through_wire(marker) for marker in c.object_to_markers(thing, Header()))
    edges = (cube.scale.x, cube.scale.y, cube.scale.z)
    assert edges == pytest.approx(turned.size, abs=1e-4)
    # RViz's cube is a unit cube about the origin, scaled and then moved.
    corner = c.pose_from_msg(cube.pose).transform(np.array(edges) / 2)
    np.testing.assert_allclose(corner, turned.corners()[6], atol=1e-4)


def test_outlines_of_the_building_follow_its_planes() -> None:
    wall = StructurePlane(-2, "wall", Box3D((2, 1, 1.25), (4, 0, 2.5), 0.5), (0, 1, 0), 6.0)
    ceiling = StructurePlane(-3, "ceiling", Box3D((0, 0, 2.5), (4, 4, 0)), (0, 0, -1), 9.0)
    (lines,) = map(through_wire, c.building_to_markers([wall, ceiling], Header()))
    assert (lines.ns, lines.id, lines.type) == ("building", -2, Marker.LINE_LIST)
    ends = np.array([(p.x, p.y, p.z) for p in lines.points]).reshape(-1, 2, 3)
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    # Four edges along each of the box's axes.
    np.testing.assert_allclose(np.sort(lengths), [0.0] * 4 + [2.5] * 4 + [4.0] * 4, atol=1e-9)
    corners = {tuple(corner) for corner in wall.box.corners().round(6)}
    assert {tuple(end) for end in ends.reshape(-1, 3).round(6)} == corners


def test_lines_lead_to_supporters() -> None:
    def thing(number: int, box: Box3D) -> MapObject:
        return MapObject(number, "", "", {}, 1.0, box, np.zeros((0, 3), np.float32), 0, 0, 1, ())

    table, cup = (
        thing(1, Box3D((1, 0, 0.4), (1, 1, 0.8))),
        thing(2, Box3D((1.2, 0, 0.9), (0, 0, 0.2))),
    )
    picture = thing(3, Box3D((0.0, 1.0, 1.5), (0.1, 0.1, 0.1)))
    slant = math.sqrt(0.5)
    facing = (-slant, -slant, 0.0)
    wall = StructurePlane(-1, "wall", Box3D((0, 1.4, 1), (0, 4, 2), math.pi / 4), facing, 6.0)
    carried = (
        Relation(2, "on", 1),
        Relation(3, "hanging on", -1),
        Relation(2, "near", 3),
        Relation(3, "near", 2),
    )
    scene = MemorySnapshot(
        1, 0, {1: table, 2: cup, 3: picture}, carried, None, structure={-1: wall}
    )  # fmt: skip
    (lines,) = map(through_wire, c.carrying_to_markers(scene, Header()))
    assert (lines.ns, lines.type) == ("carrying", Marker.LINE_LIST)
    ends = np.array([(p.x, p.y, p.z) for p in lines.points]).reshape(-1, 2, 3)
    np.testing.assert_allclose(ends[0], [(1.2, 0, 0.9), (1, 0, 0.4)])
    # Of the wall, on x + y = 1.4, (0.2, 1.2) is nearest to (0, 1).
    np.testing.assert_allclose(ends[1], [(0.0, 1.0, 1.5), (0.2, 1.2, 1.5)], atol=1e-9)
    assert len(ends) == 2
    assert c.carrying_to_markers(replace(scene, relations=()), Header()) == []


def test_object_points_carry_the_colour_of_their_label() -> None:
    points = np.array([(1, 2, 3), (4, 5, 6)], np.float32)
    box = Box3D((2.5, 3.5, 4.5), (3, 3, 3))
    thing = MapObject(3, "cup", "cup", {}, 1.0, box, points, 0, 0, 1, ())
    cloud = through_wire(c.objects_to_cloud([thing], Header(frame_id="map")))
    raw = np.frombuffer(cloud.data, np.dtype([("xyz", "<f4", 3), ("rgb", "<u4")]))
    np.testing.assert_array_equal(raw["xyz"], points)
    r, g, b = c.label_rgb("cup")
    assert c.objects_to_cloud([], Header()).width == 0
    assert raw["rgb"][0] == round(r * 255) << 16 | round(g * 255) << 8 | round(b * 255)
