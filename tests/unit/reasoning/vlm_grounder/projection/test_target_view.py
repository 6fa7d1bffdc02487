"""Views of a target compared: Chamfer distance, agreement of depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose
from scenemind.memory import KeyFrame
from scenemind.reasoning.vlm_grounder.projection.fusion import agreement, seen_in
from scenemind.reasoning.vlm_grounder.projection.target_view import (
    Cone,
    StoredView,
    TakenView,
    apart_m,
    chamfer_m,
    find_view,
)
from tests.unit.reasoning.vlm_grounder.projection.scene import CAMERA, film, looking

ROW = np.column_stack((np.arange(20) * 0.01, np.zeros(20), np.zeros(20))).astype(np.float32)
ROW_TREE = cKDTree(ROW)
ALL, NONE = np.ones(20, np.bool_), np.zeros(20, np.bool_)


def test_two_rows_beside_each_other() -> None:
    beside = ROW + np.array([0.0, 0.05, 0.0], np.float32)
    assert chamfer_m(ROW_TREE, cKDTree(beside), ALL, ALL) == pytest.approx(0.05)


def test_points_hidden_from_the_other_view_do_not_count() -> None:
    bent = ROW.copy()
    bent[10:, 1] = 1.0
    half = np.arange(20) < 10
    assert chamfer_m(ROW_TREE, cKDTree(bent), half, half) == pytest.approx(0.0, abs=1e-6)
    assert chamfer_m(ROW_TREE, cKDTree(bent), ALL, ALL) > 0.2


def test_a_direction_with_fewer_than_ten_points_does_not_count() -> None:
    """Three points of a are 1 m off; they are not in b's way, whose first three are beside a's."""
    a = ROW.copy()
    a[:3, 2] = 1.0
    few = np.arange(20) < 3
    assert chamfer_m(cKDTree(a), ROW_TREE, few, ALL) == pytest.approx((0.03 + 0.02 + 0.01) / 20)
    assert chamfer_m(ROW_TREE, cKDTree(a), ALL, few) == pytest.approx((0.03 + 0.02 + 0.01) / 20)


def test_views_that_share_nothing_are_compared_as_they_are() -> None:
    beside = ROW + np.array([0.0, 0.05, 0.0], np.float32)
    assert chamfer_m(ROW_TREE, cKDTree(beside), NONE, NONE) == pytest.approx(0.05)


LEFT, RIGHT = looking(0.6, 0.8, 1.4), looking(0.6, -0.8, 1.4)


def taken(pose: Pose, off_m: float = 0.0) -> TakenView:
    """Filmed from a pose, and said to be filmed so far from there, along x."""
    depth, mask = film(pose)
    said = Pose(pose.rotation, pose.translation + np.array([-off_m, 0.0, 0.0]))
    stored = StoredView(KeyFrame(0, 0, 0, CAMERA, said, b""), depth)
    view = find_view(stored, (0.0, 0.0, 0.0, 0.0), mask, said, VlmGrounderConfig())
    assert view is not None
    return view


def test_views_of_one_thing_are_near_each_other_however_they_are_ordered() -> None:
    left, right, off = taken(LEFT).compared, taken(RIGHT).compared, taken(LEFT, 1.0).compared
    assert apart_m(left, right) < 0.03
    assert apart_m(left, right) == pytest.approx(apart_m(right, left))
    assert apart_m(left, off) > 0.2


def test_few_samples_are_compared() -> None:
    view = taken(LEFT)
    assert len(view.surface_view.surface) > 300
    assert len(view.compared.samples) == view.compared.tree.n == 300


def test_a_view_is_as_far_off_as_the_nearest_that_was_taken() -> None:
    """Not as the anchor, which comes first."""
    far, near, view = taken(LEFT, 0.3), taken(RIGHT), taken(LEFT)
    beside = view.beside([far, near])
    assert beside.chamfer_m == beside.surface_view.slack_m == apart_m(view.compared, near.compared)
    assert beside.chamfer_m < view.beside([far]).chamfer_m


def test_visible_points_are_those_of_the_agreement() -> None:
    surface = taken(LEFT).surface_view.surface
    depth, _ = film(RIGHT)
    seen = seen_in(surface.points, surface.sigma_m, depth, RIGHT)
    whole = agreement(surface.points, surface.sigma_m, depth, RIGHT)
    assert 0.2 < seen.mean() < 0.98
    assert (seen == whole.seen).all()


def test_a_target_lies_between_the_sides_of_its_box_and_is_as_deep_as_wide() -> None:
    view = taken(LEFT)
    rows, columns = np.nonzero(view.clean.mask.bits)
    corner = np.array((view.clean.mask.x_px, view.clean.mask.y_px))
    low, high = (np.add(corner, (f(columns), f(rows))) for f in (np.min, np.max))
    cone = Cone.of(replace(view, box_px=(*low.tolist(), *high.tolist())))
    surface = view.surface_view.surface
    assert cone.contains(surface.points).all()
    local = LEFT.inverse().transform(surface.points)
    wide_m = float(high[0] - low[0]) / CAMERA.fx * float(local[:, 2].min())
    far, near, beside = local.copy(), local.copy(), local.copy()
    far[:, 2] += np.ptp(local[:, 2]) + wide_m + 0.2
    near[:, 2] -= np.ptp(local[:, 2]) + 0.2
    beside[:, 0] += 3.0 * wide_m
    for moved in (near, beside, local * (far[:, 2:] / local[:, 2:])):
        assert not cone.contains(LEFT.transform(moved)).any()


def test_what_something_nearer_hides_beside_the_box_may_be_of_the_target() -> None:
    """As the seat of a chair, of which a table leaves the back to be seen."""
    view = taken(LEFT)
    surface = view.surface_view.surface
    local = LEFT.inverse().transform(surface.points)
    pixels = CAMERA.project(local)[0]
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    middle = (low[1] + high[1]) / 2
    upper = surface.select(pixels[:, 1] <= middle - 12)  # beyond the margin of the box
    lower = surface.select(pixels[:, 1] > middle + 12)
    shown = replace(view, box_px=(*low.tolist(), float(high[0]), float(middle)))
    shown = replace(shown, surface_view=replace(view.surface_view, surface=upper))
    assert min(len(upper), len(lower)) > 100
    assert not Cone.of(shown).contains(lower.points).any()

    depth_m = view.stored.depth.depth_m.copy()
    depth_m[round(middle / view.stored.depth.every_px) :] = 0.5
    table = replace(view.stored, depth=replace(view.stored.depth, depth_m=depth_m))
    cone = Cone.of(replace(shown, stored=table))
    assert cone.contains(upper.points).all()
    assert cone.contains(lower.points).all()
    assert not cone.contains(lower.points + 2.0 * LEFT.rotation[:, 2]).any()  # far behind
    across_m = float(np.ptp(local[:, 0]))
    assert not cone.contains(lower.points + 2.0 * across_m * LEFT.rotation[:, 0]).any()  # beside


def test_of_a_view_with_a_leaking_mask_what_is_beside_the_target_goes() -> None:
    view = taken(LEFT)
    whole = Cone.of(replace(view, box_px=(0.0, 0.0, CAMERA.width, CAMERA.height)))
    same = view.within(whole)
    assert same is not None
    assert len(same.surface_view.surface) == len(view.surface_view.surface)
    aside = replace(whole, low_px=np.array([9e9, 0.0]))
    assert view.within(aside) is None
