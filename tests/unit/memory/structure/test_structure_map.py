"""Floor, walls and ceiling of simulated rooms, whose truth is known, and of recorded ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from scenemind.config import DepthConfig, StoreConfig
from scenemind.frames import RGBDFrame, open_sequence, read_sequence
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import Pose
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.structure.structure_map import StructureMap
from scenemind.memory.tree.key_frames import KeyFrameSelector
from scenemind.memory.types import StructureKind, StructurePlane
from scenemind.simulation import SimpleDepthNoise, SimulatedSequence, StereoDepthNoise, simulate
from scenemind.simulation.room import Room
from scenemind.simulation.trajectory import look


def moved(sequence: RecordedSequence) -> Iterator[RGBDFrame]:
    """The frames whose camera has moved, as the memory picks them."""
    selector = KeyFrameSelector(StoreConfig())
    for frame in read_sequence(sequence):
        if selector.has_moved(frame.world_T_camera):
            selector.note_place(frame.world_T_camera)
            yield frame


def see(frames: Iterable[RGBDFrame], structure: StructureMap) -> int:
    """Show it frames, and time to think; how often the planes changed."""
    changes = sum(structure.add(frame) for frame in frames)
    return changes + sum(structure.stand_still() for _ in range(30))


def planes_of(structure: StructureMap, kind: StructureKind) -> list[StructurePlane]:
    return [plane for plane in structure.planes if plane.kind == kind]


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """Through a room; the frames whose camera had moved, and what they showed."""

    room: Room
    frames: list[RGBDFrame]
    structure: StructureMap


@cache
def driven(seed: int, stereo: bool = False) -> Drive:
    noise = StereoDepthNoise() if stereo else SimpleDepthNoise()
    sequence, structure = simulate(seed, 100, 320, 240, noise), StructureMap(DepthConfig())
    frames = list(moved(sequence))
    see(frames, structure)
    return Drive(sequence.room, frames, structure)


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


def test_a_camera_that_looks_up_finds_the_ceiling():
    room = simulate(2).room
    poses = tuple(
        look(0.0, 0.0, 1.2, yaw, p) for p in (-0.5, 0.7) for yaw in np.arange(0, 6.3, 0.4)
    )
    sequence = SimulatedSequence(room, simulate(2, 1, 160, 120).camera, poses, SimpleDepthNoise())
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


def test_it_goes_on_from_what_was_packed():
    frames, whole = driven(4).frames, driven(4).structure
    first, second = StructureMap(DepthConfig()), StructureMap(DepthConfig())
    see([frame for frame in frames if frame.number < 60], first)
    packed = first.take_changes()
    assert packed is not None
    assert first.take_changes() is None
    first.give_back(packed)
    assert first.take_changes() == packed
    second.restore(packed)
    assert second.planes == first.planes
    assert second.take_changes() is None
    see(frames, second)
    of_whole = {round(p.box.center[0]) for p in whole.planes}
    assert {round(p.box.center[0]) for p in second.planes} == of_whole
    kept = {p.plane_id for p in first.planes} & {p.plane_id for p in second.planes}
    assert -1 in kept
    assert len(kept) >= 3


def test_nothing_stored_is_nothing_known_and_damage_is_an_error():
    structure = StructureMap(DepthConfig())
    structure.restore(None)
    assert structure.planes == ()
    assert structure.take_changes() is None
    with pytest.raises(SceneMemoryError, match="damaged"):
        structure.restore(b"walls")


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
