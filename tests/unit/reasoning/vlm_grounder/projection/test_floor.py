"""What of the floor comes into a thing's masks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.types import StructurePlane
from scenemind.reasoning.vlm_grounder.projection.floor import beneath, find_floor_z, on_floor
from scenemind.reasoning.vlm_grounder.projection.surface import Surface
from tests.unit.reasoning.scene import ROOM, snapshot_of

FLOOR_Z = -1.5


def surface(points: NDArray[np.floating]) -> Surface:
    """Samples without noise, seen from above."""
    column = np.full(len(points), 0.01, np.float32)
    rays = np.tile(np.array([0.0, 0.0, -1.0], np.float32), (len(points), 1))
    return Surface(points.astype(np.float32), rays, column, column, column)


def stool(spilt_m: float) -> Surface:
    """Half a metre high and wide, and the floor as far around it."""
    rng = np.random.default_rng(0)
    thing = rng.uniform((-0.25, -0.25, FLOOR_Z), (0.25, 0.25, FLOOR_Z + 0.5), (900, 3))
    side = 0.25 + spilt_m
    ground = rng.uniform((-side, -side, FLOOR_Z), (side, side, FLOOR_Z + 0.01), (900, 3))
    return surface(np.concatenate((thing, ground)))


def test_what_lies_around_a_thing_is_found() -> None:
    spilt = stool(1.0)
    ground = on_floor(spilt, FLOOR_Z)
    assert ground[900:].all()
    assert 0.05 < ground[:900].mean() < 0.2  # its own feet, 6 cm of 50


def test_feet_stay() -> None:
    spilt = stool(1.0)
    ground = on_floor(spilt, FLOOR_Z)
    own = beneath(spilt.select(ground), spilt.select(~ground)).points
    assert np.abs(own[:, :2]).max() <= 0.25
    assert own[:, 2].min() < FLOOR_Z + 0.01
    assert len(own) > ground[:900].sum() * 0.95


def test_a_rug_is_its_own_floor() -> None:
    rug = np.random.default_rng(0).uniform((0, 0, FLOOR_Z), (2, 1, FLOOR_Z + 0.02), (500, 3))
    assert not on_floor(surface(rug), FLOOR_Z).any()


def test_the_floor_is_the_map_s() -> None:
    snapshot = snapshot_of(ROOM)
    box = Box3D((0.0, 0.0, FLOOR_Z - 0.01), (8.0, 8.0, 0.02))
    plane = StructurePlane(-1, "floor", box, (0.0, 0.0, 1.0), 30.0)
    wall = StructurePlane(-3, "wall", box, (1.0, 0.0, 0.0), 30.0)
    known = replace(snapshot, structure={-3: wall, -1: plane})
    assert find_floor_z(known) == FLOOR_Z
    assert find_floor_z(replace(snapshot, structure={-3: wall})) is None
