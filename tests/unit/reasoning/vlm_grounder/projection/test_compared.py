"""Views of a block, held against each other."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose
from scenemind.memory import KeyFrame
from scenemind.reasoning.vlm_grounder.projection.agreement import agreement, seen_in
from scenemind.reasoning.vlm_grounder.projection.compared import apart_m
from scenemind.reasoning.vlm_grounder.projection.stored_view import StoredView
from scenemind.reasoning.vlm_grounder.projection.taken_view import TakenView, find_view
from tests.unit.reasoning.vlm_grounder.projection.scene import CAMERA, film, looking

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


def test_what_is_seen_is_what_an_agreement_says_is_seen() -> None:
    surface = taken(LEFT).surface_view.surface
    depth, _ = film(RIGHT)
    seen = seen_in(surface.points, surface.sigma_m, depth, RIGHT)
    whole = agreement(surface.points, surface.sigma_m, depth, RIGHT)
    assert 0.2 < seen.mean() < 0.98
    assert (seen == whole.seen).all()
