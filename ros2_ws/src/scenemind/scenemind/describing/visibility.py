"""How much of an object a stored frame shows: what the border cuts and what stands before it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, MapObject

_Rectangle = NDArray[np.float64]  # x0, y0, x1, y1 in pixels

# What stands wholly nearer than the object hides it; what it stands on or in does not.
_TOUCHING_M = 0.05
_GRID = 32  # cells a side in which hidden parts are counted
# Of the projected box and the detected one: below, the object has been moved since.
_SAME_PLACE_IOU = 0.3
_SHARE_OF_CUT = 0.5  # where it is not known how much is outside
_BORDER_PX = 2.0


def visible_share(thing: MapObject, frame: KeyFrame, objects: Mapping[int, MapObject]) -> float:
    """The share of the object that can be seen, in [0, 1], from boxes alone.

    SynergAI (appendix B) takes views of minimal occlusion by rendering points; the boxes of what
    stands nearer tell the same without the depth image.

    Args:
        frame: with the boxes of all objects in it, this one's among them.
    """
    seen_px = np.asarray(frame.boxes_px[thing.object_id], np.float64)
    near_m = _depths_m(thing.box, frame).min()
    hiding = [
        np.asarray(box_px, np.float64)
        for object_id, box_px in frame.boxes_px.items()
        if object_id != thing.object_id
        and object_id in objects
        and _depths_m(objects[object_id].box, frame).max() <= near_m + _TOUCHING_M
    ]
    return _share_inside(thing.box, seen_px, frame) * (1.0 - _share_covered(seen_px, hiding))


def _depths_m(box: Box3D, frame: KeyFrame) -> NDArray[np.float64]:
    """(8,) of the corners, along the optical axis."""
    corners = frame.world_T_camera.inverse().transform(box.corners())
    return np.asarray(corners[:, 2], np.float64)


def _share_inside(box: Box3D, seen_px: _Rectangle, frame: KeyFrame) -> float:
    """How much of the object is within the image."""
    size = np.array((frame.camera.width, frame.camera.height), np.float64)
    pixels, depths_m = frame.camera.project(frame.world_T_camera.inverse().transform(box.corners()))
    if depths_m.min() > 0.0:
        whole = np.concatenate((pixels.min(axis=0), pixels.max(axis=0)))
        inside = np.concatenate((np.maximum(whole[:2], 0.0), np.minimum(whole[2:], size)))
        if _iou(inside, seen_px) >= _SAME_PLACE_IOU:
            return _area(inside) / _area(whole)
    is_cut = (seen_px[:2] <= _BORDER_PX).any() or (seen_px[2:] >= size - _BORDER_PX).any()
    return _SHARE_OF_CUT if is_cut else 1.0


def _share_covered(rectangle: _Rectangle, others: list[_Rectangle]) -> float:
    """How much of a rectangle others cover together."""
    x, y = (
        np.linspace(rectangle[k], rectangle[k + 2], _GRID, endpoint=False)
        + (rectangle[k + 2] - rectangle[k]) / (2 * _GRID)
        for k in (0, 1)
    )
    covered = np.zeros((_GRID, _GRID), bool)
    for x0, y0, x1, y1 in others:
        covered |= ((x >= x0) & (x <= x1)) & ((y >= y0) & (y <= y1))[:, None]
    return float(covered.mean())


def _iou(a: _Rectangle, b: _Rectangle) -> float:
    shared = np.concatenate((np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])))
    both = _area(shared)
    return both / max(_area(a) + _area(b) - both, 1e-9)


def _area(rectangle: _Rectangle) -> float:
    width, height = np.maximum(rectangle[2:] - rectangle[:2], 0.0)
    return float(width * height)
