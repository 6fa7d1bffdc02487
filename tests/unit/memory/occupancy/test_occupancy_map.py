"""Free, occupied and unknown floor of one wall, one table, and things that come and go."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import DepthConfig, SceneMindConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D, Pose
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.memory.occupancy import occupancy_map
from scenemind.memory.occupancy.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid
from scenemind.memory.occupancy.occupancy_map import OccupancyMap, pack_block, unpack_block
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate
from scenemind.simulation.room import Room

from .scenes import driving, frames_at, room, table, thing, turning


def mapped(place: Room, *ways: list[Pose]) -> OccupancyMap:
    estimator = OccupancyMap(DepthConfig())
    for frame in frames_at(place, [pose for way in ways for pose in way]):
        estimator.add(frame, frame.number, 0.0)
    return estimator


def states(grid: OccupancyGrid, x: float, y: float, width: float, depth: float) -> set[int]:
    """The states in a rectangle by its middle."""
    xs, ys = np.meshgrid(
        np.arange(x - width / 2, x + width / 2, 0.05), np.arange(y - depth / 2, y + depth / 2, 0.05)
    )
    return {grid.state_at(a, b) for a, b in zip(xs.ravel(), ys.ravel(), strict=True)}


def test_floor_is_free_a_wall_occupied_and_what_is_behind_it_unknown():
    grid = mapped(room(), driving(-0.5, 0.0, 0.0)).grid(0.0)
    assert states(grid, 1.5, 0.0, 1.5, 1.0) == {FREE}
    assert {grid.state_at(3.0 + dx, y) for y in (-0.5, 0.0, 0.5) for dx in (-0.02, 0.02)} & {
        OCCUPIED
    }
    assert states(grid, 4.0, 0.0, 1.5, 1.0) == {UNKNOWN}
    assert states(grid, -1.5, 0.0, 1.0, 1.0) == {UNKNOWN}  # behind the camera


def test_table_is_occupied_though_the_floor_below_it_was_seen():
    grid = mapped(room(table()), driving(0.0, 0.0, 0.0), turning(0.3, 0.3)).grid(0.0)
    assert FREE not in states(grid, 1.8, 0.0, 0.4, 0.6)
    assert OCCUPIED in states(grid, 1.8, 0.0, 0.4, 0.6)
    row, column = grid.cells_of((1.75, 0.0))[0]
    assert grid.top_m[row, column] == pytest.approx(0.75, abs=0.02)


def test_what_moved_away_is_free_when_it_was_seen_through():
    box = thing(1, Box3D((1.5, 0.0, 0.3), (0.4, 0.4, 0.6)))
    estimator = mapped(room(box), driving(-0.5, 0.0, 0.0))
    assert OCCUPIED in states(estimator.grid(0.0), 1.35, 0.0, 0.2, 0.3)
    for frame in frames_at(room(), driving(-0.5, 0.0, 0.0, 10)):
        estimator.add(frame, frame.number + 100, 0.0)
    assert states(estimator.grid(0.0), 1.5, 0.0, 0.6, 0.6) == {FREE}


def test_nothing_is_noted_before_the_floor_is_known_or_at_a_place_that_cannot_be():
    estimator = OccupancyMap(DepthConfig())
    (frame,) = frames_at(room(), driving(0.0, 0.0, 0.0, 1))
    estimator.add(frame, 0, None)
    far = Pose(frame.world_T_camera.rotation, np.array([1e12, 0.0, 1.1]))
    estimator.add(replace(frame, world_T_camera=far), 0, 0.0)
    assert len(estimator) == 0
    assert estimator.grid(0.0).data.size == 0


def test_corrected_poses_move_the_cells_of_their_frames():
    estimator = mapped(room(table()), driving(0.0, 0.0, 0.0), turning(0.3, 0.3))
    before = estimator.grid(0.0)
    move = np.eye(4)
    move[:2, :2] = (0.0, -1.0), (1.0, 0.0)  # a quarter turn
    move[:2, 3] = 10.0, 0.0
    estimator.put_moved(
        estimator.take(), lambda numbers: np.broadcast_to(move, (len(numbers), 4, 4))
    )
    after = estimator.grid(0.0)
    known = np.argwhere(before.data != UNKNOWN)
    x, y = before.centers_of(known).T
    moved = [after.state_at(10.0 - b, a) for a, b in zip(x, y, strict=True)]
    assert moved == before.data[tuple(known.T)].tolist()
    assert np.count_nonzero(after.data != UNKNOWN) == len(known)


def test_blocks_are_bounded_and_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(occupancy_map, "MOST_BLOCKS", 6)
    estimator = OccupancyMap(DepthConfig())
    frames = frames_at(room(), turning(0.0, 0.0))
    for frame in frames:
        estimator.add(frame, frame.number, 0.0)
    estimator.take_changes()
    for frame in frames:
        rotation, place = frame.world_T_camera.rotation, frame.world_T_camera.translation
        moved = Pose(rotation, place + np.array([100.0, 0.0, 0.0]))
        estimator.add(replace(frame, world_T_camera=moved), frame.number + 100, 0.0)
    assert len(estimator) <= 6
    assert any(record.block is None for record in estimator.take_changes())


def test_only_blocks_that_say_something_else_are_written():
    estimator = mapped(room(), turning(0.0, 0.0))
    records = estimator.take_changes()
    assert records
    assert estimator.take_changes() == ()
    for frame in frames_at(room(), turning(0.0, 0.0))[:3]:
        estimator.add(frame, frame.number, 0.0)
    assert len(estimator.take_changes()) < len(records)
    estimator.give_back(records)
    assert {(r.x, r.y) for r in estimator.take_changes()} == {(r.x, r.y) for r in records}


def test_stored_blocks_are_the_same_and_damaged_ones_are_refused():
    estimator = mapped(room(table()), turning(0.3, 0.3))
    records = estimator.take_changes()
    other = OccupancyMap(DepthConfig())
    packed = {(r.x, r.y): pack_block(r.block) for r in records if r.block}
    other.restore({key: unpack_block(block) for key, block in packed.items()})
    assert (other.grid(0.0).data == estimator.grid(0.0).data).all()
    assert other.take_changes() == ()
    first = next(iter(packed.values()))
    whole = pack_block(unpack_block(first))
    assert zlib.decompress(whole) == zlib.decompress(first)
    for damaged in (b"", first[:-9], b"y" + first[1:], zlib.compress(bytes(10)),
                    zlib.compress(b"\xff" * len(zlib.decompress(first))),
                    zlib.compress(bytes(10**7))):  # fmt: skip
        with pytest.raises(SceneMemoryError):
            unpack_block(damaged)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.05, 0.6))
def test_where_a_robot_fits_all_floor_within_its_radius_is_free(seed: int, radius_m: float):
    rng = np.random.default_rng(seed)
    data = rng.choice([FREE, OCCUPIED, UNKNOWN], (40, 50), p=(0.97, 0.02, 0.01)).astype(np.int8)
    grid = OccupancyGrid(0.05, (-1.0, 2.0), data, np.zeros(data.shape, np.float32), 0.0)
    fits = np.argwhere(grid.fits(radius_m))
    barred = np.argwhere(np.pad(data, 20, constant_values=UNKNOWN) != FREE) - 20
    for row, column in fits[:: max(1, len(fits) // 20)]:
        # Between squares of one cell each: whatever point of it the robot stands on.
        gap = np.maximum(0, np.abs(barred - (row, column)) - 1) * 0.05
        assert np.hypot(*gap.T).min() >= radius_m - 1e-6


def test_memory_keeps_its_grid(tmp_path):
    sequence = simulate(1, 60, Sensors(320, 240))
    config = SceneMindConfig()
    with Memory.create(tmp_path / "room", config) as memory:
        with pytest.raises(SceneMemoryError, match="no floor"):
            memory.occupancy()
        mapper = Mapper(InstanceCamera(sequence.room.class_names), memory, config)
        for frame in read_sequence(sequence):
            mapper.process(frame)
        before = memory.occupancy()
        assert memory.occupancy() is before
    with Memory.open(tmp_path / "room", config) as memory:
        after = memory.occupancy()
    assert np.count_nonzero(before.data == FREE) > 2000
    assert after.origin == before.origin
    assert (after.data == before.data).all()
