"""What is in plain sight beside a mask, on exact depth of a cuboid before a wall."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.memory.objects.plain_sight import Outline, sort_by_outline
from scenemind.memory.objects.surface_evidence import SurfaceEvidence, SurfaceView, add_views
from scenemind.perception.types import cut_mask
from tests.unit.memory.objects.depth_scene import CAMERA, WALL_X_M, depth_of, frame_of, look_along_x

_THING = Box3D((3.8, 0.0, 1.0), (0.4, 0.6, 0.4))  # its back is at the wall
_FRONT_X_M = 3.6
_CELL_M = 0.03
# So near to the outline a point may be a pixel within it.
_NEAR_M = _CELL_M + WALL_X_M / CAMERA.fx
_ALL_PX = np.array([0.0, 0.0, CAMERA.width, CAMERA.height], np.float32)


def _mask(y_m: float) -> NDArray[np.bool_]:
    """(H, W), exact, from a camera at this y."""
    return np.asarray(depth_of([_THING], look_along_x(y_m)) < WALL_X_M - 1e-4)


def _points(frame: RGBDFrame, bits: NDArray[np.bool_]) -> NDArray[np.float32]:
    v, u = np.nonzero(bits)
    in_camera = frame.camera.unproject(u, v, frame.depth_m[v, u])
    return frame.world_T_camera.transform(in_camera).astype(np.float32)


def _surface(
    views: list[tuple[float, NDArray[np.bool_]]], *, in_plain_sight: bool
) -> NDArray[np.float32]:
    """The surface of views from cameras at some y, each with the bits of its mask."""
    surface = SurfaceEvidence(_CELL_M, 5000)
    for number, (y_m, bits) in enumerate(views):
        frame = frame_of([_THING], number, y_m)
        outline = Outline(_ALL_PX, cut_mask(bits))
        view = SurfaceView(_points(frame, bits), True, 0.001, (1.0, 0.0, 0.0), 0, outline)
        add_views([surface], [view], frame if in_plain_sight else None)
    return surface.surface()


def _with_wall(bits: NDArray[np.bool_], columns: int) -> NDArray[np.bool_]:
    """A mask that runs out to the right."""
    wider = bits.copy()
    for shift in range(1, columns + 1):
        wider[:, shift:] |= bits[:, :-shift]
    return wider


def test_a_wall_that_few_masks_take_is_taken_back() -> None:
    places = np.linspace(-0.5, 0.5, 7)
    views = [(y, _with_wall(_mask(y), 8) if n < 2 else _mask(y)) for n, y in enumerate(places)]
    leaked = _surface(views, in_plain_sight=False)
    clean = _surface(views, in_plain_sight=True)
    outside = ~_THING.contains(leaked, margin_m=_NEAR_M)
    assert outside.any()
    assert not (~_THING.contains(clean, margin_m=_NEAR_M)).any()
    assert np.ptp(clean[:, 1]) > 0.6 - 2.0 * _CELL_M


def test_a_wall_that_most_masks_take_stays() -> None:
    places = np.linspace(-0.5, 0.5, 7)
    views = [(y, _with_wall(_mask(y), 8) if n != 3 else _mask(y)) for n, y in enumerate(places)]
    assert (~_THING.contains(_surface(views, in_plain_sight=True), margin_m=_NEAR_M)).any()


def test_a_side_that_one_view_shows_stays() -> None:
    views = [(-1.5, _mask(-1.5)), *[(y, _mask(y)) for y in np.linspace(-0.1, 0.1, 5)]]
    before = _surface(views, in_plain_sight=False)
    after = _surface(views, in_plain_sight=True)
    assert np.ptp(before[:, 0]) > 0.3
    np.testing.assert_array_equal(after, before)


def test_points_are_sorted_by_the_mask_and_hidden_ones_left_out() -> None:
    frame = frame_of([_THING], 0, 0.0)
    front, wall = (_FRONT_X_M, 0.0, 1.0), (WALL_X_M, 0.6, 1.0)
    behind, beside, back = (WALL_X_M, 0.0, 1.0), (_FRONT_X_M, 0.6, 1.0), (-1.0, 0.0, 1.0)
    points = np.array([front, wall, behind, beside, back], np.float32)
    for mask in (cut_mask(_mask(0.0)), None):
        v, u = np.nonzero(_mask(0.0))
        box_px = np.array([u.min(), v.min(), u.max(), v.max()], np.float32)
        ((inside, outside),) = sort_by_outline([points], [0.02], [Outline(box_px, mask)], frame)
        assert (inside, outside.tolist()) == (1, [1])


def test_without_depth_nothing_is_in_plain_sight() -> None:
    frame = frame_of([_THING], 0, 0.0)
    frame.depth_m[:] = np.nan
    points = np.array([(_FRONT_X_M, 0.0, 1.0), (WALL_X_M, 0.6, 1.0)], np.float32)
    outline = Outline(_ALL_PX, cut_mask(_mask(0.0)))
    ((inside, outside),) = sort_by_outline([points], [0.02], [outline], frame)
    assert inside == 0
    assert len(outside) == 0


def test_the_border_of_a_mask_speaks_neither_for_nor_against() -> None:
    bits = np.zeros((20, 20), np.bool_)
    bits[5:10, 5:10] = True
    outline = Outline(_ALL_PX, cut_mask(bits))
    u, v = np.array([4, 3, 10, 11, 7]), np.array([7, 7, 7, 7, 7])
    assert outline.covers(u, v).tolist() == [True, False, True, False, True]
