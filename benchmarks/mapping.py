"""Quality of maps: simulated rooms with ground truth, and recordings."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from scenemind.bench.machine import machine, versions
from scenemind.composition import choose_detector, data_beside_the_repository
from scenemind.config import LoopClosureConfig, SceneMindConfig
from scenemind.evaluation.rooms import true_objects
from scenemind.frames import RecordedSequence, RGBDFrame, open_sequence, read_sequence
from scenemind.frames.sequence import counted_stamp_ns
from scenemind.geometry import Pose
from scenemind.mapping import Mapper, map_all
from scenemind.memory import MapObject, Memory, MemorySnapshot
from scenemind.memory.loops.closing import LoopClosing, LoopReport
from scenemind.memory.places.constellation import turn_about_z
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector
from scenemind.report.content import Run
from scenemind.report.page import OverviewEntry, write_overview
from scenemind.report.terminal import progress_console
from scenemind.simulation import (
    RATE_HZ,
    Drift,
    Room,
    Sensors,
    SimulatedSequence,
    VisibilityCounter,
    match_objects,
    places_seen_again,
    simulate,
    stale_objects,
)
from scenemind.surface import ground_of

MIN_FRAMES, MIN_PIXELS = 5, 400  # minimum number of frames and pixels of a well-visible object
MIN_IOU = 0.25


@dataclass(frozen=True, slots=True)
class RoomScore:
    """One room's counts; see `score_room`.

    Attributes:
        seen: real objects that were well visible. met: those of them that the map has.
        named: met objects whose label is right.
        iou_sum: over the well-visible objects, 0 for a missing one.
        mapped: map objects that count; the met share of them is the precision.
        duplicates: map objects that stand for a real one that has a better partner.
        left: places that an object left and the camera saw again. stale: map objects that
            still stand there.
    """

    seed: int
    seen: int
    met: int
    named: int
    iou_sum: float
    mapped: int
    duplicates: int
    left: int = 0
    stale: int = 0


def score_room(
    seed: int,
    room: Room,
    objects: Iterable[MapObject],
    seen: Collection[int],
    world_T_map: Pose | None = None,
) -> RoomScore:
    """Compare a map with a room.

    Args:
        seen: instance ids of well-visible objects. A map object that stands for a less visible
            one counts neither for nor against precision.
        world_T_map: see `match_objects`.
    """
    mapped = list(objects)
    table = match_objects(mapped, room, world_T_map)
    of_seen = [row for row in table.matches if row.instance_id in seen]
    aside = sum(row.instance_id not in seen and row.object_id is not None for row in table.matches)
    met = [row for row in of_seen if row.iou >= MIN_IOU]
    return RoomScore(
        seed=seed,
        seen=len(of_seen),
        met=len(met),
        named=sum(row.label == row.object_label for row in met),
        iou_sum=sum(row.iou for row in of_seen),
        mapped=len(mapped) - aside,
        duplicates=len(table.duplicates),
    )


def summary(scores: Iterable[RoomScore]) -> dict[str, float]:
    """Shares over all objects of all rooms, not averages of rooms; 1 (duplicates: 0) if there are
    none."""
    rows = list(scores)
    seen, mapped = sum(s.seen for s in rows), sum(s.mapped for s in rows)
    met = sum(s.met for s in rows)
    return {
        "recall_25": met / seen if seen else 1.0,
        "precision_25": met / mapped if mapped else 1.0,
        "mean_iou": sum(s.iou_sum for s in rows) / seen if seen else 1.0,
        "duplicates": sum(s.duplicates for s in rows) / mapped if mapped else 0.0,
        "labels_right": sum(s.named for s in rows) / met if met else 1.0,
    }


def doubled(objects: Iterable[MapObject]) -> list[tuple[int, int]]:
    """Pairs of ids that look like one object mapped twice: same label, overlapping boxes.

    For recordings, which have no ground truth. Two chairs side by side do not overlap.
    """
    found = []
    known = list(objects)
    for number, a in enumerate(known):
        for b in known[number + 1 :]:
            if a.label == b.label and _shared(a, b) > MIN_IOU:
                found.append((a.object_id, b.object_id))
    return found


def _shared(a: MapObject, b: MapObject) -> float:
    """Intersection volume over the smaller box's volume."""
    (low_a, high_a), (low_b, high_b) = a.box.bounds(), b.box.bounds()
    sides = (high_a.clip(max=high_b) - low_a.clip(min=low_b)).clip(min=0.0)
    smaller = min(a.box.volume, b.box.volume)
    return float(sides.prod()) / smaller if smaller else 0.0


_FRAMES_A_LOOP = 300


def bench_mapping(
    rooms: int = 10,
    noise: bool = False,
    *,
    objects: int | None = None,
    loops: int = 1,
    odometry_noise: float = 0.0,
    drift: float = 0.0,
    turn: float = 0.0,
    changes: int = 0,
    corrected: bool = False,
    loop_closure: bool = True,
    first: int = 1,
    report: Path | None = None,
) -> dict[str, Any]:
    """Map rooms and compare each with its truth; map the recordings that are there.

    Args:
        rooms: how many, from room `first` on.
        noise: misses, wrong labels, false alarms, jittered boxes and ragged masks.
        objects, loops, odometry_noise, changes: see `simulate`. A map is compared with the room as
            it is at the end of the drive, at the place where the mapped way lies best on the true
            one: the origin of a map that drifts is nowhere.
        drift, turn: see `Drift`.
        corrected: give the true poses back at the end, as SLAM would, and compare also the map
            after that, and that of a drive with right poses.
        loop_closure: close loops while mapping, as the default is; needs Open3D.
        report: folder for the maps as pictures; recordings are mapped only for it.
    """
    console = progress_console()
    scores, entries, drifts, closed = [], [], [], []
    after: list[Corrected] = []
    for seed in track(range(first, first + rooms), "mapping rooms", console=console):
        sequence = simulate(
            seed,
            _FRAMES_A_LOOP * loops,
            Sensors(odometry_noise=odometry_noise, drift=Drift(drift, turn)),
            objects=objects,
            loops=loops,
            changes=changes,
        )
        score, entry, closings = _map_room(
            sequence, noise, loop_closure, after if corrected else None
        )
        closed.append(closings)
        drifts.append(sequence.drift_at_end)
        scores.append(score)
        entries.append(entry)
    result: dict[str, Any] = {**summary(scores)}
    result["detector"] = entries[0].run.detector if entries else "none"
    result["drive"] = {
        "objects": objects,
        "loops": loops,
        "odometry_noise": odometry_noise,
        "drift": drift,
        "turn_deg_per_m": turn,
        "changes": changes,
    }
    result["drift_at_end"] = dict(zip(("m", "deg"), np.mean(drifts, axis=0).tolist(), strict=True))
    result["loops"] = {
        "problem": next((one.problem for one in closed if one.problem), ""),
        "found": sum(one.found for one in closed),
        "waiting": sum(one.waiting for one in closed),
        "refused": dict(sum((Counter(one.refused) for one in closed), Counter())),
        "applied": sum(one.applied for one in closed),
        "residual_m": _median([one.residual_m for one in closed if one.residual_m is not None]),
    }
    if after:
        result["after_correction"] = summary(c.score for c in after)
        result["with_right_poses"] = summary(c.right for c in after)
        result["correction_s"] = float(np.median([c.seconds for c in after]))
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


def fitted(true_poses: Sequence[Pose], poses: Sequence[Pose]) -> Pose:
    """The turn about z and the shift that put the poses (N) of a way best onto the true ones: the
    mean turn of the cameras, then the mean shift of their places."""
    true, seen = (np.array([pose.translation for pose in way]) for way in (true_poses, poses))
    turns = [a.rotation @ b.rotation.T for a, b in zip(true_poses, poses, strict=True)]
    mean = np.sum(turns, axis=0)
    yaw = math.atan2(float(mean[1, 0] - mean[0, 1]), float(mean[0, 0] + mean[1, 1]))
    turn = turn_about_z(yaw, 0.0, 0.0, 0.0).rotation
    return Pose(turn, true.mean(axis=0) - turn @ seen.mean(axis=0))


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def find_recordings() -> list[Path]:
    """Recorded sequences beside the repository; may be empty."""
    folder = data_beside_the_repository("sequences")
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder else []


@dataclass(frozen=True, slots=True)
class Corrected:
    """One room after its true poses were given back.

    Attributes:
        right: of a drive with right poses. seconds: that the correction took.
    """

    score: RoomScore
    right: RoomScore
    seconds: float


def _map_room(
    sequence: SimulatedSequence,
    noise: bool,
    loop_closure: bool,
    after: list[Corrected] | None = None,
) -> tuple[RoomScore, OverviewEntry, LoopReport]:
    """Map a room.

    Args:
        after: receives the result of giving the true poses back.
    """
    detector: Detector = InstanceCamera(sequence.class_names)
    if noise:
        detector = NoisyDetector(detector, DetectorNoise(), sequence.room.seed)
    counter = VisibilityCounter(sequence.room, MIN_PIXELS)

    def counted(frames: Iterable[RGBDFrame]) -> Iterable[RGBDFrame]:
        for frame in frames:
            assert frame.instances is not None
            counter.add(frame.instances)
            yield frame

    corrected: list[tuple[MemorySnapshot, float]] = []

    def give_back(memory: Memory) -> None:
        stamps_ns = [counted_stamp_ns(number, RATE_HZ) for number in range(len(sequence))]
        start = time.perf_counter()
        memory.correct_poses(np.array(stamps_ns), sequence.true_poses)
        corrected.append((memory.snapshot(), time.perf_counter() - start))

    frames = counted(read_sequence(sequence))
    world_T_map: list[Pose] = []

    def finish(memory: Memory) -> None:
        stamps_ns = [counted_stamp_ns(number, RATE_HZ) for number in range(len(sequence))]
        world_T_map.append(fitted(sequence.true_poses, memory.poses_at(stamps_ns)))
        if after is not None:
            give_back(memory)

    config = SceneMindConfig(loop_closure=LoopClosureConfig(enabled=loop_closure))
    run, loops = _run(sequence, detector, config, frames, finish)
    seen = counter.seen(MIN_FRAMES)
    if after is not None:
        exact, _, _ = _map_room(replace(sequence, odometry=None), noise, loop_closure)
        (snapshot, seconds), at_end = corrected[0], sequence.room_at(run.snapshot.stamp_ns)
        found = score_room(at_end.seed, at_end, snapshot.objects.values(), seen)
        after.append(Corrected(found, exact, seconds))
    room, objects = sequence.room_at(run.snapshot.stamp_ns), run.snapshot.objects.values()
    drift = world_T_map[0] if sequence.odometry else None
    score = score_room(room.seed, room, objects, seen, drift)
    if sequence.changes:
        left = places_seen_again(sequence)
        stale = stale_objects(objects, sequence, left)
        score = replace(score, left=len(left), stale=len(stale))
    figures = {name: f"{value:.2f}" for name, value in summary([score]).items()}
    truth = true_objects(room, seen, run.snapshot, drift)
    return score, OverviewEntry(replace(run, truth=truth), figures), loops


def _map_recording(path: Path) -> OverviewEntry:
    sequence = open_sequence(path)
    config, detector = choose_detector(SceneMindConfig(), sequence, None)
    run, _ = _run(sequence, detector, config, read_sequence(sequence))
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
    at_end: Callable[[Memory], None] | None = None,
) -> tuple[Run, LoopReport]:
    """Args: at_end: called with the memory once the run was noted."""
    with (
        Memory.create(None, config) as memory,
        closing(LoopClosing(memory, config.loop_closure, patiently=True)) as loops,
    ):
        mapper = Mapper(detector, memory, config, loops=loops)
        map_all(mapper, frames)
        run = Run(
            sequence=sequence.name,
            detector=detector.name,
            is_simulated=isinstance(sequence, SimulatedSequence),
            frames=memory.last_frame_number + 1,
            dropped=dict(sequence.drops),
            snapshot=memory.snapshot(),
            path=memory.trajectory(),
            locations=memory.tree(),
            stages_ms={name: s.median_ms for name, s in mapper.timings.stats().items()},
            ground=ground_of(memory),
        )
        if at_end is not None:
            at_end(memory)
        return run, loops.report()
