"""Floor, walls and ceiling, refined while the camera moves.

A method of votes (Hough): what faces up votes for heights, what stands upright for directions and
offsets. It takes one storey with a level floor, walls of any direction, and a z-up world.
"""

from __future__ import annotations

import math

from scenemind.config import DepthConfig
from scenemind.frames import RGBDFrame
from scenemind.memory.structure.found_plane import FoundPlane
from scenemind.memory.structure.identity import FIRST_WALL_ID, identified
from scenemind.memory.structure.level_surfaces import (
    ceiling_plane,
    find_ceiling_z,
    find_floor_z,
    floor_plane,
)
from scenemind.memory.structure.packing import PackedStructure, pack, unpack
from scenemind.memory.structure.surface_samples import sample_surfaces
from scenemind.memory.structure.tiles import Tiles
from scenemind.memory.structure.walls import find_walls
from scenemind.memory.types import StructurePlane

# The planes are looked for anew when so many more tiles are known, or after so many frames; more
# where there are many tiles, which take longer. And when the camera stands still for so many.
_GROWTH = 1.1
_LEAST_FRAMES, _MOST_FRAMES, _TILES_A_FRAME = 4, 16, 1000
_STILL_FRAMES = 10
_WRITE_GROWTH = 1.05  # tiles, before they are written again with the planes unchanged


class StructureMap:
    """Not thread-safe: its owner holds a lock.

    A frame costs a millisecond or two. Looking for planes takes some ten; it waits for a frame
    whose camera has hardly moved, which has less to do, but no longer than to the next that has.
    Memory is bounded (`tiles.MOST_TILES`).
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

    @property
    def planes(self) -> tuple[StructurePlane, ...]:
        """Floor, ceiling, walls; the same values until something noticeable changes."""
        return self._planes

    def add(self, frame: RGBDFrame) -> bool:
        """See one frame, best of a camera that has moved since the last one.

        Returns:
            Whether the planes changed.
        """
        is_overdue = self._is_due()
        self._tiles.add(sample_surfaces(frame, self._depth))
        self._frames_since += 1
        self._still_frames = 0
        return is_overdue and self._look()

    def stand_still(self) -> bool:
        """Instead of `add` for a frame whose camera has hardly moved.

        Returns:
            Whether the planes changed.
        """
        self._still_frames += 1
        is_last = self._still_frames == _STILL_FRAMES and self._frames_since > 0
        return (is_last or self._is_due()) and self._look()

    def restore(self, packed: bytes | None) -> None:
        """Go on from what was packed; None: from nothing.

        Raises:
            SceneMemoryError: these are no packed planes.
        """
        if packed is None:
            return
        stored = unpack(packed)
        self._tiles, self._planes = stored.tiles, stored.planes
        self._next_wall_id = stored.next_wall_id
        self._looked_at = self._written = len(self._tiles)

    def take_changes(self) -> bytes | None:
        """What to write to disk; None: nothing new."""
        if not self._is_unwritten:
            return None
        self._is_unwritten = False
        self._written = len(self._tiles)
        return pack(PackedStructure(self._tiles, self._planes, self._next_wall_id))

    def give_back(self, packed: bytes | None) -> None:
        """It could not be written: the next `take_changes` has it again."""
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
        self._planes, self._next_wall_id = identified(
            find_planes(self._tiles), before, self._next_wall_id
        )
        changed = self._planes != before
        self._is_unwritten |= changed or len(self._tiles) > _WRITE_GROWTH * self._written
        return changed


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
