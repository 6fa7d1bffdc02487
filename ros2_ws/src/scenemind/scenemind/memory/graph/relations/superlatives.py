"""Superlatives: sort keys for the largest, the leftmost, the middle one of a set."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.memory.graph.relations.box_relations import Bounds, heights, sizes, volumes
from scenemind.memory.graph.relations.viewpoint import Viewpoint

Superlative = Literal[
    "largest",
    "smallest",
    "tallest",
    "shortest",
    "widest",
    "longest",
    "narrowest",
    "deepest",
    "thickest",
    "thinnest",
    "highest",
    "lowest",
    "topmost",
    "bottommost",
    "leftmost",
    "rightmost",
    "frontmost",
    "rearmost",
    "middle",
]
OF_A_VIEWER = frozenset(("leftmost", "rightmost", "frontmost", "rearmost"))
# Those that take the smallest of what is measured.
_LEAST = frozenset(
    (
        *("smallest", "shortest", "narrowest", "thinnest", "lowest", "bottommost"),
        *("leftmost", "frontmost"),
    )
)
_UPRIGHT = frozenset(("highest", "lowest", "topmost", "bottommost"))
# Of a flat box the shortest edge is below this share of the next.
_FLAT = 0.2


def superlative_values(
    targets: Bounds, name: Superlative, viewpoint: Viewpoint | None = None
) -> NDArray[np.float64]:
    """Sort keys (N,) of the targets: the most extreme one has the smallest value.

    Sizes are of the boxes: volume for large and small, or the area of the largest face where half
    of the targets or more are flat (doors, pictures), height for tall and short, the longer side
    seen from above for wide and long, the shorter for deep, the shortest side for thick and thin.
    High and low refer to the middle of the box. Sides are measured across and along the viewer's
    heading: left to right, and near to far.

    Raises:
        SceneMemoryError: it needs a viewpoint, and none is given.
    """
    if name in OF_A_VIEWER and viewpoint is None:
        raise SceneMemoryError(f"which one is the {name} depends on the viewer: give a viewpoint")
    if not len(targets):
        return np.zeros(0)
    if name == "middle":
        return _off_the_middle(targets, viewpoint)
    values = _measured(targets, name, viewpoint)
    return values if name in _LEAST else -values


def _measured(
    targets: Bounds, name: Superlative, viewpoint: Viewpoint | None
) -> NDArray[np.float64]:
    if name in ("largest", "smallest"):
        edges = np.sort(sizes(targets), axis=1)
        are_flat = 2 * np.count_nonzero(edges[:, 0] < _FLAT * edges[:, 1]) >= len(targets)
        return edges[:, 1] * edges[:, 2] if are_flat else volumes(targets)
    if name in ("tallest", "shortest"):
        return heights(targets)
    if name in ("thickest", "thinnest"):
        return np.asarray(sizes(targets).min(axis=1))
    if name == "deepest":
        return np.asarray(sizes(targets)[:, :2].min(axis=1))
    if name in ("widest", "longest", "narrowest"):
        return np.asarray(sizes(targets)[:, :2].max(axis=1))
    centers = _centers(targets)
    if viewpoint is None or name in _UPRIGHT:
        return centers[:, 2]
    axis = viewpoint.right if name in ("leftmost", "rightmost") else viewpoint.ahead
    return np.asarray((centers[:, :2] - viewpoint.position[:2]) @ axis)


def _off_the_middle(targets: Bounds, viewpoint: Viewpoint | None) -> NDArray[np.float64]:
    """Number of places of each from the middle of the row, ordered from left to right.

    Without a viewer the row is the line along which the set is longest.
    """
    places = _centers(targets)[:, :2]
    if viewpoint is not None:
        axis = viewpoint.right
    else:
        axis = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)[2][0]
    place_in_row = np.empty(len(places))
    place_in_row[np.argsort(places @ axis, kind="stable")] = np.arange(len(places))
    return np.abs(place_in_row - (len(places) - 1) / 2.0)


def _centers(targets: Bounds) -> NDArray[np.float64]:
    return np.asarray((targets[:, :3] + targets[:, 3:]) / 2.0)
