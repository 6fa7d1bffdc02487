"""Places for a thing in the free space over a surface, for a layout to choose from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenemind.geometry import Box3D
from scenemind.simulation.blueprint import Blueprint, Item
from scenemind.simulation.primitives import Placement

_TRIES = 60
_MAX_TURN_RAD = 0.4  # things stand roughly along what they stand on
_ROUNDING_M = 1e-6


def random_places(space: Box3D, thing: Blueprint, rng: np.random.Generator) -> Iterator[Item]:
    """Anywhere on the bottom of a space, as long as the thing stays within it."""
    c, s = np.cos(space.yaw), np.sin(space.yaw)
    for _ in range(_TRIES):
        x, y = rng.uniform(-0.5, 0.5, 2) * space.size[:2]
        center = (space.center[0] + c * x - s * y, space.center[1] + s * x + c * y)
        yield from _fitting(space, thing, center, rng)


def places_beside(
    space: Box3D, thing: Blueprint, other: Box3D, gap_m: float, rng: np.random.Generator
) -> Iterator[Item]:
    """Within a space at a gap from another box, on any side of it."""
    half = np.asarray(thing.box_at(Placement(0, 0)).size[:2]) / 2
    reach = np.asarray(other.size[:2]) / 2 + half + gap_m
    for _ in range(_TRIES):
        offset = rng.uniform(-1.0, 1.0, 2)
        offset[int(rng.integers(2))] = rng.choice((-1.0, 1.0))
        x, y = other.center[:2] + offset * reach
        yield from _fitting(space, thing, (float(x), float(y)), rng)


def _fitting(
    space: Box3D, thing: Blueprint, center: tuple[float, float], rng: np.random.Generator
) -> Iterator[Item]:
    yaw = space.yaw + float(rng.uniform(-_MAX_TURN_RAD, _MAX_TURN_RAD))
    item = Item(thing, Placement(float(center[0]), float(center[1]), space.bottom_z, yaw))
    if space.contains(item.box.corners(), _ROUNDING_M).all():
        yield item
