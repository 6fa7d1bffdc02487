"""To bytes and back."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.structure.identity import FIRST_WALL_ID, identified
from scenemind.memory.structure.packing import PackedStructure, pack, unpack
from scenemind.memory.structure.structure_map import find_planes
from scenemind.memory.structure.tiles import Tiles

from .surfaces import room, tiles_of, turned


def packed_room() -> PackedStructure:
    tiles = tiles_of(*(turned(s, 0.3, (-7.0, 123.0)) for s in room((4.0, 3.0))), noise_m=0.01)
    planes, next_id = identified(find_planes(tiles), (), FIRST_WALL_ID)
    return PackedStructure(tiles, planes, next_id)


def test_planes_come_back_as_they_were_and_tiles_within_a_millimetre():
    room = packed_room()
    packed = pack(room)
    back = unpack(packed)
    assert back.planes == room.planes
    assert len(back.planes) == 5
    assert back.next_wall_id == room.next_wall_id
    assert back.tiles.keys.tolist() == room.tiles.keys.tolist()
    np.testing.assert_allclose(back.tiles.points, room.tiles.points, atol=1e-3)
    np.testing.assert_allclose(back.tiles.normals, room.tiles.normals, atol=0.01)
    np.testing.assert_allclose(back.tiles.weights, room.tiles.weights, rtol=1e-3)
    assert len(packed) < 20 * len(room.tiles) + 3000


def test_packing_what_was_unpacked_gives_the_same_bytes():
    packed = pack(packed_room())
    assert pack(unpack(packed)) == packed


def test_nothing_seen_can_be_packed():
    back = unpack(pack(PackedStructure(Tiles(), (), FIRST_WALL_ID)))
    assert (len(back.tiles), back.planes, back.next_wall_id) == (0, (), FIRST_WALL_ID)


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "changed"])
def test_damaged_bytes_are_an_error_that_says_so(damage):
    whole = pack(packed_room())
    middle = len(whole) // 2
    damaged = {
        "empty": b"",
        "text": b"floor",
        "cut": whole[:middle],
        "changed": whole[:middle] + bytes(64) + whole[middle + 64 :],
    }[damage]
    with pytest.raises(SceneMemoryError, match=rf"{len(damaged)} bytes\) are damaged"):
        unpack(damaged)
