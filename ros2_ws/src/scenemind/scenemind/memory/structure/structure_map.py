"""Floor, walls and ceiling, refined while the camera moves.

The method is one of votes (Hough): tiles that face up vote for heights, upright ones for
directions and offsets. It assumes one storey with a level floor, walls of any direction, and a
z-up world. Planes keep their ids while they are refined.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.memory.frame_corrections import FrameCorrections, moved_box
from scenemind.memory.frames_first import give_way
from scenemind.memory.structure.planes import (
    FoundPlane,
    ceiling_plane,
    find_ceiling_z,
    find_floor_z,
    floor_plane,
)
from scenemind.memory.structure.tiles import TILE_M, Tiles, sample_surfaces
from scenemind.memory.structure.walls import find_walls
from scenemind.memory.types import StructureKind, StructurePlane

FLOOR_ID, CEILING_ID = -1, -2
FIRST_WALL_ID = -3
# Largest differences between two measurements of one wall.
_SAME_COSINE = float(np.cos(np.deg2rad(15.0)))
_SAME_OFFSET_M = 0.3
# Smallest changes that give a plane a new value; smaller ones are noise.
_MOVED_M, _CORNER_M = 0.01, 0.05
_SEEN_FACTOR = 1.25


def _with_ids(
    found: Iterable[FoundPlane], known: Sequence[StructurePlane], next_id: int
) -> tuple[tuple[StructurePlane, ...], int]:
    """The planes with the ids of matching known ones, or with new ids.

    A plane that hardly differs from the known one is replaced by the known value.

    Args:
        known: planes of the previous search.
        next_id: id of the next new wall; ids decrease.

    Returns:
        The planes, floor first, then ceiling, then walls as they were found; the next free id.
    """
    found = list(found)
    walls = [plane for plane in found if plane.kind == "wall"]
    ids = _wall_ids(walls, [p for p in known if p.kind == "wall"])
    numbered = []
    for plane in found:
        if plane.kind != "wall":
            numbered.append((FLOOR_ID if plane.kind == "floor" else CEILING_ID, plane))
    for number, wall in enumerate(walls):
        plane_id = ids.get(number, next_id)
        next_id -= plane_id == next_id
        numbered.append((plane_id, wall))
    by_id = {plane.plane_id: plane for plane in known}
    planes = tuple(
        _updated(by_id.get(plane_id), plane_id, plane)
        for plane_id, plane in sorted(numbered, key=lambda item: -item[0])
    )
    return planes, next_id


def _wall_ids(walls: Sequence[FoundPlane], known: Sequence[StructurePlane]) -> dict[int, int]:
    """Number of the wall -> id of the known wall that it overlaps most; each once."""
    if not walls or not known:
        return {}
    overlap_m = _overlaps_m(walls, known)
    pairs = np.argwhere(overlap_m > 0.0)
    order = np.argsort(-overlap_m[pairs[:, 0], pairs[:, 1]], kind="stable")
    ids: dict[int, int] = {}
    taken: set[int] = set()
    for number, column in pairs[order].tolist():
        plane_id = known[column].plane_id
        if number not in ids and plane_id not in taken:
            ids[number] = plane_id
            taken.add(plane_id)
    return ids


def _overlaps_m(
    walls: Sequence[FoundPlane], known: Sequence[StructurePlane]
) -> NDArray[np.float64]:
    """(walls, known): the length that both share along the known wall; 0 where they are not the
    same plane."""
    normals = np.array([plane.normal for plane in known])
    centers = np.array([plane.box.center for plane in known])
    apart = np.array([wall.box.center for wall in walls])[:, None] - centers
    same = np.array([wall.normal for wall in walls]) @ normals.T >= _SAME_COSINE
    same &= np.abs((apart * normals).sum(axis=2)) <= _SAME_OFFSET_M
    directions = np.column_stack((-normals[:, 1], normals[:, 0], np.zeros(len(normals))))
    between_m = np.abs((apart * directions).sum(axis=2))
    lengths = np.array([wall.box.size[0] for wall in walls])[:, None]
    others = np.array([plane.box.size[0] for plane in known])
    shared_m = np.minimum(np.minimum(lengths, others), (lengths + others) / 2.0 - between_m)
    return np.where(same, shared_m, 0.0)


def _updated(known: StructurePlane | None, plane_id: int, plane: FoundPlane) -> StructurePlane:
    if known is not None and not _differs(plane, known):
        return known
    return StructurePlane(plane_id, plane.kind, plane.box, plane.normal, plane.seen_m2)


def _differs(plane: FoundPlane, known: StructurePlane) -> bool:
    moved_m = abs(np.subtract(plane.box.center, known.box.center) @ known.normal)
    return bool(
        moved_m > _MOVED_M
        or plane.seen_m2 > _SEEN_FACTOR * known.seen_m2
        or _corners_moved_m(plane.box, known.box) > _CORNER_M
    )


def _corners_moved_m(a: Box3D, b: Box3D) -> float:
    """Largest distance of a corner from the nearest corner of the other box. Corners may be in
    another order, because the line of a wall has no direction."""
    apart = np.linalg.norm(a.corners()[:, None] - b.corners()[None], axis=2)
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))


_KINDS: tuple[StructureKind, ...] = ("floor", "wall", "ceiling")
_STEPS = 256  # of a tile's place within its voxel: 0.4 mm
_NORMAL_STEPS = 127
_MOST_BEFORE = 65_535  # frames; a tile of a longer time is as one of this
# The packed state: a head, then planes, then tiles by ascending key.
_HEAD = np.dtype([("next_wall_id", "<i4"), ("planes", "<i4"), ("tiles", "<i4")])
_PLANE = np.dtype(
    [
        *(("id", "<i4"), ("kind", "<i4"), ("center", "<f8", (3,)), ("size", "<f8", (3,))),
        *(("yaw", "<f8"), ("normal", "<f8", (3,)), ("seen_m2", "<f8")),
    ]
)
_TILE = np.dtype(
    [
        *(("key", "<i8"), ("within", "u1", (3,)), ("normal", "i1", (3,)), ("weight", "<f2")),
        *(("frame", "<i4"), ("frames_before", "<u2")),
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class PackedStructure:
    """Tiles and planes with the id of the next new wall."""

    tiles: Tiles
    planes: tuple[StructurePlane, ...]
    next_wall_id: int


def pack(structure: PackedStructure) -> bytes:
    """Tiles are rounded, planes are not."""
    known = structure.tiles
    within = known.points / np.float32(TILE_M)
    within -= np.floor(within)
    tiles = np.empty(len(known), _TILE)
    tiles["key"] = known.keys
    tiles["within"] = np.minimum(within * _STEPS, _STEPS - 1)
    tiles["normal"] = np.clip(
        np.rint(known.normals * float(_NORMAL_STEPS)), -_NORMAL_STEPS, _NORMAL_STEPS
    )
    tiles["weight"], (first, tiles["frame"]) = known.weights, known.frames.T
    tiles["frames_before"] = np.minimum(tiles["frame"] - first, _MOST_BEFORE)
    planes = np.array([_packed(plane) for plane in structure.planes], _PLANE)
    head = np.array([(structure.next_wall_id, len(planes), len(tiles))], _HEAD)
    return head.tobytes() + planes.tobytes() + tiles.tobytes()


def unpack(packed: bytes) -> PackedStructure:
    """The inverse of `pack`.

    Raises:
        SceneMemoryError: the bytes are damaged, or no estimator's.
    """
    try:
        next_wall_id, plane_count, tile_count = np.frombuffer(packed, _HEAD, 1)[0].tolist()
        first_tile = _HEAD.itemsize + plane_count * _PLANE.itemsize
        if min(plane_count, tile_count) < 0 or next_wall_id > FIRST_WALL_ID:
            raise ValueError("its head cannot be")
        if first_tile + tile_count * _TILE.itemsize != len(packed):
            raise ValueError("it has another length")
        planes = np.frombuffer(packed, _PLANE, plane_count, _HEAD.itemsize).tolist()
        tiles = _tiles(np.frombuffer(packed, _TILE, tile_count, first_tile))
        return PackedStructure(tiles, tuple(_plane(*values) for values in planes), next_wall_id)
    except ValueError as error:
        raise SceneMemoryError(
            f"the stored floor, walls and ceiling ({len(packed)} bytes) are damaged: {error}"
        ) from error


def _tiles(packed: NDArray[np.void]) -> Tiles:
    tiles = Tiles()
    tiles.keys = np.ascontiguousarray(packed["key"])
    tiles.weights = packed["weight"].astype(np.float32)
    last = packed["frame"].astype(np.int32)
    tiles.frames = np.stack((last - packed["frames_before"], last), axis=1)
    if (tiles.frames < 0).any():
        raise ValueError("its tiles have frames that cannot be")
    if not (tiles.keys[1:] > tiles.keys[:-1]).all():
        raise ValueError("its tiles are in another order")
    if not (np.isfinite(tiles.weights) & (tiles.weights > 0.0)).all():
        raise ValueError("its tiles have weights that cannot be")
    within = (packed["within"].astype(np.float32) + np.float32(0.5)) / np.float32(_STEPS)
    tiles.points = (tiles.voxels() + within) * np.float32(TILE_M)
    tiles.normals = packed["normal"].astype(np.float32) / np.float32(_NORMAL_STEPS)
    return tiles


def _packed(plane: StructurePlane) -> tuple[Any, ...]:
    box, kind = plane.box, _KINDS.index(plane.kind)
    return plane.plane_id, kind, box.center, box.size, box.yaw, plane.normal, plane.seen_m2


def _plane(
    plane_id: int,
    kind: int,
    center: list[float],
    size: list[float],
    yaw: float,
    normal: list[float],
    seen_m2: float,
) -> StructurePlane:
    if not (
        plane_id < 0
        and 0 <= kind < len(_KINDS)
        and all(map(math.isfinite, (*center, *size, yaw, *normal, seen_m2)))
    ):
        raise ValueError("a plane that cannot be")
    (x, y, z), (length, width, height), (a, b, c) = center, size, normal
    box = Box3D((x, y, z), (length, width, height), yaw)
    return StructurePlane(plane_id, _KINDS[kind], box, (a, b, c), seen_m2)


# Planes are searched again after this growth of the tiles, or after so many frames, which are more
# if there are many tiles; and when the camera has stood still for so many frames.
_GROWTH = 1.1
_LEAST_FRAMES, _MOST_FRAMES, _TILES_A_FRAME = 4, 16, 1000
_STILL_FRAMES = 10
# The shake of poses that counts: 2 cm at 3 m; what is less is lost in voxels and in depth. How many
# jumps tell it, and its standard deviation by their median, of a frame from the mean of two others.
_LEAST_SHAKE_RAD = 0.006
_LEAST_JUMPS, _MOST_JUMPS, _OF_MEDIAN = 8, 64, 1.4826 / math.sqrt(1.5)
_WRITE_GROWTH = 1.05  # tiles, before they are written again with the planes unchanged


class StructureMap:
    """The estimator of floor, walls and ceiling. Not thread-safe: its owner holds a lock.

    A frame costs a millisecond or two. A search for planes takes some ten; it is put off to a frame
    whose camera has hardly moved, which has less other work, but at most to the next frame whose
    camera has moved. RAM is bounded (`tiles.MOST_TILES`).
    """

    def __init__(self, depth: DepthConfig) -> None:
        """
        Args:
            depth: the range that counts as measured.
        """
        self._depth = depth
        self._tiles = Tiles()
        self._planes: tuple[StructurePlane, ...] = ()
        self._next_wall_id = FIRST_WALL_ID
        self._looked_at = 0  # tiles there were when planes were looked for
        self._frames_since = 0  # that were added since then
        self._still_frames = 0
        self._written = 0  # tiles that were written
        self._is_unwritten = False
        self._tilts: list[float] = []  # of the last frames, at most three
        self._jumps: deque[float] = deque(maxlen=_MOST_JUMPS)  # of a frame from its neighbours
        self._shake_rad = 0.0

    @property
    def shake_rad(self) -> float:
        """How much the poses of single frames shake: the standard deviation of their turn about an
        axis, by how level surfaces jump between neighbouring frames. 0 until some were seen again,
        and where it is less than voxels show."""
        return self._shake_rad

    @property
    def planes(self) -> tuple[StructurePlane, ...]:
        """Floor, ceiling, walls; the same values until something noticeable changes."""
        return self._planes

    @property
    def floor_z(self) -> float | None:
        """Height of the floor; None until it was found."""
        return next((p.box.center[2] for p in self._planes if p.kind == "floor"), None)

    def add(self, frame: RGBDFrame, number: int) -> bool:
        """Add one frame, best of a camera that has moved since the last one.

        Args:
            number: of the frame in the memory.

        Returns:
            True if the planes changed.
        """
        is_overdue = self._is_due()
        viewer = frame.world_T_camera.translation
        self._note_tilt(self._tiles.add(sample_surfaces(frame, self._depth), number, viewer))
        self._frames_since += 1
        self._still_frames = 0
        return is_overdue and self._look()

    def _note_tilt(self, tilt: float | None) -> None:
        self._tilts = [] if tilt is None else [*self._tilts[-2:], tilt]
        if len(self._tilts) < 3:
            return
        before, at, after = self._tilts  # drift and slow errors are alike in all three
        self._jumps.append(abs(at - (before + after) / 2.0))
        if len(self._jumps) >= _LEAST_JUMPS:
            shake_rad = _OF_MEDIAN * float(np.median(self._jumps))
            self._shake_rad = shake_rad if shake_rad > _LEAST_SHAKE_RAD else 0.0

    def frozen(self) -> StructureMap:
        """A copy that does not change when this one does."""
        other = copy(self)
        other._tiles = copy(self._tiles)
        for column in ("keys", "points", "normals", "weights", "frames"):
            setattr(other._tiles, column, getattr(self._tiles, column).copy())
        return other

    def correct(self, corrections: FrameCorrections) -> None:
        """Move all tiles as their frames, after poses were corrected, and look for planes again."""
        # A plane is known again where its middle is now.
        (move,) = corrections.of_frames([self._middle_frame()])
        self._planes = tuple(_moved(plane, move) for plane in self._planes)
        self._tiles = self._tiles.corrected(corrections)
        give_way(to_long_step=True)
        self._look()
        self._is_unwritten = True

    def take_over(self, prepared: StructureMap, corrections: FrameCorrections) -> None:
        """Be as a copy that was corrected, with what frames have added meanwhile."""
        self._tiles = self._tiles.corrected(corrections)
        self._planes, self._next_wall_id = prepared._planes, prepared._next_wall_id
        self._looked_at, self._is_unwritten = len(self._tiles), True

    def absorb(self, other: PackedStructure, corrections: FrameCorrections) -> None:
        """Take over the tiles of another map, moved as its frames."""
        self._tiles = self._tiles.joined(other.tiles.corrected(corrections))
        self._look()
        self._is_unwritten = True

    def _middle_frame(self) -> int:
        return int(np.median(self._tiles.frames[:, 1])) if len(self._tiles) else 0

    def stand_still(self) -> bool:
        """Note a frame whose camera has hardly moved, in place of `add`.

        Returns:
            True if the planes changed.
        """
        self._still_frames += 1
        is_last = self._still_frames == _STILL_FRAMES and self._frames_since > 0
        return (is_last or self._is_due()) and self._look()

    def restore(self, stored: PackedStructure | None) -> None:
        """Continue a state; None: nothing is known yet."""
        if stored is None:
            return
        self._tiles, self._planes = stored.tiles, stored.planes
        self._next_wall_id = stored.next_wall_id
        self._looked_at = self._written = len(self._tiles)

    def take_changes(self) -> bytes | None:
        """The packed state to write to disk; None if it is unchanged."""
        if not self._is_unwritten:
            return None
        self._is_unwritten = False
        self._written = len(self._tiles)
        return pack(PackedStructure(self._tiles, self._planes, self._next_wall_id))

    def give_back(self, packed: bytes | None) -> None:
        """Return changes that could not be written: the next `take_changes` includes them."""
        self._is_unwritten |= packed is not None

    def _is_due(self) -> bool:
        grown = len(self._tiles) > _GROWTH * self._looked_at
        if not self._planes:
            return grown
        many = len(self._tiles) // _TILES_A_FRAME
        return self._frames_since >= max(_LEAST_FRAMES if grown else _MOST_FRAMES, many)

    def _look(self) -> bool:
        self._looked_at, self._frames_since = len(self._tiles), 0
        before = self._planes
        self._planes, self._next_wall_id = _with_ids(
            find_planes(self._tiles), before, self._next_wall_id
        )
        changed = self._planes != before
        self._is_unwritten |= changed or len(self._tiles) > _WRITE_GROWTH * self._written
        return changed


def _moved(plane: StructurePlane, matrix: NDArray[np.float64]) -> StructurePlane:
    a, b, c = (matrix[:3, :3] @ np.asarray(plane.normal)).tolist()
    return replace(plane, box=moved_box(plane.box, matrix), normal=(a, b, c))


def find_planes(tiles: Tiles) -> list[FoundPlane]:
    """Floor, ceiling and walls, as far as they were seen."""
    floor_z = find_floor_z(tiles)
    ceiling_z = None if floor_z is None else find_ceiling_z(tiles, floor_z)
    walls = find_walls(tiles, floor_z, ceiling_z)
    # Rooms are rectangles more often than not: floor and ceiling lie as the longest wall does.
    yaw = math.remainder(walls[0].box.yaw, math.pi / 2.0) if walls else 0.0
    planes = []
    if floor_z is not None:
        planes.append(floor_plane(tiles, floor_z, yaw))
    if ceiling_z is not None:
        planes.append(ceiling_plane(tiles, ceiling_z, yaw))
    return planes + walls
