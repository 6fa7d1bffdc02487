"""Hanging on, mounted on, affixed on: what a wall or a ceiling carries (SynergAI, Table A.1).

A wall's pairs come in its own frame: x along it, y across it, z up, so that walls may run any way.
A ceiling's come in the world's. `across` is the axis across the surface: `WALL` or `CEILING`.

The three differ by the shape of the thing; where it is known how people say it of such a thing (a
TV is mounted on a wall), `verification.common_sense` decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.columns import HEIGHT_NOISE_M, Bounds, Scores, shared_sides

WALL, CEILING = 1, 2
# Share of each side of a thing that lies before the surface.
BEFORE_SHARE = 0.5
# What stands out more is no longer carried by a wall.
DEEPEST_M = 1.0
# A switch, a socket, a sign: no side of a small thing is longer.
SMALL_M = 0.35


def attached(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Touches the surface: 1 at no gap, 0.5 at `wall_gap_m`.

    At least half of its width and of its height lie before the surface, and it does not stand out
    by more than 1 m.
    """
    gap = np.maximum(
        np.maximum(surface[:, across] - thing[:, 3 + across], 0.0),
        np.maximum(thing[:, across] - surface[:, 3 + across], 0.0),
    )
    size = np.maximum(thing[:, 3:] - thing[:, :3], 1e-6)
    share = shared_sides(thing, surface) / size
    share[:, across] = 1.0
    holds = (
        (gap <= config.wall_gap_m)
        & (share >= BEFORE_SHARE).all(axis=1)
        & (size[:, across] <= DEEPEST_M)
    )
    return np.where(holds, 1.0 - 0.5 * gap / config.wall_gap_m, 0.0)


def hanging_on(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Attached: large and flat to a wall, such as a picture, or not flat to a ceiling (a lamp)."""
    flat = _is_flat(thing, config, across)
    hangs = ~flat if across == CEILING else flat & ~_is_small(thing)
    return np.where(hangs, attached(thing, surface, config, across), 0.0)


def mounted_on(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Attached to a wall, and not flat: a shelf, a cabinet."""
    mounted = ~_is_flat(thing, config, across) & (across == WALL)
    return np.where(mounted, attached(thing, surface, config, across), 0.0)


def affixed_on(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Attached: small and flat to a wall (a switch), or flat to a ceiling (a smoke detector)."""
    flat = _is_flat(thing, config, across)
    affixed = flat if across == CEILING else flat & _is_small(thing)
    return np.where(affixed, attached(thing, surface, config, across), 0.0)


def set_into(thing: Bounds, surface: Bounds, config: RelationConfig, across: int) -> Scores:
    """Embedded in a wall or ceiling: attached, and going through both of its sides."""
    through = (thing[:, across] < surface[:, across] - HEIGHT_NOISE_M) & (
        thing[:, 3 + across] > surface[:, 3 + across] + HEIGHT_NOISE_M
    )
    return np.where(through, attached(thing, surface, config, across), 0.0)


def _is_flat(thing: Bounds, config: RelationConfig, across: int) -> NDArray[np.bool_]:
    return np.asarray(thing[:, 3 + across] - thing[:, across] <= config.flat_m)


def _is_small(thing: Bounds) -> NDArray[np.bool_]:
    return np.asarray((thing[:, 3:] - thing[:, :3]).max(axis=1) <= SMALL_M)
