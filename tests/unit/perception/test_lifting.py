"""Lifting against rendered scenes whose boxes are known."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import DepthConfig, LiftingConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.perception import BoxMask, Detections, Observation
from scenemind.perception.colors import COLOR_NAMES, color_name
from scenemind.perception.lifting import lift

from .scenes import (
    LOOKING_ALONG_Y,
    boxes_only,
    depth_and_ids,
    depth_of_sphere,
    detection_of,
    frame_of,
    render,
)


def observe(detections: Detections, frame: RGBDFrame, **settings_: object) -> list[Observation]:
    lifting = LiftingConfig.model_validate(settings_)
    return lift(detections, np.arange(len(detections)), frame, lifting, DepthConfig())


@pytest.mark.parametrize("with_mask", [True, False])
@pytest.mark.parametrize(
    "box",
    [
        Box3D((0.0, 2.25, 0.0), (0.6, 0.5, 0.8)),
        Box3D((-0.5, 1.5, 0.2), (0.25, 0.3, 0.3)),
        Box3D((0.9, 4.0, -0.5), (1.2, 0.6, 0.7)),
    ],
)
def test_the_visible_part_of_a_box_before_a_wall(box: Box3D, with_mask: bool) -> None:
    """Width and height come back within 3 cm, and nothing of the wall."""
    depth, ids = depth_and_ids([box], wall_y=5.5)
    (seen,) = observe(detection_of(ids == 1, with_mask=with_mask), frame_of(depth))

    low, high = box.bounds()
    found_low, found_high = seen.box.bounds()
    np.testing.assert_allclose(found_low[[0, 2]], low[[0, 2]], atol=0.03)
    np.testing.assert_allclose(found_high[[0, 2]], high[[0, 2]], atol=0.03)
    assert found_low[1] == pytest.approx(low[1], abs=0.01), "the front side"
    assert found_high[1] <= high[1] + 0.01, "never the wall"
    assert box.contains(seen.points, margin_m=0.01).all()


def test_a_mask_that_leaks_onto_the_wall_does_no_harm() -> None:
    box = Box3D((0.2, 2.0, 0.0), (0.5, 0.4, 0.6))
    depth, ids = depth_and_ids([box], wall_y=3.0)
    v, u = np.nonzero(ids == 1)
    leaky = np.zeros_like(ids, dtype=bool)
    leaky[v.min() - 12 : v.max() + 12, u.min() - 12 : u.max() + 12] = True

    (seen,) = observe(detection_of(leaky, with_mask=True), frame_of(depth))

    assert box.contains(seen.points, margin_m=0.01).all()


def test_the_wall_behind_slats_does_not_stretch_the_box() -> None:
    """A back rest of five bars: the mask is filled, two thirds of its pixels show the wall."""
    bars = [Box3D((0.0, 2.0, z), (0.6, 0.04, 0.05)) for z in np.arange(-0.3, 0.31, 0.15)]
    depth, ids = depth_and_ids(bars, wall_y=4.0)
    v, u = np.nonzero(ids > 0)
    filled = np.zeros_like(ids, dtype=bool)
    filled[v.min() : v.max() + 1, u.min() : u.max() + 1] = True

    (seen,) = observe(detection_of(filled, with_mask=True), frame_of(depth))

    assert seen.box.size[1] < 0.06
    assert seen.box.size[2] == pytest.approx(0.65, abs=0.06)


def test_flying_pixels_are_left_out() -> None:
    """A sensor that smears the silhouette over three pixels half-way to the wall."""
    box = Box3D((0.0, 2.0, 0.0), (0.6, 0.2, 0.6))
    depth, ids = depth_and_ids([box], wall_y=2.6)
    detections = detection_of(ids == 1, with_mask=True)
    v, u = np.nonzero(ids == 1)
    rim = (ids == 1).copy()
    rim[v.min() + 3 : v.max() - 2, u.min() + 3 : u.max() - 2] = False
    depth[rim] = 2.25

    (seen,) = observe(detections, frame_of(depth), erosion_px=0)

    assert seen.points[:, 1].max() < 1.91


def test_the_world_does_not_depend_on_where_the_camera_stands() -> None:
    box = Box3D((0.4, 2.5, 0.1), (0.5, 0.5, 0.5))
    boxes = []
    for x in (-0.5, 0.0, 0.6):
        shift = Pose(np.eye(3), np.array([x, 0.2, 0.1]))
        pose = shift @ LOOKING_ALONG_Y
        depth, ids = depth_and_ids([box], wall_y=5.0, pose=pose)
        (seen,) = observe(detection_of(ids == 1, with_mask=True), frame_of(depth, pose))
        boxes.append(np.concatenate(seen.box.bounds())[[0, 1, 2, 3, 5]])
    np.testing.assert_allclose(boxes[0], boxes[1], atol=0.03)
    np.testing.assert_allclose(boxes[0], boxes[2], atol=0.03)


def test_colour_and_pixels_are_the_objects_own() -> None:
    box = Box3D((0.0, 2.0, 0.0), (0.4, 0.2, 0.4))
    depth, ids = depth_and_ids([box], wall_y=4.0)
    frame = frame_of(depth, color=(10, 20, 30))
    frame.color[ids == 1] = (200, 100, 50)

    (seen,) = observe(detection_of(ids == 1, with_mask=True), frame)

    assert seen.color_shares[COLOR_NAMES.index(color_name((200, 100, 50)))] == 1.0
    assert seen.pixel_count == pytest.approx((ids == 1).sum(), rel=0.15)


def test_only_tracked_detections_are_lifted() -> None:
    depth = np.full((480, 640), 2.0, np.float32)
    detections = boxes_only([(100, 100, 200, 200), (300, 100, 400, 200)])
    seen = lift(detections, np.array([-1, 4]), frame_of(depth), LiftingConfig(), DepthConfig())
    assert [observation.track_id for observation in seen] == [4]


@pytest.mark.parametrize("hole", [0.0, np.nan, np.inf, -1.0, 0.05, 30.0])
def test_without_measured_depth_there_is_no_observation(hole: float) -> None:
    depth = np.full((480, 640), hole, np.float32)
    assert observe(boxes_only([(100, 100, 200, 200)]), frame_of(depth)) == []


def test_too_few_points_give_no_observation() -> None:
    depth = np.zeros((480, 640), np.float32)
    depth[150:153, 150:155] = 2.0
    frame = frame_of(depth)
    detections = boxes_only([(145, 145, 160, 160)])
    assert observe(detections, frame, min_points=16) == []
    assert len(observe(detections, frame, min_points=12)) == 1


def test_truncation_is_at_the_image_border() -> None:
    depth = np.full((480, 640), 2.0, np.float32)
    boxes = [(100, 100, 200, 200), (0, 100, 90, 200), (500, 300, 640, 400), (300, 300, 400, 479)]
    seen = observe(boxes_only([tuple(map(float, box)) for box in boxes]), frame_of(depth))
    assert [observation.truncated for observation in seen] == [False, True, True, True]


def test_an_empty_mask_and_an_empty_box_are_passed_over() -> None:
    depth = np.full((480, 640), 2.0, np.float32)
    empty = BoxMask(100, 100, np.zeros((50, 50), bool))
    detections = Detections(
        ("cup", "cup"),
        np.array([0.5, 0.5], np.float32),
        np.array([(100, 100, 150, 150), (200, 200, 200, 220)], np.float32),
        (empty, None),
    )
    assert observe(detections, frame_of(depth)) == []


bad_depths = st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -3.0, 1e30])


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**16),
    bad=bad_depths,
    share=st.floats(0.0, 1.0),
    with_mask=st.booleans(),
    box=st.tuples(st.floats(0, 630), st.floats(0, 470), st.floats(1, 640), st.floats(1, 480)),
)
def test_bad_depth_never_gives_a_box_that_is_not_finite(
    seed: int, bad: float, share: float, with_mask: bool, box: tuple[float, float, float, float]
) -> None:
    random = np.random.default_rng(seed)
    depth = random.uniform(1.0, 4.0, (480, 640)).astype(np.float32)
    depth[100:300, 100:400] = 2.0
    depth[random.uniform(size=depth.shape) < share] = bad
    x0, y0 = box[:2]
    x1, y1 = min(640.0, x0 + box[2]), min(480.0, y0 + box[3])
    detections = boxes_only([(x0, y0, x1, y1)])
    if with_mask:
        shape = (int(np.ceil(y1)) - int(y0), int(np.ceil(x1)) - int(x0))
        mask = BoxMask(int(x0), int(y0), random.uniform(size=shape) < 0.9)
        detections = Detections(detections.labels, detections.scores, detections.boxes_px, (mask,))

    for seen in observe(detections, frame_of(depth)):
        assert np.isfinite(seen.points).all()
        assert seen.color_shares.sum() == pytest.approx(1.0)
        assert LiftingConfig().min_points <= seen.pixel_count
        assert 0 < len(seen.points) <= LiftingConfig().max_points
        assert seen.box.contains(seen.points, margin_m=1e-5).all()


@pytest.mark.parametrize("with_mask", [True, False])
def test_points_of_a_sphere_lie_on_it(with_mask: bool) -> None:
    """A ball before a wall, in closed form: every point on the surface, half of it seen."""
    center, radius = np.array([0.1, 2.0, -0.1]), 0.3
    depth, on_ball = depth_of_sphere(center, radius, wall_y=4.0)
    (seen,) = observe(detection_of(on_ball, with_mask=with_mask), frame_of(depth))
    distance = np.linalg.norm(seen.points - center, axis=1)
    np.testing.assert_allclose(distance, radius, atol=0.012)
    assert np.sqrt(np.mean((distance - radius) ** 2)) < 0.003
    low, high = seen.box.bounds()
    assert low[1] == pytest.approx(center[1] - radius, abs=0.01)
    # Without a mask the middle of the box gives the distance of the ball; its rim is left out.
    short_m = 0.04 if with_mask else 0.08
    np.testing.assert_allclose(low[[0, 2]], center[[0, 2]] - radius, atol=short_m)
    np.testing.assert_allclose(high[[0, 2]], center[[0, 2]] + radius, atol=short_m)


def test_a_thin_picture_stays_thin_in_a_noisy_image() -> None:
    """3.5 m away noise of 2 mm at 1 m spreads a flat thing over 15 cm; most of it goes."""
    depth = np.full((480, 640), 3.5, np.float32)
    depth += 0.002 * 3.5**2 * np.random.default_rng(0).standard_normal(depth.shape)
    pixels = np.zeros(depth.shape, bool)
    pixels[200:280, 260:380] = True
    (seen,) = observe(detection_of(pixels, with_mask=True), frame_of(depth.astype(np.float32)))
    assert np.std(seen.points[:, 1]) < 0.5 * 0.002 * 3.5**2
    assert seen.box.size[1] < 0.1
    assert seen.sigma_m == pytest.approx(LiftingConfig().depth_noise_1m_m * 3.5**2, rel=0.01)


def test_single_flying_pixels_are_left_out() -> None:
    box = Box3D((0.0, 2.0, 0.0), (0.6, 0.2, 0.6))
    depth, ids = depth_and_ids([box], wall_y=2.6)
    random = np.random.default_rng(1)
    v, u = np.nonzero(ids == 1)
    flying = random.choice(len(v), len(v) // 50, replace=False)
    depth[v[flying], u[flying]] = random.uniform(1.95, 2.55, len(flying))
    (seen,) = observe(detection_of(ids == 1, with_mask=True), frame_of(depth))
    assert box.contains(seen.points, margin_m=0.01).all()


def test_occluder_before_the_middle_leaves_both_sides() -> None:
    table = Box3D((0.0, 2.5, 0.0), (1.2, 0.2, 0.5))
    post = Box3D((0.0, 1.5, 0.0), (0.15, 0.1, 2.0))
    depth, ids = depth_and_ids([table, post], wall_y=4.0)
    (seen,) = observe(detection_of(ids == 1, with_mask=True), frame_of(depth))
    assert table.contains(seen.points, margin_m=0.01).all()
    assert seen.box.size[0] == pytest.approx(1.2, abs=0.05)


@cache
def three_boxes() -> tuple[np.ndarray, np.ndarray]:
    boxes = [
        Box3D((-0.8, 2.0, 0.3), (0.4, 0.3, 0.4)),
        Box3D((-0.1, 2.5, -0.4), (0.3, 0.3, 0.6)),
        Box3D((0.6, 1.8, 0.1), (0.2, 0.2, 0.2)),
    ]
    return depth_and_ids(boxes, wall_y=4.0)


@settings(deadline=None, max_examples=25)
@given(order=st.permutations(range(4)), most=st.integers(50, 300))
def test_neither_order_nor_company_changes_an_observation(order: list[int], most: int) -> None:
    depth, ids = three_boxes()
    frame = frame_of(depth)
    singles = [detection_of(ids == number, with_mask=number != 2) for number in (1, 2, 3)]
    empty = boxes_only([(10.0, 10.0, 10.0, 30.0)])  # leaves nothing behind
    singles.append(empty)
    together = Detections(
        tuple(singles[i].labels[0] for i in order),
        np.concatenate([singles[i].scores for i in order]),
        np.concatenate([singles[i].boxes_px for i in order]),
        tuple(singles[i].masks[0] for i in order),
    )
    seen = {o.track_id: o for o in observe(together, frame, max_points=most)}
    assert {order[track_id] for track_id in seen} == {0, 1, 2}
    for track_id, observation in seen.items():
        (alone,) = observe(singles[order[track_id]], frame, max_points=most)
        np.testing.assert_allclose(observation.points, alone.points, atol=1e-5)
        np.testing.assert_allclose(observation.box.extent(), alone.box.extent(), atol=1e-5)
        np.testing.assert_allclose(observation.appearance, alone.appearance)
        np.testing.assert_allclose(observation.color_shares, alone.color_shares)
        assert observation.pixel_count == alone.pixel_count
        assert observation.sigma_m == pytest.approx(alone.sigma_m, rel=1e-5)
        assert len(observation.points) <= most


def test_the_camera_frame_of_the_scene_is_the_expected_one() -> None:
    """In the test scene itself, a wall 3 m along +y is 3 m deep everywhere."""
    np.testing.assert_allclose(render([], wall_y=3.0), 3.0, rtol=1e-6)


def test_a_board_has_the_size_of_its_pixels_at_its_distance() -> None:
    """Samples stand for the pixels around them, along the camera's own axes in the world."""
    camera = PinholeCamera(640, 480, 500.0, 250.0, 319.5, 239.5)
    looking_along_x = Pose.from_matrix([(0, 0, 1, 0), (-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 0, 1)])
    depth = np.full((480, 640), 2.0, np.float32)
    frame = RGBDFrame(0, 1, np.zeros((480, 640, 3), np.uint8), depth, camera, looking_along_x)
    board = np.zeros((480, 640), bool)
    board[100:300, 150:450] = True

    (seen,) = observe(detection_of(board, with_mask=True), frame)

    expected = (0.0, 300 * 2.0 / 500.0, 200 * 2.0 / 250.0)
    np.testing.assert_allclose(seen.box.size, expected, atol=0.002)


def test_lone_depths_belong_to_no_object() -> None:
    depth = np.zeros((480, 640), np.float32)
    depth[200:240, 300:320] = 2.0
    depth[200:240:8, 324:340:8] = 2.0
    mask = np.zeros((480, 640), bool)
    mask[200:240, 300:340] = True

    (seen,) = observe(detection_of(mask, with_mask=True), frame_of(depth))

    assert seen.box.size[0] == pytest.approx(20 * 2.0 / 525.0, abs=0.01)
