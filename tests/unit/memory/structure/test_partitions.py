"""Where a wall meets another one."""

from __future__ import annotations

import pytest

from scenemind.memory.structure.partitions import cut_at_partitions
from scenemind.memory.structure.tiles import Tiles
from scenemind.memory.structure.wall_faces import wall_faces

from .surfaces import tiles_of, upright

LONG = upright((0.0, 0.0), (8.0, 0.0), (0.0, 2.4))  # faces +y


def lengths(tiles: Tiles, normal_y: float = 1.0) -> list[float]:
    """Of the parts that face y."""
    faces = wall_faces(tiles.points, tiles.normals)
    parts = cut_at_partitions(faces, faces, tiles.points)
    return sorted(part.length_m for part in parts if part.normal[1] * normal_y > 0.9)


def test_a_partition_makes_two_walls_of_one():
    partition = upright((3.0, 0.1), (3.0, 4.0), (0.0, 2.4))
    assert lengths(tiles_of(LONG, partition)) == pytest.approx([3.0, 5.0], abs=0.15)


def test_one_that_crosses_does_too_and_one_aslant():
    crossing = upright((3.0, 4.0), (3.0, -4.0), (0.0, 2.4))
    assert lengths(tiles_of(LONG, crossing)) == pytest.approx([3.0, 5.0], abs=0.15)
    aslant = upright((3.0, 0.1), (3.8, 4.0), (0.0, 2.4))
    assert lengths(tiles_of(LONG, aslant)) == pytest.approx([3.0, 5.0], abs=0.2)


@pytest.mark.parametrize(
    ("why", "start", "end"),
    [
        ("it ends before the wall", (3.0, 0.8), (3.0, 4.0)),
        ("it is behind the wall", (3.0, -0.2), (3.0, -4.0)),
        ("it is at the wall's end", (7.8, 0.1), (7.8, 4.0)),
        ("it is beyond the wall's end", (9.0, 0.1), (9.0, 4.0)),
        ("it is as short as a wardrobe", (3.0, 0.1), (3.0, 1.2)),
        ("it runs along the wall", (3.0, 0.1), (7.0, 2.1)),
    ],
)
def test_a_wall_is_one_where(why, start, end):
    found = lengths(tiles_of(LONG, upright(start, end, (0.0, 2.4))))
    assert max(found) == pytest.approx(8.0, abs=0.1), why
