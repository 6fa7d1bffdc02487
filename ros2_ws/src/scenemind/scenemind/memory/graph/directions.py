"""Left, right, front and behind of an anchor, as somebody sees it who looks at the anchor.

The viewer decides which way is left, the anchor decides where the directions start: a target is
judged by where it lies from the anchor's footprint, never from the origin of the map.

A score is 1 straight in the direction, 0.5 at the half angle (`RelationConfig.direction_deg`,
where two neighbouring directions are equally true for 45 degrees) and 0 well beyond it; from 0.5
on a direction holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.geometry import Box3D
from scenemind.memory.errors import SceneMemoryError

HALF_ANGLE_DEG = 45.0
HOLDS = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class DirectionScores:
    """Scores (N,) in [0, 1] of N targets about one anchor."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    front: NDArray[np.float64]
    behind: NDArray[np.float64]


def direction_scores(
    targets: Sequence[Box3D],
    anchor: Box3D,
    viewer_xy: ArrayLike,
    half_angle_deg: float = HALF_ANGLE_DEG,
) -> DirectionScores:
    """How much each target is left, right, in front of and behind the anchor.

    Args:
        viewer_xy: (2,) or longer, world, metres: where the viewer stands; z is not used.

    Raises:
        SceneMemoryError: the viewer stands on the anchor's centre, so no direction exists.
    """
    ahead = _view_direction(anchor, viewer_xy)
    right = np.array((ahead[1], -ahead[0]))
    centers = np.array([t.center[:2] for t in targets], dtype=np.float64).reshape(-1, 2)
    offset = _offset_from_footprint(centers, anchor)
    length = np.linalg.norm(offset, axis=1)
    unit = np.divide(
        offset, length[:, None], out=np.zeros_like(offset), where=length[:, None] > 1e-9
    )
    limit = np.cos(np.radians(half_angle_deg))

    def score(axis: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.clip(HOLDS + HOLDS * (unit @ axis - limit) / (1.0 - limit), 0.0, 1.0))

    return DirectionScores(
        left=score(-right), right=score(right), front=score(-ahead), behind=score(ahead)
    )


def between_scores(targets: Sequence[Box3D], a: Box3D, b: Box3D) -> NDArray[np.float64]:
    """How much each target lies between two anchors, (N,) in [0, 1], seen from above.

    1 on the line between the anchors' centres, falling to 0.5 where the target lies off the line
    by half the larger anchor's width plus half its own; 0 beside either end.
    """
    start, end = np.asarray(a.center[:2]), np.asarray(b.center[:2])
    span = float(np.linalg.norm(end - start))
    centers = np.array([t.center[:2] for t in targets], dtype=np.float64).reshape(-1, 2)
    if span < 1e-9:
        return np.zeros(len(centers))
    along = (end - start) / span
    offset = centers - start
    progress = offset @ along / span
    aside = np.abs(offset @ np.array((-along[1], along[0])))
    own = np.array([max(t.size[:2]) for t in targets], dtype=np.float64).reshape(-1)
    reach = (max(max(a.size[:2]), max(b.size[:2])) + own) / 2.0
    inside = (progress > 0.0) & (progress < 1.0)
    score: NDArray[np.float64] = np.where(
        inside, np.clip(1.0 - HOLDS * aside / np.maximum(reach, 1e-9), 0.0, 1.0), 0.0
    )
    return score


def _view_direction(anchor: Box3D, viewer_xy: ArrayLike) -> NDArray[np.float64]:
    viewer = np.asarray(viewer_xy, dtype=np.float64)[:2]
    ahead = np.asarray(anchor.center[:2]) - viewer
    distance = float(np.linalg.norm(ahead))
    if not distance > 1e-6:
        raise SceneMemoryError(
            f"the viewer at {viewer.tolist()} stands on the anchor's centre:"
            " left and right of it need a viewer beside it"
        )
    unit: NDArray[np.float64] = ahead / distance
    return unit


def _offset_from_footprint(centers: NDArray[np.float64], anchor: Box3D) -> NDArray[np.float64]:
    """From the anchor's footprint to each centre; from its middle for a centre above it.

    So a thing beside one end of a long table is left of the table, however long the table is.
    """
    c, s = np.cos(anchor.yaw), np.sin(anchor.yaw)
    to_local = np.array(((c, -s), (s, c)))
    from_center = (centers - np.asarray(anchor.center[:2])) @ to_local
    half = np.asarray(anchor.size[:2]) / 2.0
    beside = from_center - np.clip(from_center, -half, half)
    over = (np.abs(beside) < 1e-9).all(axis=1)
    beside[over] = from_center[over]
    turned: NDArray[np.float64] = beside @ to_local.T
    return turned
