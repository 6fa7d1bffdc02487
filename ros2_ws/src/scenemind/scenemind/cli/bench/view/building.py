"""A simulated building to look at: rooms beside each other, with as many objects as are wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

import numpy as np

from scenemind.cli.errors import CommandError
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.geometry import Pose
from scenemind.mapping import Mapper
from scenemind.memory import Edit, Memory, MemoryAccess
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import simulate
from scenemind.viewer.colored_cloud import ColoredCloud, OnProgress

_FRAMES, _SIZE_PX = 40, (320, 240)  # of the drive through a room
_IN_ROOM = 55  # things
_ROOMS_IN_ROW, _APART_M = 4, 9.0
_HOUR_NS = 3_600_000_000_000
_VOXEL_M = 0.01


@contextmanager
def map_building(objects: int) -> Iterator[Memory]:
    """A memory that knows exactly so many objects: what is too many a person has deleted."""
    config = SceneMindConfig()
    with Memory.create(None, config) as memory:
        for room in count():
            _map_room(memory, config, room)
            surplus = sorted(memory.snapshot().objects)[objects:]
            if surplus or len(memory.snapshot().objects) == objects:
                break
            memory.begin_session()
        if surplus:
            edits = [Edit("delete_object", (object_id,)) for object_id in surplus]
            memory.apply(edits, "the benchmark", "so that they are as many as were wanted")
        memory.flush()
        yield memory


def _map_room(memory: Memory, config: SceneMindConfig, room: int) -> None:
    sequence = simulate(room + 1, _FRAMES, *_SIZE_PX, objects=_IN_ROOM)
    mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
    for frame in read_sequence(sequence):
        mapper.process(_moved(frame, room))


def _moved(frame: RGBDFrame, room: int) -> RGBDFrame:
    """To where the room stands in the building, and to when the robot was there."""
    row, column = divmod(room, _ROOMS_IN_ROW)
    pose = frame.world_T_camera
    place = pose.translation + np.array([_APART_M * column, _APART_M * row, 0.0])
    return replace(
        frame,
        stamp_ns=frame.stamp_ns + room * _HOUR_NS,
        world_T_camera=Pose(pose.rotation, place),
    )


class ThinnedCloud(ColoredCloud):
    """Exactly so many points, evenly of all that the stored frames have at 1 cm. For a memory that
    does not grow."""

    def __init__(self, count: int) -> None:
        super().__init__(sys.maxsize, _VOXEL_M)
        self._count = count

    def update(
        self,
        memory: MemoryAccess,
        most_frames: int = 50,
        on_progress: OnProgress | None = None,
        below_m: float = np.inf,
    ) -> bool:
        """See `ColoredCloud`.

        Raises:
            CommandError: there are fewer.
        """
        is_new = super().update(memory, most_frames, on_progress, below_m)
        if is_new:
            if len(self.points) < self._count:
                raise CommandError(
                    f"the building has {len(self.points)} points, not {self._count}: say fewer"
                    " --points, or more --objects"
                )
            kept = np.linspace(0, len(self.points) - 1, self._count).round().astype(np.int64)
            self.points, self.colors = self.points[kept], self.colors[kept]
        return is_new
