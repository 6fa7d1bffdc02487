"""Coming back: visits that start anywhere in mapped rooms, and maps of rooms that are others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.progress import track

from scenemind.bench.machine import machine
from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Pose
from scenemind.mapping import Mapper, map_all
from scenemind.memory import Memory
from scenemind.memory.places.coming_back import ComingBack
from scenemind.memory.places.locating import locate
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector
from scenemind.report.terminal import progress_console
from scenemind.simulation import (
    Sensors,
    SimulatedSequence,
    match_objects,
    simulate,
    simulate_visit,
)

RIGHT_M, RIGHT_DEG = 0.15, 3.0
_FRAMES = 300  # of a map, and of a visit: 30 s at 10 Hz
FIRST_ROOM = 21  # the thresholds were chosen on rooms 1 to 8
_CONFIG = SceneMindConfig()


def bench_relocation(
    rooms: int = 10, starts: int = 4, odometry_noise: float = 1.0
) -> dict[str, Any]:
    """Locate visits in the maps of their rooms, and whole visits in those of other rooms.

    Args:
        starts: visits of each room, from random places and headings, in either direction.
        odometry_noise: of the visits; see `simulate`.
    """
    console, sensors = progress_console(), Sensors(odometry_noise=odometry_noise)
    seeds = range(FIRST_ROOM, FIRST_ROOM + rooms)
    found: list[tuple[int, float, float]] = []
    doubles: list[float] = []
    others = merged = 0
    with TemporaryDirectory() as folder:
        for seed in track(seeds, "mapping rooms", console=console):
            _map(simulate(seed, _FRAMES), Path(folder) / str(seed))
        for seed in track(seeds, "visits", console=console):
            with Memory.open(Path(folder) / str(seed), _CONFIG) as old:
                for start in range(starts):
                    visit = simulate_visit(seed, 100 * seed + start, _FRAMES, sensors)
                    located = _come_back(old, visit)
                    found += [] if located is None else [located]
            whole = simulate_visit(seed, 100 * seed + starts, _FRAMES, sensors)
            _map(whole, Path(folder) / f"visit-{seed}")
            with Memory.open(Path(folder) / f"visit-{seed}", _CONFIG) as new:
                for elsewhere in seeds:
                    with Memory.open(Path(folder) / str(elsewhere), _CONFIG) as old:
                        place = locate(new, old).old_T_new
                        if elsewhere != seed:
                            others, merged = others + 1, merged + (place is not None)
                        elif place is not None:
                            old.merge(new, place)
                            objects = old.snapshot().objects.values()
                            table = match_objects(objects, whole.room)
                            doubles.append(len(table.duplicates) / max(1, len(objects)))
    right = sum(off_m <= RIGHT_M and off_deg <= RIGHT_DEG for _, off_m, off_deg in found)
    return {
        "starts": rooms * starts,
        "located_right": right,
        "located_wrong": len(found) - right,
        "seconds_of_frames": _spread([frames / 10.0 for frames, _, _ in found]),
        "error_m": _spread([off_m for _, off_m, _ in found]),
        "error_deg": _spread([off_deg for _, _, off_deg in found]),
        "doubled_after_merging": _spread(doubles),
        "pairs_of_different_rooms": others,
        "wrongly_located": merged,
        "machine": machine(),
    }


def _come_back(old: Memory, visit: SimulatedSequence) -> tuple[int, float, float] | None:
    """Frames until a visit is located, and by how many metres and degrees the camera is then off
    where it is; None if it was not located."""
    coming = ComingBack(old, _CONFIG)
    try:
        mapper = Mapper(_detector(visit), coming.visit, _CONFIG)
        for number, frame in enumerate(read_sequence(visit)):
            mapper.process(frame)
            place = coming.note_frame(patiently=True)
            if place is not None:
                error = visit.true_poses[number].inverse() @ (place @ visit.poses[number])
                off_deg = math.degrees(error.angle_rad(Pose.identity()))
                return number + 1, float(np.linalg.norm(error.translation)), off_deg
    finally:
        coming.close()
    return None


def _map(sequence: SimulatedSequence, folder: Path) -> None:
    with Memory.create(folder, _CONFIG) as memory:
        map_all(Mapper(_detector(sequence), memory, _CONFIG), read_sequence(sequence))


def _detector(sequence: SimulatedSequence) -> Detector:
    return NoisyDetector(InstanceCamera(sequence.class_names), DetectorNoise(), sequence.room.seed)


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    return {"median": float(np.median(values)), "most": float(max(values))}
