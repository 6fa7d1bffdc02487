"""How clean the map is: rooms with a known truth, and recordings to look at.

In the rooms the detector is the simulated instance camera, so the figures are of tracking, lifting
and the object map; with `noise` it errs as detectors do. The recordings have a real detector.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.progress import track

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.map_score import (
    MIN_FRAMES,
    MIN_PIXELS,
    RoomScore,
    doubled,
    score_room,
    summary,
)
from scenemind.cli.detector import choose_detector, find_recordings
from scenemind.cli.output import progress_console
from scenemind.cli.truth import true_objects
from scenemind.config import SceneMindConfig
from scenemind.frames import RecordedSequence, RGBDFrame, open_sequence, read_sequence
from scenemind.mapping import Mapper, map_all
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector
from scenemind.report import OverviewEntry, Run, write_overview
from scenemind.simulation import (
    SimulatedSequence,
    VisibilityCounter,
    places_seen_again,
    simulate,
    stale_objects,
)

_FRAMES_A_LOOP = 300


def bench_mapping(
    rooms: int = 10,
    noise: bool = False,
    *,
    objects: int | None = None,
    loops: int = 1,
    odometry_noise: float = 0.0,
    changes: int = 0,
    report: Path | None = None,
) -> dict[str, Any]:
    """Map rooms 1, 2, ... and compare each with its truth; map the recordings that are there.

    Args:
        noise: misses, wrong labels, false alarms, jittered boxes and ragged masks.
        objects, loops, odometry_noise, changes: see `simulate`. A map is compared with the room as
            it is at the end of the drive, where odometry had drifted to.
        report: folder for the maps as pictures; recordings are mapped only for it.
    """
    console = progress_console()
    scores, entries = [], []
    for seed in track(range(1, rooms + 1), "mapping rooms", console=console):
        sequence = simulate(
            seed,
            frame_count=_FRAMES_A_LOOP * loops,
            objects=objects,
            loops=loops,
            odometry_noise=odometry_noise,
            changes=changes,
        )
        score, entry = _map_room(sequence, noise)
        scores.append(score)
        entries.append(entry)
    result: dict[str, Any] = {**summary(scores)}
    result["detector"] = entries[0].run.detector if entries else "none"
    result["drive"] = {
        "objects": objects,
        "loops": loops,
        "odometry_noise": odometry_noise,
        "changes": changes,
    }
    if changes:
        left = sum(score.left for score in scores)
        result["stale_share"] = sum(score.stale for score in scores) / left if left else 0.0
    result["rooms"] = [asdict(score) for score in scores]
    if report is not None:
        found = find_recordings()
        recorded = [_map_recording(path) for path in track(found, "recordings", console=console)]
        figures = {name: f"{value:.3f}" for name, value in summary(scores).items()}
        page = write_overview("Bench mapping", figures, [*recorded, *entries], report)
        result["recordings"] = {e.run.sequence: dict(e.figures) for e in recorded}
        result["report"] = str(page)
    return {**result, "machine": machine(), "versions": versions()}


def _map_room(sequence: SimulatedSequence, noise: bool) -> tuple[RoomScore, OverviewEntry]:
    detector: Detector = InstanceCamera(sequence.class_names)
    if noise:
        detector = NoisyDetector(detector, DetectorNoise(), sequence.room.seed)
    counter = VisibilityCounter(sequence.room, MIN_PIXELS)

    def counted(frames: Iterable[RGBDFrame]) -> Iterable[RGBDFrame]:
        for frame in frames:
            assert frame.instances is not None
            counter.add(frame.instances)
            yield frame

    run = _run(sequence, detector, SceneMindConfig(), counted(read_sequence(sequence)))
    seen = counter.seen(MIN_FRAMES)
    room, objects = sequence.room_at(run.snapshot.stamp_ns), run.snapshot.objects.values()
    drift = sequence.world_T_odometry() if sequence.odometry else None
    score = score_room(room.seed, room, objects, seen, drift)
    if sequence.changes:
        left = places_seen_again(sequence)
        stale = stale_objects(objects, sequence, left)
        score = replace(score, left=len(left), stale=len(stale))
    figures = {name: f"{value:.2f}" for name, value in summary([score]).items()}
    truth = true_objects(room, seen, run.snapshot, drift)
    return score, OverviewEntry(replace(run, truth=truth), figures)


def _map_recording(path: Path) -> OverviewEntry:
    sequence = open_sequence(path)
    config, detector = choose_detector(SceneMindConfig(), sequence, None)
    run = _run(sequence, detector, config, read_sequence(sequence))
    pairs = doubled(run.snapshot.objects.values())
    return OverviewEntry(
        run,
        {
            "frames": str(run.frames),
            "objects": str(len(run.snapshot.objects)),
            "doubled": ", ".join(f"{a} and {b}" for a, b in pairs) or "none",
        },
    )


def _run(
    sequence: RecordedSequence,
    detector: Detector,
    config: SceneMindConfig,
    frames: Iterable[RGBDFrame],
) -> Run:
    with Memory.create(None, config) as memory:
        mapper = Mapper(detector, memory, config)
        map_all(mapper, frames)
        return Run(
            sequence=sequence.name,
            detector=detector.name,
            is_simulated=isinstance(sequence, SimulatedSequence),
            frames=memory.last_frame_number + 1,
            dropped=dict(sequence.drops),
            snapshot=memory.snapshot(),
            path=memory.trajectory(),
            locations=memory.tree(),
            stages_ms={name: s.median_ms for name, s in mapper.timings.stats().items()},
        )
