"""The shape of an object in words, from its surface points."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.solids import (
    box_misfit_m,
    cylinder_misfit_m,
    in_frame_of,
    sphere_misfit_m,
)

# A solid fits where the points are this near to it, as a share of its shortest side, and clearly
# nearer than to any other.
_FITS = 0.06
_CLEARLY = 0.75
_RECTANGLE_FILL, _DISC_ROUNDNESS, _DISC_ASPECT = 0.88, 0.92, 1.25


def shape_name(form: Form) -> str | None:
    """`flat and rectangular`, `flat and round`, `flat`, `long`, `round`, `cylindrical`,
    `box-shaped`, or None where it is none of these or too little was seen.

    Told is what the seen part looks like.
    """
    if not form.is_known:
        return None
    if form.is_long:
        return "long"
    if form.is_flat:
        return _outline(form.own_points()[:, :2].astype(np.float32))
    return _solid(form)


def _outline(flat: NDArray[np.float32]) -> str:
    """Of points (M, 2) on a sheet: the hull of a rectangle fills it, and that of a disc is round
    (4 pi area / perimeter^2 is 1)."""
    hull = cv2.convexHull(flat)
    area, perimeter = cv2.contourArea(hull), cv2.arcLength(hull, True)
    _, sides, _ = cv2.minAreaRect(flat)
    shorter, longer = sorted(sides)
    if area >= _RECTANGLE_FILL * shorter * longer:
        return "flat and rectangular"
    is_round = 4.0 * math.pi * area >= _DISC_ROUNDNESS * perimeter * perimeter
    if is_round and longer <= _DISC_ASPECT * shorter:
        return "flat and round"
    return "flat"


def _solid(form: Form) -> str | None:
    local = in_frame_of(form.points, form.yaw_box)
    size = form.yaw_box.size
    lying = int(size[1] > size[0])  # the horizontal axis of a cylinder that lies
    # Farther off, a solid neither fits nor is nearly as good as one that does.
    most_m = _FITS * min(size) / _CLEARLY
    misfits = {"box-shaped": box_misfit_m(local, size, most_m)}
    most_m = min(most_m, misfits["box-shaped"] / _CLEARLY)
    misfits["cylindrical"] = min(
        cylinder_misfit_m(local, axis, form.cell_m, most_m) for axis in (2, lying)
    )
    misfits["round"] = sphere_misfit_m(local)
    (best, misfit), (_, second) = sorted(misfits.items(), key=lambda item: item[1])[:2]
    if misfit <= _FITS * min(size) and misfit <= _CLEARLY * second:
        return best
    return None
