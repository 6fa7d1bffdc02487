"""Tracking in image sequences whose motion is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.config import TrackerConfig
from scenemind.geometry import Box3D, Pose
from scenemind.perception import BoxMask, Detections
from scenemind.perception.camera_motion import places_at
from scenemind.perception.kalman import BoxStates
from scenemind.perception.tracker import Tracker, _duplicates
from scenemind.perception.tracks import LOST, TRACKED, Tracks

from .scenes import CAMERA, LOOKING_ALONG_Y, boxes_only, frame_of

FAR = frame_of(np.zeros((480, 640), np.float32))
HALF_MEASURED = np.tile(np.array([0.0, 2.0], np.float32), (480, 320))
LEFT, RIGHT = (50.0, 100.0, 110.0, 220.0), (400.0, 100.0, 460.0, 220.0)


def shifted(box: tuple[float, ...], x: float) -> tuple[float, float, float, float]:
    return (box[0] + x, box[1], box[2] + x, box[3])


def track(frames: list[Detections], config: TrackerConfig | None = None) -> list[list[int]]:
    tracker = Tracker(config or TrackerConfig())
    return [tracker.update(detections, FAR).tolist() for detections in frames]


def test_two_objects_that_cross_keep_their_ids() -> None:
    """One walks right at 8 px a frame, one left; they never have the same height."""
    high, low = (50.0, 60.0, 110.0, 180.0), (560.0, 230.0, 620.0, 350.0)
    ids = track([boxes_only([shifted(high, 8.0 * k), shifted(low, -8.0 * k)]) for k in range(60)])
    assert ids == [[1, 2]] * 60


def test_a_new_object_has_its_id_at_once() -> None:
    ids = track([boxes_only([LEFT]), *[boxes_only([LEFT, RIGHT])] * 3])
    assert ids == [[1], [1, 2], [1, 2], [1, 2]]


def test_track_of_one_detection_is_forgotten_soon() -> None:
    """A single detection is forgotten after two more frames; a later one is another object."""
    both, one = boxes_only([LEFT, RIGHT]), boxes_only([LEFT])
    assert track([one, both, one, one, both])[-1] == [1, 2]
    assert track([one, both, one, one, one, both])[-1] == [1, 3]


def test_weak_detections_keep_a_track_but_start_none() -> None:
    weak = boxes_only([LEFT, RIGHT], scores=[0.15, 0.15])
    ids = track([*[boxes_only([LEFT])] * 2, *[weak] * 5, boxes_only([LEFT])])
    assert ids == [[1], [1], *[[1, -1]] * 5, [1]]


def test_detections_below_the_low_score_are_ignored() -> None:
    ids = track([boxes_only([LEFT]), boxes_only([LEFT], scores=[0.05])])
    assert ids == [[1], [-1]]


def test_an_id_survives_a_brief_miss_and_is_never_used_again_after_a_long_one() -> None:
    nothing = boxes_only([])
    config = TrackerConfig(lost_frames=5)
    walk = [boxes_only([shifted(LEFT, 3.0 * k)]) for k in range(10)]
    assert track([*walk[:5], nothing, nothing, *walk[7:]], config)[-3:] == [[1]] * 3
    assert track([*walk[:5], *[nothing] * 6, walk[5], walk[6]], config)[-2:] == [[2], [2]]


def test_a_flickering_label_does_not_break_a_track() -> None:
    labels = ["chair", "couch", "chair", "couch", "couch"]
    ids = track([boxes_only([LEFT], labels=[label]) for label in labels])
    assert ids == [[1]] * 5


def test_the_label_decides_between_neighbours() -> None:
    """A cup and a bowl side by side; in the next frame both boxes jump half-way to each other."""
    cup, bowl = (100.0, 100.0, 160.0, 160.0), (130.0, 100.0, 190.0, 160.0)
    before = boxes_only([cup, bowl], labels=["cup", "bowl"])
    after = boxes_only([shifted(cup, 15), shifted(bowl, -15)], labels=["bowl", "cup"])
    assert track([before, after]) == [[1, 2], [2, 1]]


def seen_from(box: Box3D, pose: Pose) -> tuple[float, float, float, float]:
    """The image box of a box in the world."""
    pixels, _ = CAMERA.project(pose.inverse().transform(box.corners()))
    return (*pixels.min(axis=0), *pixels.max(axis=0))


def test_known_poses_carry_tracks_through_a_jerk_of_the_camera() -> None:
    """Two cups on a table; the camera pans by 12 degrees between frames and steps aside.

    Without the poses (the same pictures, a pose that claims to stand still) the ids break.
    """
    cups = [Box3D((x, 2.0, 0.0), (0.1, 0.1, 0.12)) for x in (-0.2, 0.25)]
    still, moving, ids = Tracker(TrackerConfig()), Tracker(TrackerConfig()), []
    for k in range(8):
        jerk = Rotation.from_euler("z", 12 * (k % 3 - 1), degrees=True).as_matrix()
        pose = Pose(jerk, np.array([0.15 * (k % 2), 0.0, 0.0])) @ LOOKING_ALONG_Y
        detections = boxes_only([seen_from(cup, pose) for cup in cups])
        depth = np.full((480, 640), 2.0, np.float32)
        ids.append(moving.update(detections, frame_of(depth, pose, number=k)).tolist())
        standing = still.update(detections, frame_of(depth, number=k)).tolist()
    assert ids == [[1, 2]] * 8
    assert standing != [1, 2]


def test_a_lost_track_waits_where_the_object_is() -> None:
    """The camera looks away for three frames and back from another place."""
    chair = Box3D((0.0, 3.0, 0.0), (0.5, 0.5, 0.9))
    depth = np.full((480, 640), 2.75, np.float32)
    tracker, ids = Tracker(TrackerConfig()), []
    for turn, x, visible in ((0, 0, 1), (0, 0, 1), (40, 0.2, 0), (40, 0.4, 0), (5, 0.5, 1)):
        away = Rotation.from_euler("z", turn, degrees=True).as_matrix()
        pose = Pose(away, np.array([x, 0.0, 0.0])) @ LOOKING_ALONG_Y
        detections = boxes_only([seen_from(chair, pose)] if visible else [])
        ids += tracker.update(detections, frame_of(depth, pose)).tolist()
    assert ids == [1, 1, 1]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**16))
def test_ids_are_unique_within_a_frame_and_grow(seed: int) -> None:
    random = np.random.default_rng(seed)
    tracker, newest = Tracker(TrackerConfig()), 0
    for _ in range(12):
        count = int(random.integers(0, 12))
        low = random.uniform(0, 400, (count, 2))
        boxes = np.hstack((low, low + random.uniform(10, 80, (count, 2))))
        scores = random.uniform(0.05, 1.0, count)
        turn = Rotation.from_rotvec(random.normal(0, 0.2, 3)).as_matrix()
        frame = frame_of(HALF_MEASURED, Pose(turn, random.normal(0, 1.0, 3)))
        detections = boxes_only([tuple(b) for b in boxes], scores=scores.tolist())

        ids = tracker.update(detections, frame)

        assert ids.shape == (count,)
        assert ids.dtype == np.int64
        tracked = ids[ids >= 0]
        assert len(np.unique(tracked)) == len(tracked)
        assert (scores[ids >= 0] >= TrackerConfig().low_score).all()
        newest = max(newest, int(tracked.max(initial=0)))
    assert newest < 12 * 12


def test_a_thing_that_enters_the_image_is_one_thing() -> None:
    """A cupboard 1 m wide at 2 m; the camera pans by 4 degrees a frame until it is all in view."""
    cupboard = Box3D((0.0, 2.0, 0.0), (1.0, 0.4, 1.0))
    depth = np.full((480, 640), 1.8, np.float32)
    tracker, ids = Tracker(TrackerConfig()), []
    for turn in range(-44, 1, 4):
        pan = Rotation.from_euler("z", turn, degrees=True).as_matrix()
        pose = Pose(pan, np.zeros(3)) @ LOOKING_ALONG_Y
        x0, y0, x1, y1 = seen_from(cupboard, pose)
        shown = (max(x0, 0.0), max(y0, 0.0), min(x1, 640.0), min(y1, 480.0))
        detections = boxes_only([shown] if shown[2] - shown[0] > 2 else [])
        ids += tracker.update(detections, frame_of(depth, pose)).tolist()
    assert len(ids) > 8
    assert set(ids) == {1}


def test_an_id_survives_turning_round() -> None:
    """Once round in 60 frames: most of the time the chair is behind the camera."""
    chair = Box3D((0.0, 3.0, 0.0), (0.5, 0.5, 0.9))
    depth = np.full((480, 640), 2.75, np.float32)
    tracker, ids = Tracker(TrackerConfig()), []
    for turn in range(0, 361, 6):
        about = Rotation.from_euler("z", turn, degrees=True).as_matrix()
        pose = Pose(about, np.zeros(3)) @ LOOKING_ALONG_Y
        visible = min(turn, 360 - turn) < 24
        detections = boxes_only([seen_from(chair, pose)] if visible else [])
        ids += tracker.update(detections, frame_of(depth, pose)).tolist()
    assert ids == [1] * 8


def test_driving_towards_a_wall_boxes_grow_as_predicted() -> None:
    """Pictures on a wall, from 4 m to 1 m in 10 steps: closer than without poses possible."""
    pictures = [Box3D((x, 4.0, 0.0), (0.12, 0.01, 0.12)) for x in (-0.3, -0.1, 0.1, 0.3)]
    tracker, ids = Tracker(TrackerConfig()), []
    for y in np.linspace(0.0, 3.0, 11):
        pose = Pose(np.eye(3), np.array([0.0, y, 0.0])) @ LOOKING_ALONG_Y
        depth = np.full((480, 640), 4.0 - y, np.float32)
        seen = boxes_only([seen_from(picture, pose) for picture in pictures])
        ids.append(tracker.update(seen, frame_of(depth, pose)).tolist())
    assert ids == [[1, 2, 3, 4]] * 11


@pytest.mark.parametrize("jump_m", [0.5, 2.0])
def test_a_jump_of_the_pose_breaks_no_track(jump_m: float) -> None:
    """A relocalisation, small or large: the picture stays as it is."""
    tracker, ids = Tracker(TrackerConfig()), []
    depth = np.full((480, 640), 2.0, np.float32)
    for number in range(6):
        pose = Pose(np.eye(3), np.array([jump_m * (number > 2), 0.0, 0.0])) @ LOOKING_ALONG_Y
        ids.append(tracker.update(boxes_only([LEFT, RIGHT]), frame_of(depth, pose, number=number)))
    assert np.array(ids).tolist() == [[1, 2]] * 6


@pytest.mark.parametrize("depth_m", [2.0, 0.0])
def test_another_resolution_breaks_no_track(depth_m: float) -> None:
    """The driver is switched from 640x480 to 160x120 in mid-stream."""
    tracker = Tracker(TrackerConfig())
    before = frame_of(np.full((480, 640), depth_m, np.float32))
    after = replace(
        before,
        camera=CAMERA.resized(160, 120),
        color=before.color[::4, ::4].copy(),
        depth_m=before.depth_m[::4, ::4].copy(),
    )
    quarters = [tuple(value / 4 for value in box) for box in (LEFT, RIGHT)]
    ids = [
        tracker.update(boxes_only(seen), frame).tolist()  # type: ignore[arg-type]
        for seen, frame in (([LEFT, RIGHT], before),) * 2 + ((quarters, after),) * 2
    ]
    assert ids == [[1, 2]] * 4


@pytest.mark.parametrize("motion", ["pose", "optical_flow", "none"])
def test_three_hundred_detections_and_none_at_all(motion: str) -> None:
    config = TrackerConfig.from_nested({"camera_motion": motion})
    grid = [
        (30.0 * i, 30.0 * k, 30.0 * i + 20, 30.0 * k + 20) for i in range(20) for k in range(15)
    ]
    tracker = Tracker(config)
    many, none = boxes_only(grid), boxes_only([])
    nan = frame_of(np.full((480, 640), np.nan, np.float32))
    expected = list(range(1, 301))
    for detections, ids in ((none, []), (many, expected), (many, expected), (none, [])) * 2:
        assert tracker.update(detections, nan).tolist() == ids


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**16))
def test_the_order_of_detections_does_not_matter(seed: int) -> None:
    """Things that wander about, seen in the order of a detector and in another one."""
    random = np.random.default_rng(seed)
    usual, shuffled = Tracker(TrackerConfig()), Tracker(TrackerConfig())
    low, size = random.uniform(0, 400, (8, 2)), random.uniform(20, 80, (8, 2))
    partners: dict[int, int] = {}
    for _ in range(8):
        low = np.clip(low + random.normal(0, 4, low.shape), 0, 400)
        seen = np.flatnonzero(random.random(8) < 0.9)
        boxes = [tuple(box) for box in np.hstack((low, low + size))[seen]]
        order = random.permutation(len(seen))
        first = usual.update(boxes_only(boxes), frame_of(HALF_MEASURED))
        second = np.empty_like(first)
        second[order] = shuffled.update(
            boxes_only([boxes[i] for i in order]), frame_of(HALF_MEASURED)
        )
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            assert partners.setdefault(a, b) == b


def test_colours_are_compared_where_configured() -> None:
    """A red and a blue cup side by side change places; their boxes fit the old places better."""
    seen = replace(
        boxes_only([(100.0, 100.0, 160.0, 160.0), (112.0, 100.0, 172.0, 160.0)]),
        masks=(
            BoxMask(100, 100, np.ones((60, 12), bool)),
            BoxMask(160, 100, np.ones((60, 12), bool)),
        ),
    )
    before = frame_of(np.full((480, 640), 2.0, np.float32))
    after = replace(before, color=before.color.copy())
    red, blue = (200, 0, 0), (0, 0, 200)
    before.color[100:160, 100:112], before.color[100:160, 160:172] = red, blue
    after.color[100:160, 100:112], after.color[100:160, 160:172] = blue, red
    for weight, expected in ((0.0, [1, 2]), (0.95, [2, 1])):
        tracker = Tracker(TrackerConfig(appearance_weight=weight))
        assert tracker.update(seen, before).tolist() == [1, 2]
        assert tracker.update(seen, after).tolist() == expected


def test_one_odd_view_does_not_change_a_tracks_appearance() -> None:
    red, blue = (200, 20, 20), (20, 20, 200)
    tracker = Tracker(TrackerConfig(appearance_weight=0.9))

    def update(*shown: tuple[tuple[float, ...], tuple[int, int, int]]) -> list[int]:
        picture = np.full((480, 640, 3), 90, np.uint8)
        for (x0, y0, x1, y1), color in shown:
            picture[int(y0) : int(y1), int(x0) : int(x1)] = color
        frame = replace(FAR, color=picture)
        return tracker.update(boxes_only([box for box, _ in shown]), frame).tolist()

    for _ in range(6):
        assert update((LEFT, red)) == [1]
    assert update((LEFT, blue)) == [1]
    left, right = shifted(LEFT, -30.0), shifted(LEFT, 30.0)
    assert update((left, blue), (right, red))[1] == 1


@pytest.mark.parametrize(("live", "lost"), [(9, 3), (3, 9)])
def test_older_one_of_a_live_and_a_lost_track_at_one_place_stays(live: int, lost: int) -> None:
    states = BoxStates.starting_at(np.array([LEFT, LEFT, RIGHT]))
    tracks = Tracks(
        ids=np.array([1, 2, 3]),
        label_codes=np.zeros(3, np.int64),
        status=np.array([TRACKED, LOST, LOST], np.int8),
        lived=np.array([live, lost, 0]),
        missed=np.zeros(3),
        cut=np.zeros((3, 4), bool),
        places=places_at(states.position[:, :2], np.zeros(3), CAMERA),
        appearance=np.zeros((3, 0), np.float32),
        states=states,
    )
    assert _duplicates(tracks, np.ones(3, bool)).tolist() == [live < lost, live > lost, False]


def test_beyond_five_hundred_tracks_those_missed_longest_are_forgotten() -> None:
    def crowd(x: float, y: float) -> Detections:
        corners = [(25.0 * i + x, 48.0 * j + y) for i in range(25) for j in range(10)]
        return boxes_only([(u, v, u + 12.0, v + 20.0) for u, v in corners])

    tracker = Tracker(TrackerConfig(lost_frames=1000))
    crowds = [crowd(0.0, 0.0), crowd(13.0, 0.0), crowd(0.0, 24.0)]
    first = [[tracker.update(crowd, FAR).tolist() for _ in range(2)][-1] for crowd in crowds]

    assert tracker.update(crowds[2], FAR).tolist() == first[2]
    assert tracker.update(crowds[1], FAR).tolist() == first[1]
    assert min(tracker.update(crowds[0], FAR).tolist()) > 750
