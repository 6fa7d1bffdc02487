"""The browser view of a simulated building: cost in the server, and in Chromium."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np

from scenemind.bench.machine import machine, versions
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.geometry import Pose
from scenemind.mapping import Mapper
from scenemind.memory import Edit, Memory, MemoryAccess
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.report.terminal import progress_console
from scenemind.simulation import Sensors, simulate
from scenemind.surface import ColoredCloud, OnProgress

_FRAMES, _SIZE_PX = 40, (320, 240)  # frames of the drive through a room
_IN_ROOM = 55  # number of objects
_ROOMS_IN_ROW, _APART_M = 4, 9.0
_HOUR_NS = 3_600_000_000_000
_VOXEL_M = 0.01


@contextmanager
def map_building(objects: int) -> Iterator[Memory]:
    """A memory with exactly the given number of objects: a person's corrections delete the rest."""
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
    sequence = simulate(room + 1, _FRAMES, Sensors(*_SIZE_PX), objects=_IN_ROOM)
    mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
    for frame in read_sequence(sequence):
        mapper.process(_moved(frame, room))


def _moved(frame: RGBDFrame, room: int) -> RGBDFrame:
    """Frame shifted to the room's place in the building, and to the time of the robot's visit."""
    row, column = divmod(room, _ROOMS_IN_ROW)
    pose = frame.world_T_camera
    place = pose.translation + np.array([_APART_M * column, _APART_M * row, 0.0])
    return replace(
        frame,
        stamp_ns=frame.stamp_ns + room * _HOUR_NS,
        world_T_camera=Pose(pose.rotation, place),
    )


class ThinnedCloud(ColoredCloud):
    """Exactly the given number of points, evenly from all points of the stored frames at 1 cm. For
    a memory that does not grow."""

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
            UsageError: there are fewer points.
        """
        is_new = super().update(memory, most_frames, on_progress, below_m)
        if is_new:
            if len(self.points) < self._count:
                raise UsageError(
                    f"the building has {len(self.points)} points, not {self._count}: choose fewer"
                    " --points, or more --objects"
                )
            kept = np.linspace(0, len(self.points) - 1, self._count).round().astype(np.int64)
            self._keep(kept)
        return is_new


_OBJECTS, _POINTS, _ROUNDS = 500, 500_000, 10
_NO_VISER = "viser is not installed: `pip install viser`, or `make setup`"


def bench_view(
    objects: int = _OBJECTS,
    points: int = _POINTS,
    rounds: int = _ROUNDS,
    *,
    in_browser: bool = True,
) -> dict[str, Any]:
    """Cost of a view with these numbers of objects and points, for a `BrowserlessClient`
    ("server") and for a headless Chromium ("browser"), which draws without a graphics
    card. Milliseconds are medians.

    - `load_s`: from stored frames to a cloud that can be served;
    - `client_s`, `client_mb`: time until a client has everything, and its size;
    - `mark_ms`, `mark_kb`: from marking an object until a client has its name with the mark;
    - `said_ms`, `said_kb`: from a sentence that renames an object until a client has the new name;
    - `others_ms`: the same for another process's change of the memory, which is polled at 2 Hz.

    If viser, playwright or Chromium is missing, "skipped" names it in place of the results.

    Raises:
        UsageError: the building has fewer points.
    """
    about = {"machine": machine(), "versions": versions()}
    if find_spec("viser") is None:
        return {"skipped": _said_aloud(_NO_VISER), **about}
    from benchmarks.browser import browser_times
    from benchmarks.view_server import ServedBuilding

    with map_building(objects) as memory, ServedBuilding(memory, ThinnedCloud(points)) as served:
        result = {"building": "simulated", **served.size(), "server": served.times(rounds)}
        if in_browser:
            try:
                result["browser"] = browser_times(served, rounds)
            except UsageError as missing:
                result["browser"] = {"skipped": _said_aloud(str(missing))}
    return {**result, **about}


def _said_aloud(reason: str) -> str:
    progress_console().print(f"SKIPPED: {reason}", markup=False, soft_wrap=True)
    return reason
