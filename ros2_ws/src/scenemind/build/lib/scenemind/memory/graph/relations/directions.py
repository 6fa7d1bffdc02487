"""Left, right, front, behind and the hours of the clock, about an anchor, as a viewer sees it.

The viewer decides which way is ahead, the anchor decides where the directions start: a target is
judged by where it lies from the anchor's footprint, never from the origin of the map.

In front of a thing is the viewer's side of it, behind is beyond it. About the viewer's own body
(`is_self`) in front is where it looks. On an anchor's clock 12 is ahead, beyond it; on one's own
clock 12 is where one looks: both are the viewer's ahead.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory.graph.relations.box_relations import Bounds, Scores
from scenemind.memory.graph.relations.viewpoint import Viewpoint

Direction = Literal["left of", "right of", "in front of", "behind"]
DIRECTIONS: tuple[Direction, ...] = ("left of", "right of", "in front of", "behind")
# From this score on a direction holds.
HOLDS = 0.5
# A footprint is this many times this many cells, for the share of it in a region: to about 2 %.
CELLS = 8
# Neighbouring directions meet at 45 degrees.
_MEETING_DEG = 45.0


def direction(
    targets: Bounds,
    anchor: Box3D,
    viewpoint: Viewpoint,
    name: Direction,
    config: RelationConfig,
    is_self: bool = False,
) -> Scores:
    """The target lies in a direction of the anchor: scores (P,), 0 where it does not hold.

    `direction_rule` angle: by the angle at which the target lies from the nearest point of the
    anchor's footprint. 1 straight in the direction, 0.5 at `direction_deg`, where for 45
    degrees two directions are equally true.

    `direction_rule` region (LLM-TPC, supplement 1.1.4): by the share of the target's footprint
    within a trapezoid that starts at the anchor's side, `direction_aside_m` wider than it on both
    ends, opens by `direction_deg` and ends after `direction_depth_m`. It holds from
    `direction_share` on, and the score is 0.75 to 1; a target in none of the four regions is
    judged by its angle instead, with at most 0.75.

    Args:
        is_self: the anchor is the viewer's own body.
    """
    ahead = ahead_at(anchor, viewpoint, config)
    axis = _axes(ahead, is_self)[name]
    if config.direction_rule == "angle":
        return _by_angle(targets, anchor, axis, config.direction_deg)
    shares = {d: _region_shares(targets, anchor, a, config) for d, a in _axes(ahead).items()}
    nowhere = np.max(list(shares.values()), axis=0) < config.direction_share
    inside = _region_shares(targets, anchor, axis, config)
    by_angle = 0.75 * _by_angle(targets, anchor, axis, _MEETING_DEG)
    return np.where(
        inside >= config.direction_share,
        0.75 + 0.25 * inside,
        np.where(nowhere & (by_angle > 0.0), np.maximum(by_angle, HOLDS), 0.0),
    )


def clock(
    targets: Bounds, anchor: Box3D, viewpoint: Viewpoint, hour: int, config: RelationConfig
) -> Scores:
    """The target lies at an hour of the anchor's clock, 12 ahead and 3 on the right; (P,).

    1 at the hour, 0.5 at `clock_deg` off it, beyond which it does not hold.
    """
    ahead = ahead_at(anchor, viewpoint, config)
    right = np.array((ahead[1], -ahead[0]))
    angle = np.radians(30.0 * hour)
    axis = np.cos(angle) * ahead + np.sin(angle) * right
    units = _units_from_footprint(targets, anchor)
    off_deg = np.degrees(np.arccos(np.clip(units @ axis, -1.0, 1.0)))
    holds = (off_deg <= config.clock_deg + 1e-6) & units.any(axis=1)
    return np.where(holds, 1.0 - 0.5 * off_deg / config.clock_deg, 0.0)


def hours(
    targets: Bounds, anchor: Box3D, viewpoint: Viewpoint, config: RelationConfig
) -> NDArray[np.intp]:
    """The nearest hour (P,) of the anchor's clock, 1 to 12, for each target."""
    ahead = ahead_at(anchor, viewpoint, config)
    right = np.array((ahead[1], -ahead[0]))
    units = _units_from_footprint(targets, anchor)
    turn = np.degrees(np.arctan2(units @ right, units @ ahead))
    return np.asarray((np.rint(turn / 30.0).astype(np.intp) - 1) % 12 + 1)


def ahead_at(anchor: Box3D, viewpoint: Viewpoint, config: RelationConfig) -> NDArray[np.float64]:
    """The direction (2,) that is ahead at an anchor: the line of sight to it, or the viewer's
    heading, which also applies if the viewer is at the anchor's centre or is the anchor.
    """
    sight = np.asarray(anchor.center[:2]) - viewpoint.position[:2]
    distance = float(np.linalg.norm(sight))
    if config.direction_axes == "heading" or distance < 1e-3:
        return viewpoint.ahead
    return np.asarray(sight / distance)


def _axes(
    ahead: NDArray[np.float64], is_self: bool = False
) -> dict[Direction, NDArray[np.float64]]:
    right = np.array((ahead[1], -ahead[0]))
    front = ahead if is_self else -ahead
    return {"left of": -right, "right of": right, "in front of": front, "behind": -front}


def _by_angle(
    targets: Bounds, anchor: Box3D, axis: NDArray[np.float64], half_angle_deg: float
) -> Scores:
    limit = float(np.cos(np.radians(half_angle_deg)))
    cosine = _units_from_footprint(targets, anchor) @ axis
    score = np.clip(HOLDS + (1.0 - HOLDS) * (cosine - limit) / (1.0 - limit), 0.0, 1.0)
    return np.where(score >= HOLDS - 1e-9, score, 0.0)


def _region_shares(
    targets: Bounds, anchor: Box3D, axis: NDArray[np.float64], config: RelationConfig
) -> Scores:
    """Share (P,) of each footprint in the trapezoid that opens from the anchor along an axis."""
    across = np.array((-axis[1], axis[0]))
    corners = anchor.footprint() - np.asarray(anchor.center[:2])
    half_width = float(np.abs(corners @ across).max()) + config.direction_aside_m
    start = float((corners @ axis).max())
    cells = (np.arange(CELLS) + 0.5) / CELLS
    x = targets[:, None, None, 0] + (targets[:, 3] - targets[:, 0])[:, None, None] * cells[:, None]
    y = targets[:, None, None, 1] + (targets[:, 4] - targets[:, 1])[:, None, None] * cells
    x, y = x - anchor.center[0], y - anchor.center[1]
    depth = axis[0] * x + axis[1] * y - start
    aside = np.abs(across[0] * x + across[1] * y)
    opening = float(np.tan(np.radians(config.direction_deg)))
    within = (depth >= 0.0) & (depth <= config.direction_depth_m)
    within &= aside <= half_width + opening * depth
    return np.asarray(within.mean(axis=(1, 2)))


def _units_from_footprint(targets: Bounds, anchor: Box3D) -> NDArray[np.float64]:
    """Unit vectors (P, 2) from the anchor's footprint to each target; 0 if both are one place.

    They start at the footprint's nearest point: a thing beside one end of a long table is left of
    the table, whatever its length. They point halfway between the target's centre and its nearest
    point: a long whiteboard is in front of a person at its end. For a target on the anchor they
    point from centre to centre.
    """
    c, s = np.cos(anchor.yaw), np.sin(anchor.yaw)
    to_local = np.array(((c, -s), (s, c)))
    centers = (targets[:, :2] + targets[:, 3:5]) / 2.0
    offset = (centers - np.asarray(anchor.center[:2])) @ to_local
    half = np.asarray(anchor.size[:2]) / 2.0
    half_of_both = half + (targets[:, 3:5] - targets[:, :2]) / 2.0 @ np.abs(to_local)
    to_center, to_nearest = _beyond(offset, half), _beyond(offset, half_of_both)
    unit = _units(_units(to_center) + _units(to_nearest))
    over = ~unit.any(axis=1)
    unit[over] = _units(offset[over])
    return np.asarray(unit @ to_local.T)


def _beyond(offset: NDArray[np.float64], half: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of offsets (P, 2) beyond half a side length from 0."""
    return offset - np.clip(offset, -half, half)


def _units(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normalized vectors (P, 2); 0 for those of hardly any length."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 1e-9)
