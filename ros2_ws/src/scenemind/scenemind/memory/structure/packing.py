"""The tiles and planes as bytes: 16 a tile."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.structure.tiles import TILE_M, Tiles
from scenemind.memory.types import StructureKind, StructurePlane

_KINDS: tuple[StructureKind, ...] = ("floor", "wall", "ceiling")
_STEPS = 256  # of a tile's place within its voxel: 0.4 mm


@dataclass(frozen=True, slots=True, eq=False)
class PackedStructure:
    """What is packed.

    Attributes:
        next_wall_id: for the next new wall.
    """

    tiles: Tiles
    planes: tuple[StructurePlane, ...]
    next_wall_id: int


def pack(structure: PackedStructure) -> bytes:
    """Tiles are rounded, planes are not."""
    tiles = structure.tiles
    within = tiles.points / np.float32(TILE_M)
    within -= np.floor(within)
    file = io.BytesIO()
    np.savez(
        file,
        keys=tiles.keys,
        within=np.minimum(within * _STEPS, _STEPS - 1).astype(np.uint8),
        normals=np.clip(np.rint(tiles.normals * 127.0), -127, 127).astype(np.int8),
        weights=tiles.weights.astype(np.float16),
        planes=np.array([_values(plane) for plane in structure.planes]).reshape(-1, 13),
        next_wall_id=np.array(structure.next_wall_id),
    )
    return file.getvalue()


def unpack(packed: bytes) -> PackedStructure:
    """What `pack` was given.

    Raises:
        SceneMemoryError: these are other bytes.
    """
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            planes = tuple(_plane(values) for values in arrays["planes"].tolist())
            tiles = Tiles()
            tiles.keys = arrays["keys"]
            within = (arrays["within"].astype(np.float32) + 0.5) / _STEPS
            tiles.points = (tiles.voxels() + within) * np.float32(TILE_M)
            tiles.normals = arrays["normals"].astype(np.float32) / 127.0
            tiles.weights = arrays["weights"].astype(np.float32)
            return PackedStructure(tiles, planes, int(arrays["next_wall_id"]))
    except (ValueError, KeyError, IndexError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise SceneMemoryError(
            f"the stored floor, walls and ceiling ({len(packed)} bytes) are damaged: {error}"
        ) from error


def _values(plane: StructurePlane) -> list[float]:
    box = plane.box
    return [
        *(plane.plane_id, _KINDS.index(plane.kind), *box.center, *box.size, box.yaw),
        *(*plane.normal, plane.seen_m2),
    ]


def _plane(values: list[float]) -> StructurePlane:
    plane_id, kind, x, y, z, length, width, height, yaw, *normal, seen_m2 = values
    box = Box3D((x, y, z), (length, width, height), yaw)
    return StructurePlane(
        int(plane_id), _KINDS[int(kind)], box, (normal[0], normal[1], normal[2]), seen_m2
    )
