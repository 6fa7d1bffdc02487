"""What a method may know of a simulated room: what is really there, or what a drive mapped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scenemind.config import RelationConfig, SceneMindConfig
from scenemind.evaluation.objects_memory import SOURCE, ObjectsMemory
from scenemind.evaluation.rooms.questions import get_room
from scenemind.exchange import ObjectRow, scene_of_rows
from scenemind.exchange.objects_scene import objects_of_rows
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D
from scenemind.mapping import Mapper, map_all
from scenemind.memory import MapObject, Memory, MemoryAccess, ReadOnlyMemory, StructurePlane
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.simulation import Room, SimulatedSequence, match_objects, simulate

_THIN_M = 0.02
_UNFINISHED = ".part"


class TrueRooms:
    """The rooms' real objects, floors and walls."""

    name = f"{SOURCE} of simulated rooms"
    has_true_ids = True

    def __init__(self, config: RelationConfig | None = None) -> None:
        self._config = config or RelationConfig()

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        get_room(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[MemoryAccess]:
        """See `SceneSource`."""
        building = _building(get_room(scene_id))
        yield ObjectsMemory(scene_of_rows(_rows(scene_id), self._config, building), self.name)

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        """By id, without relations; see `Scenes`."""
        return objects_of_rows(_rows(scene_id))

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """Each stands for itself."""
        return {thing.instance_id: thing.instance_id for thing in get_room(scene_id).objects}


class MappedRooms:
    """Memories of a drive through each room, mapped when they are first asked for."""

    has_true_ids = False

    def __init__(
        self,
        folder: Path,
        config: SceneMindConfig | None = None,
        noise: DetectorNoise | None = None,
        frames: int = 150,
        image_size: tuple[int, int] = (640, 480),
    ) -> None:
        """
        Args:
            folder: where they are kept; those that are there already are taken as they are.
            frames: of a drive.
            image_size: width and height in pixels.
        """
        self.config = config or SceneMindConfig()
        self._folder = folder
        self._noise = noise or DetectorNoise()
        self._frames = frames
        self._image_size = image_size
        self._instances: dict[str, Mapping[int, int]] = {}

    @property
    def name(self) -> str:
        """With how the detections were made."""
        return f"simulated rooms mapped from rendered frames, detections by the {self._detector()}"

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        get_room(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[MemoryAccess]:
        """See `SceneSource`."""
        with ReadOnlyMemory.open(self._mapped(scene_id), self.config) as memory:
            yield memory

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """By the overlap of boxes, one to one (`simulation.match_objects`)."""
        if scene_id not in self._instances:
            with self.opened(scene_id) as memory:
                objects = memory.snapshot().objects.values()
            self._instances[scene_id] = match_objects(objects, get_room(scene_id)).instance_of
        return self._instances[scene_id]

    def _mapped(self, scene_id: str) -> Path:
        seed = get_room(scene_id).seed
        path = self._folder / f"room-{seed}"
        if not path.is_dir():
            unfinished = path.with_suffix(_UNFINISHED)
            shutil.rmtree(unfinished, ignore_errors=True)
            self._map(simulate(seed, self._frames, *self._image_size), unfinished)
            unfinished.rename(path)
        return path

    def _map(self, drive: SimulatedSequence, path: Path) -> None:
        camera = InstanceCamera(drive.class_names)
        detector = NoisyDetector(camera, self._noise, seed=drive.room.seed)
        with Memory.create(path, self.config) as memory:
            map_all(Mapper(detector, memory, self.config), read_sequence(drive))

    def _detector(self) -> str:
        return NoisyDetector(InstanceCamera({}), self._noise, seed=0).name


def _rows(scene_id: str) -> list[ObjectRow]:
    return [
        ObjectRow(
            id=thing.instance_id,
            label=thing.label,
            center=thing.box.center,
            size=thing.box.size,
            color=thing.color,
        )
        for thing in get_room(scene_id).objects
    ]


def _building(room: Room) -> tuple[StructurePlane, ...]:
    """Its floor and walls, as a memory has them."""
    x, y, z = room.size
    floor = Box3D((0.0, 0.0, -_THIN_M / 2), (x, y, _THIN_M))
    planes = [StructurePlane(-1, "floor", floor, (0.0, 0.0, 1.0), x * y)]
    for side in (-1.0, 1.0):
        across = Box3D((side * (x + _THIN_M) / 2, 0.0, z / 2), (_THIN_M, y, z))
        along = Box3D((0.0, side * (y + _THIN_M) / 2, z / 2), (x, _THIN_M, z))
        number = -len(planes)
        planes.append(StructurePlane(number - 1, "wall", across, (-side, 0.0, 0.0), y * z))
        planes.append(StructurePlane(number - 2, "wall", along, (0.0, -side, 0.0), x * z))
    return tuple(planes)
