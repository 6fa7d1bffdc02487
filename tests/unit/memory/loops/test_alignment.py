"""Alignment of what two cameras see of one corner, of one wall, and of two places."""

from __future__ import annotations

import math
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.loops.alignment import Surface, align, held_by, seen_from
from scenemind.memory.loops.submaps import View
from scenemind.memory.places.constellation import turn_about_z
from scenemind.simulation.trajectory import look

CAMERA = PinholeCamera(160, 120, 131.0, 131.0, 79.5, 59.5)
# Planes as (normal, distance along it) that bound free space, world.
FLOOR = ((0.0, 0.0, 1.0), 0.0)
WALLS = (((-1.0, 0.0, 0.0), -3.0), ((0.0, -1.0, 0.0), -2.5))


def seen(pose: Pose, planes: tuple[tuple[tuple[float, float, float], float], ...]) -> View:
    """Closed form: the depth of the nearest plane in front of each pixel, with some noise."""
    v, u = np.mgrid[0 : CAMERA.height, 0 : CAMERA.width]
    rays = CAMERA.unproject(u, v, np.ones(u.shape, np.float32)).astype(np.float64)
    directions = rays @ pose.rotation.T
    depth_m = np.full(u.shape, np.inf)
    for normal, distance in planes:
        towards = directions @ np.array(normal)
        gap = distance - pose.translation @ np.array(normal)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = gap / towards
        depth_m = np.where((z > 0.0) & (z < depth_m), z, depth_m)
    depth_m = np.where(np.isfinite(depth_m), depth_m, 0.0)
    noise_m = 0.004 * np.random.default_rng(1).standard_normal(u.shape)
    return View(0, CAMERA, pose, (depth_m + noise_m).astype(np.float32))


def surface(view: View) -> Surface:
    v, u = np.mgrid[1 : CAMERA.height : 3, 1 : CAMERA.width : 3]
    z = view.depth_m[v, u]
    good = (z > 0.3) & (z < 5.0)
    points: NDArray[np.float32] = CAMERA.unproject(u[good], v[good], z[good])
    return Surface(view.world_T_camera.transform(points), [view])


IDENTITY = Pose.identity()
HERE, BESIDE = look(0.0, 0.0, 1.1, 0.7, -0.25), look(0.3, -0.2, 1.1, 0.8, -0.25)


def moved(what: Surface, by: Pose) -> Surface:
    return Surface(by.transform(what.points), [view.moved(by) for view in what.views])


@pytest.mark.extras
@pytest.mark.parametrize("drift", [turn_about_z(0.06, 0.12, -0.08, 0.03), Pose.identity()])
def test_a_corner_is_aligned_from_where_odometry_puts_it(open3d: ModuleType, drift: Pose) -> None:
    target = surface(seen(HERE, (FLOOR, *WALLS)))
    source = moved(surface(seen(BESIDE, (FLOOR, *WALLS))), drift)
    found = align(open3d, source, target, Pose.identity())
    assert found.refusal == ""
    error = found.move @ drift
    assert np.linalg.norm(error.translation) < 0.02
    assert error.angle_rad(Pose.identity()) < math.radians(0.5)
    assert found.residual_m < 0.01
    assert found.agreement > 0.98


@pytest.mark.extras
@pytest.mark.parametrize(("drift", "moves"), [(0.005, False), (0.08, True)])
def test_surfaces_that_fit_as_they_lie_tell_of_no_error(
    open3d: ModuleType, drift: float, moves: bool
) -> None:
    """Depth is bent by two centimetres."""
    target = surface(seen(HERE, (FLOOR, *WALLS)))
    view = seen(BESIDE, (FLOOR, *WALLS))
    u = np.arange(CAMERA.width)
    bent = np.where(view.depth_m > 0.0, view.depth_m + 0.02 * np.sin(u / 4.0), 0.0)
    source = surface(replace(view, depth_m=bent.astype(np.float32)))
    found = align(open3d, moved(source, turn_about_z(0.0, drift, 0.0, 0.0)), target, IDENTITY)
    assert found.refusal == ""
    assert found.moves == moves


@pytest.mark.extras
def test_a_bare_wall_does_not_tell_where_along_it(open3d: ModuleType) -> None:
    planes = (FLOOR, WALLS[0])
    target = surface(seen(look(0.0, 0.0, 1.1, 0.0, -0.25), planes))
    source = surface(seen(look(0.0, 0.4, 1.1, 0.0, -0.25), planes))
    found = align(open3d, source, target, Pose.identity())
    assert found.refusal == "the place looks alike along one direction"


@pytest.mark.extras
def test_another_place_is_refused(open3d: ModuleType) -> None:
    """The end of a corridor, and that of one half as wide: an end and a side coincide."""
    end, left = ((-1.0, 0.0, 0.0), -3.0), ((0.0, -1.0, 0.0), -1.2)
    wide, narrow = (((0.0, 1.0, 0.0), -right_m) for right_m in (1.2, 0.2))
    pose = look(0.0, 0.0, 1.1, 0.0, -0.25)
    target = surface(seen(pose, (FLOOR, end, left, wide)))
    source = surface(seen(pose, (FLOOR, end, left, narrow)))
    found = align(open3d, source, target, Pose.identity())
    assert found.refusal == "one camera looks through what the other one saw"


def test_what_holds_an_alignment_is_the_same_in_any_frame() -> None:
    rng = np.random.default_rng(2)
    points, normals = rng.uniform(-2.0, 2.0, (50, 3)), rng.normal(size=(50, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    frame = look(0.4, -1.0, 1.1, 0.7, -0.25)
    back = frame.inverse()
    there = held_by(back.transform(points).astype(np.float64), normals @ frame.rotation)
    assert seen_from(held_by(points, normals), frame) == pytest.approx(there, abs=1e-5)


def test_a_turn_about_z_and_a_shift_take_points_off_their_planes() -> None:
    """Closed form: a wall across x, whose points are two metres away and half a metre beside."""
    points = np.array([[2.0, 0.5, 0.0], [2.0, -0.5, 0.0]])
    held = held_by(points, np.tile((1.0, 0.0, 0.0), (2, 1)))
    for step, off in (
        ((0, 0, 0, 1, 0, 0), 1.0),
        ((0, 0, 1, 0, 0, 0), 0.25),
        ((0, 0, 0, 0, 1, 1), 0.0),
    ):
        assert np.array(step) @ held @ np.array(step) == pytest.approx(off)
