"""Points with their box, from above and from the side."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D

_SIDE_PX, _MARGIN_PX = 360, 40
_POINT_BGR, _BOX_BGR, _TEXT_BGR = (150, 90, 30), (60, 60, 230), (60, 60, 60)
_DARKEST = 6.0  # points in one pixel
_LEAST_M = 0.05  # across, so that a single point is no division by zero


def draw_cloud(points: NDArray[np.float32], box: Box3D) -> NDArray[np.uint8]:
    """(360, 720, 3) BGR: the points (M, 3) from above, x to the right, and from the side, z up."""
    above = _panel(points[:, :2], box, (0, 1), "from above: x right, y up")
    wider = (0, 2) if box.size[0] >= box.size[1] else (1, 2)
    side = _panel(points[:, wider], box, wider, f"from the side: {'xy'[wider[0]]} right, z up")
    return np.hstack((above, side))


def _panel(
    points: NDArray[np.float32], box: Box3D, axes: tuple[int, int], title: str
) -> NDArray[np.uint8]:
    low, high = (corner[list(axes)] for corner in box.bounds())
    scale = (_SIDE_PX - 2 * _MARGIN_PX) / max(float((high - low).max()), _LEAST_M)
    middle = (low + high) / 2.0
    pixels = _pixels(points, middle, scale)
    inside = ((pixels >= 0) & (pixels < _SIDE_PX)).all(axis=1)
    cells = pixels[inside, 1] * _SIDE_PX + pixels[inside, 0]
    counts = np.bincount(cells, minlength=_SIDE_PX**2).reshape(_SIDE_PX, _SIDE_PX)
    share = np.minimum(counts / _DARKEST, 1.0) ** 0.5
    spread = cv2.dilate(share.astype(np.float32), np.ones((2, 2), np.uint8))[..., None]
    image = (255.0 * (1.0 - spread) + np.array(_POINT_BGR) * spread).astype(np.uint8)
    (x0, y1), (x1, y0) = _pixels(np.stack((low, high)), middle, scale).tolist()
    cv2.rectangle(image, (x0, y0), (x1, y1), _BOX_BGR, 2)
    names = ["xyz"[axis] for axis in axes]
    sides = [f"{n} {side:.2f} m" for n, side in zip(names, high - low, strict=True)]
    _write(image, title, (8, 18))
    _write(image, sides[0], (x0, min(y1 + 18, _SIDE_PX - 6)))
    _write(image, sides[1], (max(x0 - 4, 4), max(y0 - 6, 32)))
    return image


def _pixels(
    points: NDArray[np.floating], middle: NDArray[np.floating], scale: float
) -> NDArray[np.intp]:
    flipped = (points - middle) * (scale, -scale)
    return np.rint(flipped + _SIDE_PX / 2).astype(np.intp)


def _write(image: NDArray[np.uint8], text: str, at: tuple[int, int]) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.42, _TEXT_BGR, 1, cv2.LINE_AA)
