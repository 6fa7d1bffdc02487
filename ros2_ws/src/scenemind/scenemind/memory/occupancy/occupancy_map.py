"""The estimator of free and occupied floor, online from depth.

A cell of the floor is a column of voxels from the floor to above a robot's height. Points of depth
fill voxels. A look past a voxel's point, to something behind it, empties it again, as rays do in
occupancy grids (Moravec and Elfes 1985); here the cells and points in view are projected into the
image, which costs one look a cell and leaves no gaps between rays. A column is free if a ray passed
low over its floor and none of its voxels holds anything.

Cells are kept in blocks. Each notes the last frame that changed it: when poses are corrected, it
moves as that frame does.
"""

from __future__ import annotations

import logging
import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.occupancy.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid

_log = logging.getLogger(__name__)
CELL_M = 0.05
FARTHEST_M = 4.0  # along the optical axis: beyond, samples are further apart than cells
MOST_BLOCKS = 512  # of 10 m2 and 90 kB; the one that was seen longest ago makes room
_SIDE = 64  # cells
_CELLS = _SIDE * _SIDE
_LAYERS, _LAYER_M = 8, 0.2
LOWEST_M = 0.05  # lower things are floor: door sills, carpets, noise
HIGHEST_M = LOWEST_M + _LAYERS * _LAYER_M
_PASSED_M = 0.1  # height of a ray over floor that is free
_SAMPLES_ACROSS = 80  # pixels of the image that are used, along each row
# Depth noise grows with the square of the distance.
_LOWEST_AT_1M_M = 0.004
# What is behind a point is so much further away, at least and at 1 m: behind a place low over
# the floor, and behind where something stood.
_OVER, _BEHIND = (0.02, 0.01), (0.03, 0.01)
_HIT, _PASS, _MOST = 2, 2, 10
_SURE = 4  # two frames
_FURTHEST_PLACE_M = 1e6  # odometry that says more is broken
_GRID_BLOCKS = 32  # each way from the newest one: 205 m in all
_NEAREST_M = 0.1
_STEPS = 256  # of a point's height in its voxel
BlockKey = tuple[int, int]
"""x and y of a block, in blocks from the origin."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Evidence of a block: cells row by row, y first.

    Attributes:
        passed: (cells,) uint8: 1 where a ray passed low.
        frames: (cells,) int32: numbers of the last frames that changed the cells.
        scores: (cells, layers) uint8: 0 nothing, from `_SURE` on occupied.
        heights: (cells, layers) uint8: height of the last point within its voxel.
    """

    passed: NDArray[np.uint8]
    frames: NDArray[np.int32]
    scores: NDArray[np.uint8]
    heights: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class BlockRecord:
    """A block to store.

    Attributes:
        x, y: of the block, in blocks from the origin.
        block: None: it is forgotten.
    """

    x: int
    y: int
    block: Block | None


PACKED = np.dtype(
    [
        *(("passed", "u1"), ("frame", "<i4")),
        *(("scores", "u1", (_LAYERS,)), ("heights", "u1", (_LAYERS,))),
    ]
)


def pack_block(block: Block) -> bytes:
    """A block as bytes; takes about 0.4 ms."""
    cells = np.empty(_CELLS, PACKED)
    cells["passed"], cells["frame"] = block.passed, block.frames
    cells["scores"], cells["heights"] = block.scores, block.heights
    return zlib.compress(cells.tobytes(), 1)


def unpack_block(packed: bytes) -> Block:
    """The inverse of `pack_block`.

    Raises:
        SceneMemoryError: the bytes are damaged, or no block's.
    """
    size = _CELLS * PACKED.itemsize
    try:
        opened = zlib.decompressobj()
        data = opened.decompress(packed, size)  # what unpacks to more is not unpacked
    except zlib.error as error:
        raise SceneMemoryError(f"a block of floor cannot be unpacked: {error}") from error
    if len(data) != size or not opened.eof:
        raise SceneMemoryError("a block of floor has another length")
    cells = np.frombuffer(data, PACKED)
    scores, frames = cells["scores"], cells["frame"]
    if cells["passed"].max() > 1 or scores.max() > _MOST or frames.min() < 0:
        raise SceneMemoryError("a block of floor holds values that cannot be")
    return Block(
        cells["passed"].copy(), frames.astype(np.int32), scores.copy(), cells["heights"].copy()
    )


class OccupancyMap:
    """Not thread-safe: its owner holds a lock.

    Attributes:
        revision: grows whenever the evidence changes.
    """

    def __init__(self, depth: DepthConfig) -> None:
        """
        Args:
            depth: the range that counts as measured.
        """
        self._depth = depth
        self.revision = 0
        self._slots: dict[tuple[int, int], int] = {}  # the least recently changed first
        # Slot 0 stays empty: it stands for blocks that are not there.
        self._passed = np.zeros((1, _CELLS), np.uint8)
        self._frames = np.zeros((1, _CELLS), np.int32)
        self._scores = np.zeros((1, _CELLS, _LAYERS), np.uint8)
        self._heights = np.zeros((1, _CELLS, _LAYERS), np.uint8)
        self._written: dict[tuple[int, int], bytes] = {}  # state as it was written
        self._changed: set[tuple[int, int]] = set()
        self._forgotten: set[tuple[int, int]] = set()

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self._slots)

    def add(self, frame: RGBDFrame, number: int, floor_z: float | None) -> None:
        """Add one frame, best of a camera that has moved since the last one.

        Args:
            number: of the frame in the memory.
            floor_z: height of the floor, world, metres; None: not known yet, and nothing is added.
        """
        eye = frame.world_T_camera.translation
        if floor_z is None or not np.abs(eye).max() < _FURTHEST_PLACE_M:
            return
        view = _View(frame, self._depth, floor_z)
        near = _Neighbourhood(self._slots, eye)
        self._pass_over(view, near, number)
        self._look_through(view, near, number)
        self._fill(view, near, number)
        self.revision += 1

    def _pass_over(self, view: _View, near: _Neighbourhood, number: int) -> None:
        """Note the cells over which rays pass low."""
        cells = view.floor_cells()
        slots, within = near.find(cells)
        new = self._passed[slots, within] == 0
        cells, slots, within = cells[new], slots[new], within[new]
        passed = view.sees_past(cells.astype(np.float32), _PASSED_M, _OVER)
        if not passed.any():
            return
        if not slots[passed].all():
            self._make(near, cells[passed])
            slots, within = near.find(cells)
        slots, within = slots[passed], within[passed]
        self._passed[slots, within] = 1
        self._frames[slots, within] = number

    def _look_through(self, view: _View, near: _Neighbourhood, number: int) -> None:
        """Take from the voxels whose points the camera looks past."""
        blocks = near.blocks(view.reach)
        if not blocks:
            return
        keys, slots = zip(*blocks, strict=True)
        block, voxel = np.divmod(np.flatnonzero(self._scores[list(slots)] > 0), _CELLS * _LAYERS)
        cell, layer = np.divmod(voxel, _LAYERS)
        row, column = np.divmod(cell, _SIDE)
        corner = np.array(keys)[block] * _SIDE
        at = np.array(slots)[block], cell, layer
        within = (self._heights[at] + np.float32(0.5)) / np.float32(_STEPS)
        past = view.sees_past(
            np.column_stack((corner[:, 0] + column, corner[:, 1] + row)).astype(np.float32),
            LOWEST_M + (layer + within) * np.float32(_LAYER_M),
            _BEHIND,
        )
        at = at[0][past], cell[past], layer[past]
        scores = self._scores[at]
        self._scores[at] = scores - np.minimum(scores, _PASS)
        self._frames[at[:2]] = number
        for changed in np.unique(block[past]).tolist():
            self._note(keys[changed])

    def _fill(self, view: _View, near: _Neighbourhood, number: int) -> None:
        """Add to the voxels that hold points."""
        places, heights = view.obstacles()
        if not len(places):
            return
        cells = np.floor(places * np.float32(1.0 / CELL_M)).astype(np.int64)
        slots, within = near.find(cells)
        if not slots.all():
            self._make(near, cells[slots == 0])
            slots, within = near.find(cells)
        layers, rest = np.divmod((heights - LOWEST_M) * np.float32(1.0 / _LAYER_M), 1.0)
        at = slots, within, layers.astype(np.int64)
        self._scores[at] = np.minimum(self._scores[at] + _HIT, _MOST)
        self._heights[at] = (rest * _STEPS).astype(np.uint8)
        self._frames[slots, within] = number
        for key in near.keys_of(np.unique(slots)):
            self._note(key)

    def _make(self, near: _Neighbourhood, cells: NDArray[np.int64]) -> None:
        """Make the blocks of these cells (N, 2) that are not there."""
        for x, y in np.unique(cells // _SIDE, axis=0).tolist():
            if (x, y) not in self._slots:
                self._new_slot((x, y))
            self._note((x, y))
        near.look_up(self._slots)

    def _new_slot(self, key: tuple[int, int]) -> int:
        if len(self._slots) == MOST_BLOCKS:
            oldest = next(iter(self._slots))
            if not self._forgotten:
                _log.info("more than %d blocks of floor: the oldest are forgotten", MOST_BLOCKS)
            slot = self._slots.pop(oldest)
            self._changed.discard(oldest)
            self._written.pop(oldest, None)
            self._forgotten.add(oldest)
            for pool in (self._passed, self._frames, self._scores, self._heights):
                pool[slot] = 0
        else:
            slot = len(self._slots) + 1
            if slot == len(self._passed):
                more = min(2 * slot, MOST_BLOCKS + 1) - slot
                self._passed, self._frames, self._scores, self._heights = (
                    np.concatenate((pool, np.zeros((more, *pool.shape[1:]), pool.dtype)))
                    for pool in (self._passed, self._frames, self._scores, self._heights)
                )
        self._slots[key] = slot
        self._forgotten.discard(key)
        return slot

    def _note(self, key: tuple[int, int]) -> None:
        """A block has changed."""
        if key in self._slots:
            self._slots[key] = self._slots.pop(key)  # now the most recent one
            self._changed.add(key)

    def take(self) -> dict[BlockKey, Block]:
        """Empty the map; its blocks, for `put_moved`."""
        before = {key: self._block(slot) for key, slot in self._slots.items()}
        self._forgotten |= before.keys()
        self._slots, self._written, self._changed = {}, {}, set()
        for pool in (self._passed, self._frames, self._scores, self._heights):
            pool[:] = 0
        self.revision += 1
        return before

    def put_moved(
        self,
        blocks: Mapping[BlockKey, Block],
        matrices_of: Callable[[NDArray[np.int32]], NDArray[np.float64]],
    ) -> None:
        """Add the cells of blocks, moved as the frames that changed them last: rigidly, by
        stretches of frames.

        Args:
            matrices_of: numbers of frames (N,) -> (N, 4, 4): corrected world from former world.
        """
        for key, block in blocks.items():
            known = np.flatnonzero(block.passed | block.scores.any(axis=1))
            if len(known):
                self._put_moved(key, block, known, matrices_of(block.frames[known]))
        self.revision += 1

    def _put_moved(
        self,
        key: BlockKey,
        block: Block,
        known: NDArray[np.intp],
        matrices: NDArray[np.float64],
    ) -> None:
        rows, columns = np.divmod(known, _SIDE)
        corner = np.column_stack((key[0] * _SIDE + columns, key[1] * _SIDE + rows))
        # Quarters of cells: turned cells leave no gaps.
        for quarter in ((0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)):
            places = (corner + quarter) * CELL_M
            moved = np.einsum("nij,nj->ni", matrices[:, :2, :2], places) + matrices[:, :2, 3]
            cells = np.floor(moved / CELL_M).astype(np.int64)
            blocks, at = np.divmod(cells, _SIDE)
            for x, y in np.unique(blocks, axis=0).tolist():
                if (x, y) not in self._slots:
                    self._new_slot((x, y))
                self._note((x, y))
                here = np.flatnonzero((blocks == (x, y)).all(axis=1))
                slot, own = self._slots[x, y], at[here, 1] * _SIDE + at[here, 0]
                of = known[here]
                np.maximum.at(self._passed[slot], own, block.passed[of])
                np.maximum.at(self._frames[slot], own, block.frames[of])
                higher = block.scores[of] > self._scores[slot, own]
                self._heights[slot, own] = np.where(
                    higher, block.heights[of], self._heights[slot, own]
                )
                np.maximum.at(self._scores[slot], own, block.scores[of])

    def grid(self, floor_z: float) -> OccupancyGrid:
        """The grid now; at most 205 m wide, around what changed last."""
        keys = list(self._slots)
        if keys:
            newest = np.array(keys[-1])
            apart = np.abs(np.array(keys) - newest).max(axis=1)
            keys = [key for key, far in zip(keys, apart, strict=True) if far < _GRID_BLOCKS]
        low = np.min(keys, axis=0) if keys else np.zeros(2, np.int64)
        columns, rows = (np.max(keys, axis=0) - low + 1).tolist() if keys else (0, 0)
        data = np.full((rows * _SIDE, columns * _SIDE), UNKNOWN, np.int8)
        top_m = np.zeros(data.shape, np.float32)
        for key in keys:
            column, row = ((key - low) * _SIDE).tolist()
            at = slice(row, row + _SIDE), slice(column, column + _SIDE)
            slot = self._slots[key]
            data[at] = _states(self._passed[slot], self._scores[slot]).reshape(_SIDE, _SIDE)
            top_m[at] = self._tops(slot).reshape(_SIDE, _SIDE)
        x, y = (low * (_SIDE * CELL_M)).tolist()
        return OccupancyGrid(CELL_M, (x, y), data, top_m, floor_z)

    def _tops(self, slot: int) -> NDArray[np.float32]:
        """(cells,): height of the highest point of occupied voxels above the floor; 0: none."""
        within = (self._heights[slot] + np.float32(0.5)) / np.float32(_STEPS)
        heights = LOWEST_M + (np.arange(_LAYERS, dtype=np.float32) + within) * np.float32(_LAYER_M)
        tops: NDArray[np.float32] = np.where(self._scores[slot] >= _SURE, heights, 0.0).max(axis=1)
        return tops

    def restore(self, blocks: Mapping[tuple[int, int], Block]) -> None:
        """Continue with stored blocks; of too many, those that changed last."""
        newest = sorted(blocks.items(), key=lambda item: int(item[1].frames.max()))
        for key, block in newest[-MOST_BLOCKS:]:
            slot = self._new_slot(key)
            self._passed[slot], self._frames[slot] = block.passed, block.frames
            self._scores[slot], self._heights[slot] = block.scores, block.heights
            self._written[key] = self._state(key)
        self._forgotten |= {key for key, _ in newest[:-MOST_BLOCKS]}
        self.revision += 1

    def take_changes(self) -> tuple[BlockRecord, ...]:
        """Blocks to write: those that say something else than what was written, and forgotten
        ones. Evidence that changes no cell's state is not worth a write."""
        records = [BlockRecord(x, y, None) for x, y in sorted(self._forgotten)]
        for key in sorted(self._changed):
            state = self._state(key)
            if self._written.get(key) != state:
                self._written[key] = state
                records.append(BlockRecord(*key, self._block(self._slots[key])))
        self._forgotten.clear()
        self._changed.clear()
        return tuple(records)

    def give_back(self, records: Iterable[BlockRecord]) -> None:
        """Return changes that could not be written: the next `take_changes` includes them."""
        for record in records:
            key = record.x, record.y
            if key in self._slots:
                self._written.pop(key, None)
                self._changed.add(key)
            else:
                self._forgotten.add(key)

    def _state(self, key: tuple[int, int]) -> bytes:
        slot = self._slots[key]
        return _states(self._passed[slot], self._scores[slot]).tobytes()

    def _block(self, slot: int) -> Block:
        pools = self._passed, self._frames, self._scores, self._heights
        return Block(*(pool[slot].copy() for pool in pools))


def _states(passed: NDArray[np.uint8], scores: NDArray[np.uint8]) -> NDArray[np.int8]:
    """(cells,): occupied where a voxel is surely filled, free where none may be."""
    most = scores.max(axis=1)
    states = np.where((passed > 0) & (most == 0), FREE, UNKNOWN).astype(np.int8)
    states[most >= _SURE] = OCCUPIED
    return states


class _Neighbourhood:
    """Slots of the blocks around a camera, as a small table."""

    def __init__(self, slots: Mapping[tuple[int, int], int], eye: NDArray[np.float64]) -> None:
        # Two more blocks: depth is bounded along the optical axis, not along the ray.
        reach = int(np.ceil(FARTHEST_M / (_SIDE * CELL_M))) + 2
        self._low = np.floor(eye[:2] / (_SIDE * CELL_M)).astype(np.int64) - reach
        x, y = self._low.tolist()
        self._around = tuple(product(range(x, x + 2 * reach + 1), range(y, y + 2 * reach + 1)))
        self.look_up(slots)

    def look_up(self, slots: Mapping[tuple[int, int], int]) -> None:
        """Blocks were made, or forgotten."""
        found = [slots.get(key, 0) for key in self._around]
        side = math.isqrt(len(found))
        self._table = np.array(found, np.int64).reshape(side, side)
        self._keys = {slot: key for slot, key in zip(found, self._around, strict=True) if slot}

    def find(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Slots (N,) of cells (N, 2) x, y; 0: there is no block. And their places in them."""
        x, y = cells[:, 0] - self._low[0] * _SIDE, cells[:, 1] - self._low[1] * _SIDE
        slots = self._table[x >> 6, y >> 6]
        return slots, (y & (_SIDE - 1)) * _SIDE + (x & (_SIDE - 1))

    def keys_of(self, slots: NDArray[np.int64]) -> list[tuple[int, int]]:
        return [self._keys[slot] for slot in slots.tolist() if slot]

    def blocks(
        self, reach: tuple[NDArray[np.float64], NDArray[np.float64]]
    ) -> list[tuple[tuple[int, int], int]]:
        """Blocks that a rectangle, by its lowest and highest corner, touches."""
        low, high = (np.floor(corner / (_SIDE * CELL_M)) for corner in reach)
        return [
            (key, slot)
            for slot, key in self._keys.items()
            if (key >= low).all() and (key <= high).all()
        ]


def _rays_around() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Angles (N,), ascending, and cells (N, 2) around a cell, as far as the view reaches."""
    side = int(FARTHEST_M / CELL_M)
    x, y = np.mgrid[-side : side + 1, -side : side + 1].reshape(2, -1)
    near = x * x + y * y <= side * side
    angle = np.arctan2(y[near], x[near])
    order = np.argsort(angle, kind="stable")
    cells = np.column_stack((x[near], y[near]))[order]
    return angle[order].astype(np.float32), cells.astype(np.int64)


_ANGLES, _AROUND = _rays_around()


class _View:
    """One frame as the estimator looks at it: every few pixels of it.

    Attributes:
        reach: lowest and highest corner, x and y, of what the frame may show.
    """

    def __init__(self, frame: RGBDFrame, depth: DepthConfig, floor_z: float) -> None:
        every = max(1, frame.camera.width // _SAMPLES_ACROSS)
        self._camera: PinholeCamera = frame.camera.subsampled(every)
        self._pose: Pose = frame.world_T_camera
        self._floor_z = floor_z
        depth_m = np.ascontiguousarray(frame.depth_m[::every, ::every])
        self._depth_m = np.where(depth_m >= depth.min_m, depth_m, np.float32(0.0))  # NaN is not
        self._most_m = min(depth.max_m, FARTHEST_M)
        # The nearest of a pixel and its neighbours: thin things are not looked through.
        self._nearest_m = cv2.erode(self._depth_m, np.ones((3, 3), np.uint8))
        u, v = (
            np.array([-0.5, self._camera.width - 0.5]),
            np.array([-0.5, self._camera.height - 0.5]),
        )
        x = (np.tile(u, 2) - self._camera.cx) / self._camera.fx
        y = (np.repeat(v, 2) - self._camera.cy) / self._camera.fy
        self._corners = np.column_stack((x, y, np.ones(4))) @ self._pose.rotation.T
        eye = self._pose.translation
        ends = np.vstack((eye, eye + self._most_m * self._corners))[:, :2]
        self.reach = ends.min(axis=0), ends.max(axis=0)

    def floor_cells(self) -> NDArray[np.int64]:
        """Cells (N, 2) x, y in the sector that the camera looks at."""
        forward = self._pose.rotation[:2, 2]
        sideways = np.array([-forward[1], forward[0]])
        middle = np.floor(self._pose.translation[:2] / CELL_M).astype(np.int64)
        ahead, aside = self._corners[:, :2] @ forward, self._corners[:, :2] @ sideways
        if (ahead <= 0.0).any():  # the camera looks down: the cell below it may be in view
            return middle + _AROUND
        half = float(np.abs(np.arctan2(aside, ahead)).max())
        heading = float(np.arctan2(forward[1], forward[0]))
        parts = []
        for turn in (-2.0 * np.pi, 0.0, 2.0 * np.pi):
            first, last = np.searchsorted(_ANGLES, (heading - half + turn, heading + half + turn))
            parts.append(_AROUND[first:last])
        return middle + np.concatenate(parts)

    def sees_past(
        self,
        cells: NDArray[np.float32],
        heights_m: NDArray[np.float32] | float,
        margin_m: tuple[float, float],
    ) -> NDArray[np.bool_]:
        """(N,): the camera looks past points in cells (N, 2) x, y at heights (N,) above the floor,
        to something that is behind them by a margin."""
        rotation = self._pose.rotation.astype(np.float32)
        offset = (np.array([0.0, 0.0, self._floor_z]) - self._pose.translation) @ rotation
        along = rotation[:2] * np.float32(CELL_M)
        offset = offset + 0.5 * along.sum(axis=0)  # to the middles of cells
        x, y, z = (
            cells[:, 0] * along[0, axis]
            + cells[:, 1] * along[1, axis]
            + (heights_m * rotation[2, axis] + np.float32(offset[axis]))
            for axis in range(3)
        )
        rows, columns = self._nearest_m.shape
        ahead = (z > _NEAREST_M) & (z < self._most_m)
        safe = np.where(ahead, z, np.float32(1.0))
        u = np.rint(x / safe * np.float32(self._camera.fx) + np.float32(self._camera.cx))
        v = np.rint(y / safe * np.float32(self._camera.fy) + np.float32(self._camera.cy))
        seen = ahead & (u >= 0) & (u < columns) & (v >= 0) & (v < rows)
        at = np.where(seen, v * columns + u, 0.0).astype(np.int64)
        least, at_1m = margin_m
        past: NDArray[np.bool_] = seen & (
            self._nearest_m.ravel()[at] > z + (np.float32(least) + np.float32(at_1m) * z * z)
        )
        return past

    def obstacles(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Points of things between the floor and above a robot: x, y (N, 2) and heights (N,)."""
        rows, columns = np.nonzero((self._depth_m > 0.0) & (self._depth_m <= self._most_m))
        depth_m = self._depth_m[rows, columns]
        points = self._pose.transform(self._camera.unproject(columns, rows, depth_m))
        heights = points[:, 2] - np.float32(self._floor_z)
        lowest = np.float32(LOWEST_M) + np.float32(_LOWEST_AT_1M_M) * depth_m * depth_m
        kept = (heights > lowest) & (heights < HIGHEST_M)
        return points[kept, :2].astype(np.float32), heights[kept].astype(np.float32)
