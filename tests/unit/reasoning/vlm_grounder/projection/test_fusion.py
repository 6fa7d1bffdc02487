"""Several views as one surface."""

from __future__ import annotations

import numpy as np

from scenemind.geometry import Pose
from scenemind.reasoning.vlm_grounder.projection.agreement import agreement
from scenemind.reasoning.vlm_grounder.projection.fusion import SurfaceView, fused
from scenemind.reasoning.vlm_grounder.projection.morphology import cleaned
from scenemind.reasoning.vlm_grounder.projection.surface import find_surface
from tests.unit.reasoning.vlm_grounder.projection.scene import BLOCK, CAMERA, film, looking

LEFT, RIGHT, FAR = looking(0.6, 0.8, 1.4), looking(0.6, -0.8, 1.4), looking(-1.0, 1.7, 2.5)


def view_from(pose: Pose) -> SurfaceView:
    depth, mask = film(pose)
    clean = cleaned(mask, CAMERA.width, 7, 2)
    surface = find_surface(clean, depth, pose)
    assert surface is not None
    return SurfaceView(depth, pose, clean.mask, surface)


def test_a_view_that_is_there_twice_adds_nothing() -> None:
    once, twice = fused([view_from(LEFT)]), fused([view_from(LEFT), view_from(LEFT)])
    assert len(twice.surface) <= len(once.surface)
    assert len(twice.surface) > 0.95 * len(once.surface)
    assert not once.confirmed.any()
    assert twice.confirmed.mean() > 0.95


def test_each_side_comes_from_the_view_that_sees_it() -> None:
    union = fused([view_from(LEFT), view_from(RIGHT)]).surface
    low, high = BLOCK.bounds()
    assert union.points[:, 1].min() < low[1] + 0.02
    assert union.points[:, 1].max() > high[1] - 0.02


def test_a_far_view_adds_nothing_to_what_a_near_one_shows() -> None:
    near, far = view_from(LEFT), view_from(FAR)
    union = fused([near, far]).surface
    assert len(union) < len(near.surface) + 0.2 * len(far.surface)


def test_points_that_others_look_through_go() -> None:
    left, right = view_from(LEFT), view_from(RIGHT)
    flying = left.surface.points.copy()
    flying[:50] = (1.3, 0.0, 0.9)  # in the air before the block
    surface = type(left.surface)(
        flying, left.surface.rays, left.surface.sigma_m, left.surface.left_m, left.surface.half_m
    )
    bad = SurfaceView(left.depth, LEFT, left.mask, surface)
    union = fused([bad, right]).surface
    assert (union.points[:, 0] > 1.5).all()


def test_points_are_seen_hidden_or_looked_through() -> None:
    depth, mask = film(LEFT)
    middle = np.array(BLOCK.center, np.float32)
    front = np.array([1.8, 0.0, 0.5], np.float32)
    before = front + 0.4 * (LEFT.translation - front)
    points = np.stack((front, middle, before, (-5.0, 0.0, 0.5))).astype(np.float32)
    there = agreement(points, 0.0, depth, LEFT, mask)
    assert there.seen.tolist() == [True, False, False, False]
    assert there.through.tolist() == [False, False, True, False]
    assert there.in_mask[:2].all()
