"""The form of an object's surface: its box, axes, shape and orientation, and these in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, turned_box
from scenemind.memory.attributes.sizes import dimensions_text, find_kind, relative_size, size_name

# Thinner than this share of its shorter side, and than this, is flat; narrower than this share of
# its longest side is long.
FLAT = 0.25
THICKEST_SHEET_M = 0.15
LONG = 0.25
# Fewest points of a known form, and fewest voxels along its longest side.
_FEWEST = 15
_SMALLEST_CELLS = 4.0
# Of a thing that pictures place, points below this height are those of its support. Boxes are
# rounded outward by as much in all.
_FOOT_M, _ROUNDED_M = 0.05, 0.01


@dataclass(frozen=True, eq=False)
class Form:
    """The form of one surface.

    Attributes:
        points: (M, 3) float32, world, metres; M may be 0.
        box: axis-aligned box around them, world.
        cell_m: no detail finer than this is known.
        is_placed: the box is from pictures, and the points tell little of the extent.
    """

    points: NDArray[np.float32]
    box: Box3D
    cell_m: float
    is_placed: bool = False

    @cached_property
    def yaw_box(self) -> Box3D:
        """The smallest upright box, turned about z, from the bottom to the top of `box`."""
        return self.box if self.is_placed else turned_box(self.points, self.box)

    @cached_property
    def measured_share(self) -> float:
        """Share of the box, in [0, 1], that the points span; the rest is from pictures or from
        what is usual of its kind."""
        low, high = self.box.extent()[:3], self.box.extent()[3:]
        if not self.is_placed:  # such a box is around the points, but for its foot and its top
            return _spanned_share(self.points[:, 2], low[2], high[2])
        columns = self.points.T[:, self.points[:, 2] > low[2] + _FOOT_M]
        return math.prod(map(_spanned_share, columns, low, high))

    @cached_property
    def is_known(self) -> bool:
        """True if the object is large enough and has enough points for its form to be known."""
        large = max(self.box.size) >= _SMALLEST_CELLS * self.cell_m
        return large and len(self.points) >= _FEWEST

    @cached_property
    def axes(self) -> NDArray[np.float64]:
        """(3, 3): unit rows, the direction in which the points spread most first."""
        _, vectors = np.linalg.eigh(np.cov(self.points.T.astype(np.float64)))
        return np.asarray(vectors[:, ::-1].T)

    def own_points(self) -> NDArray[np.float64]:
        """(M, 3): the points along `axes`, about their mean; not kept, as it is large."""
        return np.asarray((self.points - self.points.mean(axis=0)) @ self.axes.T)

    @cached_property
    def extents_m(self) -> tuple[float, float, float]:
        """Length, width and thickness along its axes.

        The thickness is that of a solid of the same variance, which is robust to outliers.
        """
        points = self.own_points()
        length, width = np.ptp(points[:, :2], axis=0).tolist()
        thickness = math.sqrt(12.0) * float(points[:, 2].std())
        return length, width, thickness

    @property
    def is_flat(self) -> bool:
        """A sheet or a board."""
        if not self.is_known:
            return False
        _, width, thickness = self.extents_m
        return width >= self.cell_m and thickness <= min(FLAT * width, THICKEST_SHEET_M)

    @property
    def is_long(self) -> bool:
        """A stick: neither wide nor thick."""
        if not self.is_known:
            return False
        length, width, _ = self.extents_m
        return width <= LONG * length


_FEWEST_FIT_POINTS = 12  # points that a fit needs
_FLAT_SPREAD = 1e-9  # of the largest; with less in a direction, points tell no centre
# A round side must be seen in so many sectors of the compass, all the way along: four legs and a
# top make no cylinder.
_SECTORS, _SEEN_SECTORS, _BANDS = 16, 6, 3
# The middle of a box's face must be there: four legs and a top make no box.
_FACE_CELLS, _FILLED = 4, 0.6


def sphere_misfit_m(points: NDArray[np.floating]) -> float:
    """RMS distance of points (M, 3) from the sphere of least algebraic distance (Coope, 1993).

    Points may show one side only; infinite if they cannot be a sphere.
    """
    fitted = _round_fit(points)
    if fitted is None:
        return math.inf
    center, radius = fitted
    return _rms(np.linalg.norm(points - center, axis=1) - radius)


def cylinder_misfit_m(
    points: NDArray[np.floating], axis: int, cap_m: float, most_m: float = math.inf
) -> float:
    """RMS distance of points (M, 3) from the cylinder along one axis of their frame.

    Infinite if they cannot be a cylinder, or if they are farther off than `most_m`.

    Args:
        cap_m: points this near to either end may be on the flat caps, and are left out.
    """
    along = points[:, axis]
    side = points[(along > along.min() + cap_m) & (along < along.max() - cap_m)]
    across = side[:, [other for other in range(3) if other != axis]]
    fitted = _round_fit(across)
    if fitted is None:
        return math.inf
    center, radius = fitted
    offset = across - center
    misfit = _rms(np.hypot(offset[:, 0], offset[:, 1]) - radius)
    is_one = misfit <= most_m and _goes_round(offset, side[:, axis])
    return misfit if is_one else math.inf


def box_misfit_m(
    local: NDArray[np.floating], size: tuple[float, float, float], most_m: float = math.inf
) -> float:
    """RMS distance of points (M, 3), in the box's own frame about its centre, from its faces.

    Infinite if they are farther off than `most_m`, or unless two adjoining faces, such as a front
    and the top, have points all over their middle.
    """
    half = np.maximum(np.asarray(size) / 2.0, 1e-6)
    depth = half - np.abs(local)  # below each pair of faces
    nearest = depth.argmin(axis=1)
    misfit = _rms(depth[np.arange(len(local)), nearest])
    if misfit > most_m:
        return math.inf
    filled = (axis for axis in range(3) if _is_filled(local, nearest, half, axis))
    return misfit if len(list(islice(filled, 2))) == 2 else math.inf


def in_frame_of(points: NDArray[np.floating], box: Box3D) -> NDArray[np.float64]:
    """Points (M, 3), world, in a box's own frame, about its centre."""
    offset = points - np.asarray(box.center)
    c, s = math.cos(box.yaw), math.sin(box.yaw)
    return np.asarray(offset @ np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)]))


def _round_fit(points: NDArray[np.floating]) -> tuple[NDArray[np.float64], float] | None:
    """Centre and radius of the circle or sphere nearest to points (M, 2) or (M, 3)."""
    if len(points) < _FEWEST_FIT_POINTS:
        return None
    middle = points.mean(axis=0)
    offset = (points - middle).astype(np.float64)
    squares = np.einsum("ij,ij->i", offset, offset)
    # About their mean, the normal equations of the centre and of the radius come apart.
    spread, axes = np.linalg.eigh(offset.T @ offset)
    if spread[0] <= _FLAT_SPREAD * spread[-1]:
        return None
    center = axes @ (axes.T @ (squares @ offset) / (2.0 * spread))
    return middle + center, math.sqrt(float(squares.mean() + center @ center))


def _goes_round(offset: NDArray[np.floating], along: NDArray[np.floating]) -> bool:
    """True if points (M, 2) about an axis cover enough directions everywhere along it (M,)."""
    turns = np.arctan2(offset[:, 1], offset[:, 0]) / (2.0 * np.pi)
    # Sectors about the diagonals, where the legs of tables are.
    sector = np.floor(turns * _SECTORS + 0.5).astype(np.intp) % _SECTORS
    low, length = along.min(), max(float(np.ptp(along)), 1e-9)
    band = np.minimum((along - low) / length * _BANDS, _BANDS - 1).astype(np.intp)
    hits = np.bincount(band * _SECTORS + sector, minlength=_BANDS * _SECTORS)
    seen = np.count_nonzero(hits.reshape(_BANDS, _SECTORS), axis=1)
    return bool(seen.min() >= _SEEN_SECTORS)


def _is_filled(
    local: NDArray[np.floating],
    nearest: NDArray[np.intp],
    half: NDArray[np.float64],
    axis: int,
) -> bool:
    """True if one of the two faces across an axis has points all over its middle."""
    others = [other for other in range(3) if other != axis]
    on_face = nearest == axis
    for sign in (-1.0, 1.0):
        rows = on_face & (local[:, axis] * sign > 0.0)
        place = local[rows][:, others] / half[others]  # -1..1
        inner = place[(np.abs(place) < 0.6).all(axis=1)]
        cells = np.floor((inner / 0.6 + 1.0) / 2.0 * _FACE_CELLS).astype(np.intp)
        hit = np.bincount(cells[:, 0] * _FACE_CELLS + cells[:, 1], minlength=_FACE_CELLS**2)
        if np.count_nonzero(hit) >= _FILLED * _FACE_CELLS**2:
            return True
    return False


def _rms(distances: NDArray[np.floating]) -> float:
    return float(np.sqrt(np.mean(np.square(distances))))


# A solid fits where the points are this near to it, as a share of its shortest side, and clearly
# nearer than to any other.
_FITS = 0.06
_CLEARLY = 0.75
_RECTANGLE_FILL, _DISC_ROUNDNESS, _DISC_ASPECT = 0.88, 0.92, 1.25


def _shape_name(form: Form) -> str | None:
    """`flat and rectangular`, `flat and round`, `flat`, `long`, `round`, `cylindrical`,
    `box-shaped`, or None where it is none of these or too little was seen.

    Told is what the seen part looks like.
    """
    if not form.is_known:
        return None
    if form.is_long:
        return "long"
    if form.is_flat:
        return _outline_name(form.own_points()[:, :2].astype(np.float32))
    return _solid_name(form)


def _outline_name(flat: NDArray[np.float32]) -> str:
    """The outline of points (M, 2) on a sheet: the hull of a rectangle fills its bounding
    rectangle, and the hull of a disc has 4 pi area / perimeter^2 = 1."""
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


def _solid_name(form: Form) -> str | None:
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


# From the vertical, in degrees: up to here it is upright, from there on it lies.
_UPRIGHT_TO, _LYING_FROM = 20.0, 70.0
# A kind that stands tall lies when it is as long as usual, and its height is less than this share
# of that. Two chairs that were taken for one are long, but as high as chairs are; of one that is
# seen in part nothing is known.
_FALLEN = 0.75
# Sides must differ so much before one of them is the long one.
_LONGER = 1.25


def _orientation_name(form: Form, label: str) -> str | None:
    """`upright`, `leaning` or `lying`; None where it has no meaning, as for a table or a ball.

    It follows from the form of sheets and sticks, and from the kind of other objects.
    """
    if form.is_long:
        return _posture(_from_vertical_deg(form.axes[0, 2]))
    if form.is_flat:
        return _posture(90.0 - _from_vertical_deg(form.axes[2, 2]))
    kind = find_kind(label)
    if kind is None or not kind.stands_tall or not form.is_known:
        return None
    longest, height = max(form.yaw_box.size), form.box.size[2]
    if height >= _FALLEN * longest:
        return "upright"
    is_whole = longest >= kind.shortest_m
    return "lying" if is_whole and height < _FALLEN * kind.shortest_m else None


def _long_side_deg(form: Form) -> int | None:
    """Direction of the longer horizontal side, from the world's x to its y, in [0, 180); None
    where the sides are about equal."""
    x, y, _ = form.yaw_box.size
    if max(x, y) <= _LONGER * min(x, y):
        return None
    turn = form.yaw_box.yaw + (math.pi / 2.0 if y > x else 0.0)
    return round(math.degrees(turn)) % 180


def _from_vertical_deg(z: float) -> float:
    """Between a unit direction with this z and the vertical, in [0, 90]."""
    return math.degrees(math.acos(min(abs(float(z)), 1.0)))


def _posture(tilt_deg: float) -> str:
    if tilt_deg <= _UPRIGHT_TO:
        return "upright"
    return "lying" if tilt_deg >= _LYING_FROM else "leaning"


OF_FORM = ("size", "dimensions", "relative_size", "shape", "orientation", "long_side")


class FormWords:
    """Found when asked for; the shape, which takes longest, is kept while the surface stays."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def find(self, name: str, label: str) -> str | None:
        """The attribute of a name in `OF_FORM`; None if unknown, and for other names.

        Args:
            label: of the object.
        """
        if name == "size":
            return size_name(self.form.yaw_box)
        if name == "dimensions":
            return dimensions_text(self.form.yaw_box)
        if name == "relative_size":
            return relative_size(label, self.form.yaw_box)
        if name == "shape":
            return self._shape
        if name == "orientation":
            return _orientation_name(self.form, label)
        if name == "long_side":
            degrees = _long_side_deg(self.form)
            return None if degrees is None else f"{degrees} degrees"
        return None

    @cached_property
    def _shape(self) -> str | None:
        return _shape_name(self.form)


def _spanned_share(values: NDArray[np.float32], low: float, high: float) -> float:
    """Share of a side, in [0, 1], that values (M,) span; 0 without any."""
    if not len(values):
        return 0.0
    side = max(high - low, _ROUNDED_M)
    spanned = min(float(values.max()), high) - max(float(values.min()), low)
    return min(max(spanned + _ROUNDED_M, 0.0), side) / side
