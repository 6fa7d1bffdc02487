"""Floor, walls and ceiling over time: ids, packing, and in a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import DepthConfig, SceneMindConfig, StoreConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import RGBDFrame, open_sequence, read_sequence
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import Box3D, Pose
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.memory.structure.planes import FoundPlane
from scenemind.memory.structure.structure_map import (
    CEILING_ID,
    FIRST_WALL_ID,
    FLOOR_ID,
    PackedStructure,
    StructureMap,
    _with_ids,
    find_planes,
    pack,
    unpack,
)
from scenemind.memory.structure.tiles import Tiles
from scenemind.memory.tree.key_frames import KeyFrameSelector
from scenemind.memory.types import StructureKind, StructurePlane
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import (
    Sensors,
    SimpleDepthNoise,
    SimulatedSequence,
    StereoDepthNoise,
    simulate,
)
from scenemind.simulation.room import Room
from scenemind.simulation.trajectory import look
from tests.unit.memory.structure.surfaces import room, tiles_of, turned
from tests.unit.memory.things import empty_frame


def wall(x: float, y: float, length: float, yaw: float = 0.0, seen_m2: float = 5.0) -> FoundPlane:
    """Its middle is at (x, y), and it faces the left of its direction."""
    normal = (-float(np.sin(yaw)), float(np.cos(yaw)), 0.0)
    return FoundPlane("wall", Box3D((x, y, 1.2), (length, 0.02, 2.4), yaw), normal, seen_m2)


FLOOR = FoundPlane("floor", Box3D((0.0, 0.0, 0.0), (5.0, 4.0, 0.02)), (0.0, 0.0, 1.0), 15.0)
CEILING = FoundPlane("ceiling", Box3D((0.0, 0.0, 2.5), (5.0, 4.0, 0.02)), (0.0, 0.0, -1.0), 9.0)
SOUTH, NORTH = wall(0.0, -2.0, 5.0), wall(0.0, 2.0, 5.0, yaw=np.pi)


def ids(planes) -> list[int]:
    return [plane.plane_id for plane in planes]


def test_floor_and_ceiling_have_ids_of_their_own_and_walls_count_down():
    planes, next_id = _with_ids([FLOOR, CEILING, SOUTH, NORTH], (), FIRST_WALL_ID)
    assert ids(planes) == [FLOOR_ID, CEILING_ID, FIRST_WALL_ID, FIRST_WALL_ID - 1]
    assert [p.kind for p in planes] == ["floor", "ceiling", "wall", "wall"]
    assert next_id == FIRST_WALL_ID - 2


def test_plane_that_hardly_differs_stays_the_same_value():
    before, next_id = _with_ids([FLOOR, SOUTH], (), FIRST_WALL_ID)
    same = [replace(FLOOR, seen_m2=16.0), wall(0.01, -2.005, 5.02, seen_m2=5.5)]
    after, _ = _with_ids(same, before, next_id)
    assert all(a is b for a, b in zip(after, before, strict=True))
    # A wall's line has no direction: half a turn of its box is no change.
    turned = replace(SOUTH, box=replace(SOUTH.box, yaw=np.pi))
    assert _with_ids([FLOOR, turned], before, next_id)[0] == before


def test_a_wall_keeps_its_id_while_it_grows_and_moves():
    before, next_id = _with_ids([SOUTH, NORTH], (), FIRST_WALL_ID)
    grown = [wall(0.0, 2.06, 5.0, yaw=np.pi), wall(0.6, -1.9, 6.5, yaw=0.05)]
    after, after_id = _with_ids(grown, before, next_id)
    by_id = {p.plane_id: p for p in after}
    assert after_id == next_id
    assert by_id[FIRST_WALL_ID].box == grown[1].box
    assert by_id[FIRST_WALL_ID - 1].box == grown[0].box


def test_another_wall_is_new_and_ids_are_not_given_again():
    before, next_id = _with_ids([SOUTH, NORTH], (), FIRST_WALL_ID)
    others = (
        wall(0.0, -1.6, 5.0),  # 0.4 m before the known one
        wall(6.0, -2.0, 5.0),  # beyond its end
        wall(0.0, -2.0, 5.0, yaw=np.pi),  # its other face
        wall(0.0, -2.0, 5.0, yaw=0.4),
    )
    for other in others:
        planes, _ = _with_ids([other], before, next_id)
        assert ids(planes) == [next_id]
    gone, after_id = _with_ids([SOUTH], before, next_id)
    again, _ = _with_ids([SOUTH, NORTH], gone, after_id)
    assert ids(again) == [FIRST_WALL_ID, FIRST_WALL_ID - 2]


def test_of_two_halves_the_longer_keeps_the_id_and_of_two_that_join_the_longer_gives_it():
    whole, next_id = _with_ids([SOUTH], (), FIRST_WALL_ID)
    halves, next_id = _with_ids([wall(-2.0, -2.0, 1.0), wall(1.0, -2.0, 3.0)], whole, next_id)
    assert {p.plane_id: p.box.size[0] for p in halves} == {-3: 3.0, -4: 1.0}
    joined, _ = _with_ids([SOUTH], halves, next_id)
    assert ids(joined) == [-3]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-5.0, 5.0),
            st.floats(-5.0, 5.0),
            st.floats(0.8, 6.0),
            st.sampled_from((0.0, 0.3, np.pi / 2.0, np.pi)),
        ),
        max_size=8,
    ),
    st.lists(st.integers(0, 7), max_size=8),
)
def test_ids_differ_and_do_not_depend_on_the_order_of_planes(places, picks):
    walls = [wall(*place) for place in places]
    known, next_id = _with_ids(walls, (), FIRST_WALL_ID)
    assert len(set(ids(known))) == len(walls)
    again = list(dict.fromkeys(walls[i] for i in picks if i < len(walls)))
    one, _ = _with_ids(again, known, next_id)
    assert len(set(ids(one))) == len(again)
    if len(again) == len(set(walls)) == len(walls):
        assert ids(_with_ids(walls, known, next_id)[0]) == ids(known)


def packed_room() -> PackedStructure:
    tiles = tiles_of(*(turned(s, 0.3, (-7.0, 123.0)) for s in room((4.0, 3.0))), noise_m=0.01)
    planes, next_id = _with_ids(find_planes(tiles), (), FIRST_WALL_ID)
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
    assert back.tiles.frames.tolist() == room.tiles.frames.tolist()
    assert len(packed) < 23 * len(room.tiles) + 1000


def test_unpacking_and_packing_gives_the_same_bytes():
    packed = pack(packed_room())
    assert pack(unpack(packed)) == packed


def test_empty_map_can_be_packed():
    back = unpack(pack(PackedStructure(Tiles(), (), FIRST_WALL_ID)))
    assert (len(back.tiles), back.planes, back.next_wall_id) == (0, (), FIRST_WALL_ID)


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "changed"])
def test_damaged_bytes_are_an_error(damage):
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


def moved(sequence: RecordedSequence) -> Iterator[RGBDFrame]:
    """The frames whose camera has moved, as the memory picks them."""
    selector = KeyFrameSelector(StoreConfig())
    for frame in read_sequence(sequence):
        if selector.has_moved(frame.world_T_camera):
            selector.note_place(frame.world_T_camera)
            yield frame


def see(frames: Iterable[RGBDFrame], structure: StructureMap) -> int:
    """Show it frames, and time to think; how often the planes changed."""
    changes = sum(structure.add(frame, frame.number) for frame in frames)
    return changes + sum(structure.stand_still() for _ in range(30))


def planes_of(structure: StructureMap, kind: StructureKind) -> list[StructurePlane]:
    return [plane for plane in structure.planes if plane.kind == kind]


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """A drive through a room: the frames whose camera had moved, and the planes in them."""

    room: Room
    frames: list[RGBDFrame]
    structure: StructureMap


@cache
def driven(seed: int, stereo: bool = False) -> Drive:
    noise = StereoDepthNoise() if stereo else SimpleDepthNoise()
    whole, structure = simulate(seed, 100, Sensors(320, 240, noise)), StructureMap(DepthConfig())
    frames = list(moved(replace(whole, true_poses=whole.true_poses[::2])))
    see(frames, structure)
    return Drive(whole.room, frames, structure)


@pytest.mark.parametrize(("seed", "stereo"), [(1, False), (4, False), (3, True)])
def test_a_drive_through_a_room_finds_its_floor_and_its_four_walls_and_no_more(seed, stereo):
    drive = driven(seed, stereo)
    structure, room = drive.structure, drive.room
    (floor,) = planes_of(structure, "floor")
    assert floor.box.center[2] == pytest.approx(0.0, abs=0.02)
    assert np.subtract(room.size[:2], floor.box.size[:2]) == pytest.approx(0.2, abs=0.4)
    walls = planes_of(structure, "wall")
    assert len(walls) == 4
    for axis in (0, 1):
        for sign in (-1.0, 1.0):
            inward = np.zeros(3)
            inward[axis] = sign
            (wall,) = [w for w in walls if inward @ w.normal > np.cos(np.deg2rad(3.0))]
            off_m = wall.box.footprint() @ inward[:2] + room.size[axis] / 2.0
            assert np.abs(off_m).max() < 0.05
            assert 0.6 < wall.box.size[0] / room.size[1 - axis] < 1.02
            assert wall.box.bottom_z == pytest.approx(0.0, abs=0.02)
    assert planes_of(structure, "ceiling") == []  # the robot never looked up


@pytest.mark.parametrize(
    ("odometry_noise", "shake_deg"), [(0.0, 0.0), (1.0, 0.0), (6.0, 0.6), (10.0, 1.0)]
)
def test_the_shake_of_single_poses_is_told_by_the_floor(odometry_noise, shake_deg):
    """That of good poses is too small to count."""
    structure = StructureMap(DepthConfig())
    see(moved(simulate(3, 200, Sensors(320, 240, odometry_noise=odometry_noise))), structure)
    assert np.rad2deg(structure.shake_rad) == pytest.approx(shake_deg, rel=0.5)


def test_a_camera_that_looks_up_finds_the_ceiling():
    room = simulate(2).room
    poses = tuple(
        look(0.0, 0.0, 1.2, yaw, p) for p in (-0.5, 0.7) for yaw in np.arange(0, 6.3, 0.4)
    )
    camera = Sensors(160, 120).camera
    sequence = SimulatedSequence(room, camera, poses, SimpleDepthNoise())
    structure = StructureMap(DepthConfig())
    see(moved(sequence), structure)
    (ceiling,) = planes_of(structure, "ceiling")
    assert ceiling.box.center[2] == pytest.approx(room.size[2], abs=0.02)
    walls = planes_of(structure, "wall")
    assert len(walls) == 4
    assert [w.box.top_z for w in walls] == pytest.approx([room.size[2]] * 4, abs=0.03)


def test_planes_keep_their_ids_and_values_on_a_second_round():
    frames, structure = driven(1).frames, StructureMap(DepthConfig())
    see(frames, structure)
    before = structure.planes
    changes = see(frames, structure)
    assert [p.plane_id for p in structure.planes] == [p.plane_id for p in before]
    assert changes <= 2


def test_map_goes_on_from_its_packed_state():
    frames, whole = driven(4).frames, driven(4).structure
    first, second = StructureMap(DepthConfig()), StructureMap(DepthConfig())
    see([frame for frame in frames if frame.number < 30], first)
    packed = first.take_changes()
    assert packed is not None
    assert first.take_changes() is None
    first.give_back(packed)
    assert first.take_changes() == packed
    second.restore(unpack(packed))
    assert second.planes == first.planes
    assert second.take_changes() is None
    see(frames, second)
    of_whole = {round(p.box.center[0]) for p in whole.planes}
    assert {round(p.box.center[0]) for p in second.planes} == of_whole
    kept = {p.plane_id for p in first.planes} & {p.plane_id for p in second.planes}
    assert -1 in kept
    assert len(kept) >= 3


def test_ids_that_were_given_before_a_restart_are_not_given_again():
    """The walls that had the ids -3 to -6 were gone before the memory was closed."""
    structure = StructureMap(DepthConfig())
    structure.restore(PackedStructure(packed_room().tiles, (), FIRST_WALL_ID - 4))
    structure.add(empty_frame(), 0)
    while not structure.planes:
        structure.stand_still()
    assert ids(structure.planes) == [-1, -7, -8, -9, -10]


def test_missing_state_is_an_empty_map():
    structure = StructureMap(DepthConfig())
    structure.restore(None)
    assert structure.planes == ()
    assert structure.take_changes() is None


def test_walls_stand_along_the_room_whatever_the_world_is_turned_to():
    drive, elsewhere = driven(1), StructureMap(DepthConfig())
    straight = drive.structure
    turn = Pose.from_quaternion((5.0, -3.0, 1.0), (0.0, 0.0, np.sin(0.3), np.cos(0.3)))
    turned = [replace(f, world_T_camera=turn @ f.world_T_camera) for f in drive.frames]
    see(turned, elsewhere)
    assert len(elsewhere.planes) == len(straight.planes) == 5
    for plane in straight.planes:
        center = turn.transform(np.array(plane.box.center))
        same = min(elsewhere.planes, key=lambda p: np.linalg.norm(p.box.center - center))
        assert same.kind == plane.kind
        assert same.box.center == pytest.approx(center, abs=0.1)
        assert np.dot(same.normal, turn.rotation @ plane.normal) > np.cos(np.deg2rad(1.0))


def test_recorded_office_has_one_floor_a_ceiling_and_the_walls_that_people_see(shared_data):
    structure = StructureMap(DepthConfig())
    see(moved(open_sequence(shared_data / "sequences" / "hololens")), structure)
    (floor,), (ceiling,) = planes_of(structure, "floor"), planes_of(structure, "ceiling")
    # A person wears the camera: eye height is the floor's distance from the first pose.
    assert 1.4 < -floor.box.center[2] < 1.7
    assert 2.8 < ceiling.box.center[2] - floor.box.center[2] < 3.3
    walls = planes_of(structure, "wall")
    assert 4 <= len(walls) <= 6
    # Corridor, windows, kitchen and the end of the room: at right angles to each other.
    yaw = np.array([wall.box.yaw for wall in walls])
    off_square = np.degrees(np.abs((yaw - yaw[0] + np.pi / 4) % (np.pi / 2) - np.pi / 4))
    assert off_square.max() < 3.0
    assert len({tuple(np.round(w.normal[:2]).tolist()) for w in walls}) >= 3


def test_recorded_kitchen_has_one_floor_and_its_long_wall(shared_data):
    structure = StructureMap(DepthConfig())
    see(moved(open_sequence(shared_data / "sequences" / "redkitchen")), structure)
    (floor,) = planes_of(structure, "floor")
    assert 1.3 < -floor.box.center[2] < 1.6
    longest = max(planes_of(structure, "wall"), key=lambda w: w.box.size[0])
    assert longest.box.size[0] > 4.0
    assert longest.normal[1] < -0.99


CONFIG = SceneMindConfig()


@pytest.fixture(scope="module")
def remembered_drive(tmp_path_factory):
    """A memory of a drive through a room, closed; and its last snapshot."""
    path = tmp_path_factory.mktemp("memories") / "room"
    sequence = simulate(1, 60, Sensors(320, 240))
    with Memory.create(path, CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
        revisions = []
        for frame in read_sequence(sequence):
            mapper.process(frame)
            revisions.append(memory.snapshot().revision)
        assert revisions == sorted(revisions)
        return path, memory.snapshot()


def test_snapshot_names_floor_and_walls_by_negative_ids(remembered_drive):
    _, snapshot = remembered_drive
    kinds = [plane.kind for plane in snapshot.structure.values()]
    assert kinds == ["floor", "wall", "wall", "wall", "wall"]
    assert all(i < 0 and plane.plane_id == i for i, plane in snapshot.structure.items())
    assert not snapshot.structure.keys() & snapshot.objects.keys()


def test_things_stand_on_the_floor(remembered_drive):
    _, snapshot = remembered_drive
    (floor_id,) = [i for i, plane in snapshot.structure.items() if plane.kind == "floor"]
    standing = {
        r.subject_id for r in snapshot.relations if (r.predicate, r.object_id) == ("on", floor_id)
    }
    chairs = {i for i, thing in snapshot.objects.items() if "chair" in thing.label}
    assert chairs
    assert len(chairs & standing) >= 0.8 * len(chairs)


def test_the_building_is_there_again_after_a_restart(remembered_drive):
    path, before = remembered_drive
    with Memory.open(path, CONFIG) as memory:
        again = memory.snapshot().structure
    assert again.keys() == before.structure.keys()
    for plane_id, plane in before.structure.items():
        assert again[plane_id] == plane


def test_a_reset_memory_knows_no_building(tmp_path):
    sequence = simulate(1, 60, Sensors(160, 120))
    with Memory.create(tmp_path / "room", CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
        for frame in islice(read_sequence(sequence), 20):
            mapper.process(frame)
        assert memory.snapshot().structure
        memory.reset()
        assert not memory.snapshot().structure
