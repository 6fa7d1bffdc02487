"""Calibration of measured boxes and of the map's boxes, fitted in simulated rooms and checked in
held-out rooms."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.progress import Progress
from scipy.optimize import minimize

from benchmarks.filmed_room import MaskKind, TrueMasks, find_instance, instance_masks
from scenemind.config import SceneMindConfig, VlmGrounderConfig
from scenemind.errors import UsageError
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D, iou_3d
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.models import Allowance
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.protocols import Detector, Segmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.box_quality import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    MASKS_BY_MODEL,
    BoxKind,
    Calibration,
    Evidence,
    LogisticModel,
    Provenance,
    find_match,
    of_mapped,
    of_measured,
)
from scenemind.reasoning.vlm_grounder.projection import measure
from scenemind.reasoning.vlm_grounder.targets import BoxPx, Measured, StoredScene, Target
from scenemind.report.terminal import progress_console
from scenemind.simulation import (
    DepthNoise,
    Sensors,
    SimObject,
    SimpleDepthNoise,
    SimulatedSequence,
    StereoDepthNoise,
    simulate,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """Kinds of errors in a simulated room.

    Attributes:
        masks: kind of `TrueMasks`; depth: from depth and colour, without a segmenting model.
        odometry_noise: see `simulate`.
        detector_errs: whether mapping uses `DetectorNoise`.
    """

    name: str
    depth_noise: DepthNoise
    masks: MaskKind | Literal["depth"]
    odometry_noise: float = 0.0
    detector_errs: bool = True


CONDITIONS = (
    Condition("exact masks", SimpleDepthNoise(), "exact", detector_errs=False),
    Condition("coarse masks", StereoDepthNoise(), "coarse"),
    Condition("erring masks", StereoDepthNoise(), "erring"),
    Condition("noisier depth", StereoDepthNoise(matching_px=0.16), "coarse"),
    Condition("drift", StereoDepthNoise(), "coarse", odometry_noise=2.0),
    Condition("no segmenting model", StereoDepthNoise(), "depth"),
)
"""One condition per room, in turn; holes come with stereo depth. How often a robot meets each
condition is unknown: a calibration holds for this mixture."""
_SIZE_PX = 640, 480


@dataclass(frozen=True, slots=True, eq=False)
class MappedDrive:
    """A mapped drive through a room, with ground truth.

    Attributes:
        masks: frame number -> instance id -> its visible part, exactly; of stored frames.
    """

    sequence: SimulatedSequence
    memory: Memory
    masks: Mapping[int, Mapping[int, BoxMask]]
    condition: Condition

    def segmenter(self) -> Segmenter:
        kind = self.condition.masks
        return DepthSegmenter() if kind == "depth" else TrueMasks(self.masks, kind)

    def true_box(self, thing: SimObject, frame_number: int) -> Box3D:
        """Box in the map's frame, as odometry had drifted by then."""
        drift = self.sequence.world_T_odometry(frame_number).inverse()
        x, y, z = drift.transform(np.array(thing.box.center)).tolist()
        turn = float(np.arctan2(drift.rotation[1, 0], drift.rotation[0, 0]))
        return Box3D((x, y, z), thing.box.size, thing.box.yaw + turn)


@contextmanager
def mapped_drive(seed: int, condition: Condition, frames: int) -> Iterator[MappedDrive]:
    """Drive through the room of that seed and map it; images are stored as a robot stores them."""
    sensors = Sensors(*_SIZE_PX, condition.depth_noise, condition.odometry_noise)
    sequence = simulate(seed, frames, sensors)
    camera = InstanceCamera(sequence.class_names)
    detector: Detector = camera
    if condition.detector_errs:
        detector = NoisyDetector(camera, DetectorNoise(), seed)
    config, masks = SceneMindConfig(), {}
    with Memory.create(None, config) as memory:
        mapper = Mapper(detector, memory, config)
        for frame in read_sequence(sequence):
            assert frame.instances is not None
            mapper.process(frame)
            masks[frame.number] = instance_masks(frame.instances, camera.detect(frame))
            memory.flush()  # frames come faster here than from a camera: drop none
        stored = {number: masks[number] for number in memory.stored_frames()}
        yield MappedDrive(sequence, memory, stored, condition)


_LEAST_PX = 400  # pixels of the object in the image that the model points at
_LEAST_IOU = 0.5  # IoU of the detection in that image with the object
_PATIENCE_S = 600.0


@dataclass(frozen=True, slots=True)
class Judged:
    """A box with its evidence and its correctness.

    Attributes:
        room, target: seed and instance id.
        box: its kind: measured, or the map's box of a measured object.
        right: the IoU with the true box is above the limit.
        evidence: see `box_quality`; without a map object, that of the map is missing.
    """

    room: int
    target: int
    condition: str
    box: Literal["measured", "mapped"]
    right: bool
    evidence: Evidence


def judged_boxes(
    seed: int, condition: Condition, frames: int, right_iou: float = 0.5
) -> Iterator[Judged]:
    """All objects of a room, each measured once, without those that could not be measured.

    Args:
        right_iou: above it a box is right.
    """
    with mapped_drive(seed, condition, frames) as drive:
        for thing in drive.sequence.room.objects:
            target = _find_target(thing, drive)
            measured = None if target is None else _find_measured(target, drive)
            if target is not None and measured is not None:
                yield from _judged(thing, target, measured, drive, right_iou)


def _judged(
    thing: SimObject, target: Target, measured: Measured, drive: MappedDrive, right_iou: float
) -> Iterator[Judged]:
    truth = drive.true_box(thing, target.frame.frame_number)
    match = find_match(target, measured, drive.memory.snapshot())
    is_there = match is not None and match.bond == "same"
    known = drive.sequence.room.seed, thing.instance_id, drive.condition.name
    evidence = of_measured(measured, match if is_there else None)
    yield Judged(*known, "measured", iou_3d(measured.box, truth) > right_iou, evidence)
    if match is not None and is_there:
        evidence = of_mapped(match.thing, measured, match)
        yield Judged(*known, "mapped", iou_3d(match.thing.box, truth) > right_iou, evidence)


def _find_measured(target: Target, drive: MappedDrive) -> Measured | None:
    memory, config = drive.memory, VlmGrounderConfig()
    asking = Asking(Allowance(_PATIENCE_S))
    try:
        return measure(target, StoredScene.of(memory), drive.segmenter(), config, asking)
    except ReasoningError:  # no depth at all
        return None


def _find_target(thing: SimObject, drive: MappedDrive) -> Target | None:
    """One of the object's detections in stored images, as a model may point at it: preferably
    large."""
    index = drive.memory.frame_index()
    numbers = index.frame_numbers[index.detection_frames]
    rows, sizes = [], []
    for row, number in enumerate(numbers.tolist()):
        shown = drive.masks[number]
        if thing.instance_id not in shown:
            continue
        pixels = int(np.count_nonzero(shown[thing.instance_id].bits))
        found = find_instance(shown, index.detection_boxes_px[row], _LEAST_IOU)
        if pixels >= _LEAST_PX and found == thing.instance_id:
            rows.append(row)
            sizes.append(pixels)
    if not rows:
        return None
    rng = np.random.default_rng((drive.sequence.room.seed, thing.instance_id))
    row = int(rng.choice(rows, p=np.array(sizes) / sum(sizes)))
    x0, y0, x1, y1 = index.detection_boxes_px[row].tolist()
    box_px: BoxPx = (x0, y0, x1, y1)
    object_id = int(index.detection_objects[row])
    frame = drive.memory.key_frame(int(numbers[row]), (object_id,) if object_id else ())
    return Target(frame, box_px, object_id or None, float(index.detection_scores[row]))


_HEAD = ("room", "target", "condition", "box", "right")


def write_boxes(boxes: Iterable[Judged], path: Path) -> None:
    """Write the boxes as a file that is reproducible: the same boxes make the same bytes."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*_HEAD, *EVIDENCE_RANGES))
    for row in boxes:
        known = (row.room, row.target, row.condition, row.box, int(row.right))
        writer.writerow((*known, *(_rounded(row, name) for name in EVIDENCE_RANGES)))
    path.write_bytes(gzip.compress(file.getvalue().encode(), mtime=0))


def read_boxes(path: Path) -> list[Judged]:
    """Read the boxes that `write_boxes` wrote."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return [
            Judged(
                int(row["room"]),
                int(row["target"]),
                row["condition"],
                "measured" if row["box"] == "measured" else "mapped",
                row["right"] == "1",
                {name: float(row[name]) for name in EVIDENCE_RANGES if row[name]},
            )
            for row in csv.DictReader(file)
        ]


def _rounded(row: Judged, name: str) -> str:
    return f"{row.evidence[name]:.3g}" if name in row.evidence else ""


_RIDGE = 1e-3  # on weights of standardised columns
_DIGITS = 3


def of_kind(boxes: Sequence[Judged], kind: BoxKind) -> list[Judged]:
    """Boxes that a kind's model can judge: a box that the map knows also counts as a kind with less
    evidence."""
    whose = "measured" if kind.startswith("measured") else "mapped"
    names = EVIDENCE_OF[kind]
    return [row for row in boxes if row.box == whose and row.evidence.keys() >= set(names)]


def fitted(boxes: Sequence[Judged], kind: BoxKind) -> LogisticModel:
    """Logistic regression with a small ridge term, weights from 0 on (`LogisticModel`), by
    L-BFGS-B."""
    names = EVIDENCE_OF[kind]
    rows = of_kind(boxes, kind)
    columns = np.array([[_within(row.evidence[name], name) for name in names] for row in rows])
    right = np.array([row.right for row in rows], np.float64)
    center, spread = columns.mean(axis=0), np.maximum(columns.std(axis=0), 1e-6)
    table = np.column_stack((np.ones(len(rows)), (columns - center) / spread))
    free = (None, None)
    bounds = [free, *(free if name == MASKS_BY_MODEL else (0.0, None) for name in names)]
    found = minimize(
        _loss, np.zeros(len(bounds)), (table, right), jac=True, method="L-BFGS-B", bounds=bounds
    ).x
    weights = found[1:] / spread
    kept = {
        name: round(float(weight), _DIGITS)
        for name, weight in zip(names, weights, strict=True)
        if round(float(weight), _DIGITS) != 0.0
    }
    return LogisticModel(intercept=round(float(found[0] - weights @ center), _DIGITS), weights=kept)


def _within(value: float, name: str) -> float:
    low, high = EVIDENCE_RANGES[name]
    return min(max(value, low), high)


def _loss(
    weights: NDArray[np.float64], table: NDArray[np.float64], right: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Mean log loss with its ridge, and the gradient."""
    logit = table @ weights
    ridge = np.concatenate(([0.0], weights[1:]))
    loss = np.mean(np.logaddexp(0.0, logit) - right * logit) + _RIDGE * ridge @ ridge
    off = 1.0 / (1.0 + np.exp(-logit)) - right
    return float(loss), table.T @ off / len(right) + 2.0 * _RIDGE * ridge


BINS = 10


def calibration_error(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean distance between predicted and observed rate, over bins of
    equal width, weighted by their size.

    Args:
        said: (N,) in [0, 1]. right: (N,).
    """
    off = sum(abs(float(said[rows].sum() - right[rows].sum())) for rows in _bins(said, BINS))
    return off / len(said)


def brier_score(said: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Brier score: mean squared distance between prediction and outcome."""
    return float(np.mean((said - right) ** 2))


def reliability(
    said: NDArray[np.float64], right: NDArray[np.bool_], bins: int
) -> list[dict[str, Any]]:
    """Mean prediction and observed rate of each bin that has boxes."""
    return [
        {
            "boxes": len(rows),
            "said": float(said[rows].mean()),
            "right": float(right[rows].mean()),
        }
        for rows in _bins(said, bins)
    ]


def _bins(said: NDArray[np.float64], count: int) -> Iterator[NDArray[np.intp]]:
    """Rows of each bin that is not empty."""
    at = np.minimum((said * count).astype(np.intp), count - 1)
    for number in np.unique(at):
        yield np.flatnonzero(at == number)


_SHOWN_BINS = 5


def judgement(
    calibration: Calibration, fitted: Sequence[Judged], held_out: Sequence[Judged]
) -> dict[str, Any]:
    """Scores of a calibration on held-out boxes.

    - `kinds`: for each kind of box the observed rate `right`, the mean prediction `said`, the
      expected calibration error (`off`), the Brier score, and that of a constant prediction with
      the observed rate of the calibration data (`constant_brier`);
    - `reliability`: prediction and observed rate, by bin of the prediction;
    - `by_condition`: the same, by the cause of errors;
    - `likelier_first`: share of right boxes if the likelier of two boxes is taken, beside
      `measured_first` and `mapped_first`.
    """
    kinds, bins, conditions = [], [], []
    for kind in get_args(BoxKind):
        rows = of_kind(held_out, kind)
        said, right = _said(calibration, kind, rows), _right(rows)
        usual = float(_right(of_kind(fitted, kind)).mean())
        kinds.append(
            {
                "kind": kind,
                "boxes": len(rows),
                "right": float(right.mean()),
                "said": float(said.mean()),
                "off": calibration_error(said, right),
                "brier": brier_score(said, right),
                "constant_brier": brier_score(np.full(len(rows), usual), right),
            }
        )
        bins += [{"kind": kind, **row} for row in reliability(said, right, _SHOWN_BINS)]
        for name in dict.fromkeys(row.condition for row in rows):
            own = np.array([row.condition == name for row in rows])
            told = {"said": float(said[own].mean()), "right": float(right[own].mean())}
            conditions.append({"kind": kind, "condition": name, "boxes": int(own.sum()), **told})
    return {
        "kinds": kinds,
        "reliability": bins,
        "by_condition": conditions,
        **_order(calibration, held_out),
    }


def _order(calibration: Calibration, boxes: Sequence[Judged]) -> dict[str, float]:
    """Scores over objects that have both boxes."""
    both = {
        whose: {(row.room, row.target): row for row in of_kind(boxes, kind)}
        for whose, kind in _PAIR.items()
    }
    measured = [both["measured"][key] for key in both["mapped"]]
    mapped = list(both["mapped"].values())
    is_measured = _said(calibration, _PAIR["measured"], measured) >= _said(
        calibration, _PAIR["mapped"], mapped
    )
    right = np.where(is_measured, _right(measured), _right(mapped))
    return {
        "likelier_first": float(right.mean()),
        "measured_first": float(_right(measured).mean()),
        "mapped_first": float(_right(mapped).mean()),
    }


_PAIR: dict[str, BoxKind] = {"measured": "measured_and_mapped", "mapped": "mapped_and_measured"}


def _said(calibration: Calibration, kind: BoxKind, rows: Sequence[Judged]) -> NDArray[np.float64]:
    return np.array([calibration.probability(kind, row.evidence) for row in rows])


def _right(rows: Sequence[Judged]) -> NDArray[np.bool_]:
    return np.array([row.right for row in rows], np.bool_)


_FRAMES = 80  # frames of a drive
_HELD_OUT = 1 / 3  # share of the targets
_FEWEST = 20
KINDS: tuple[BoxKind, ...] = get_args(BoxKind)


def bench_calibration(targets: int, path: Path, right_iou: float = 0.5) -> dict[str, Any]:
    """Measure objects of simulated rooms, fit the calibration on two thirds of them, and check it
    on the others, which are of other rooms (`judgement`).

    Args:
        targets: least number of objects; all visible objects of a room are measured, hence
            there may be more.
        path: YAML file for the models, as the method reads it; the held-out boxes are written
            beside it, with the ending `.held-out.csv.gz`.
        right_iou: above it a box is right.

    Raises:
        UsageError: there are too few targets for a fit.
    """
    if targets < _FEWEST:
        raise UsageError(f"{targets} targets are too few for a calibration: take {_FEWEST} or more")
    with Progress(console=progress_console(), transient=True) as progress:
        task = progress.add_task("measuring", total=targets)

        def note() -> None:
            progress.advance(task)

        boxes, last = _filmed(1, round(targets * (1.0 - _HELD_OUT)), note, right_iou)
        held_out, end = _filmed(last + 1, round(targets * _HELD_OUT), note, right_iou)
    provenance = Provenance(
        command=f"python -m benchmarks projection --calibrate {path.name} --targets {targets}"
        f" --right-iou {right_iou:g}",
        conditions=tuple(condition.name for condition in CONDITIONS),
        fitted_rooms=(1, last),
        held_out_rooms=(last + 1, end),
        fitted_targets=_targets(boxes),
        held_out_targets=_targets(held_out),
    )
    models = {kind: fitted(boxes, kind) for kind in KINDS}
    calibration = Calibration(provenance=provenance, models=models)
    tree = calibration.model_dump(mode="json")
    path.write_text(yaml.safe_dump(tree, sort_keys=False, width=100), encoding="utf-8")
    write_boxes(held_out, path.with_suffix(".held-out.csv.gz"))
    return {
        "fitted_targets": provenance.fitted_targets,
        "held_out_targets": provenance.held_out_targets,
        **judgement(calibration, boxes, held_out),
    }


def _filmed(
    first: int, targets: int, note: Callable[[], None], right_iou: float
) -> tuple[list[Judged], int]:
    """Boxes of at least that many targets, from the rooms of a seed on, the same number for each
    condition, and the last room's seed."""
    boxes: list[Judged] = []
    seed = first
    while _targets(boxes) < targets:
        for condition in CONDITIONS:
            for box in judged_boxes(seed, condition, _FRAMES, right_iou):
                boxes.append(box)
                if box.box == "measured":
                    note()
            seed += 1
    return boxes, seed - 1


def _targets(boxes: Sequence[Judged]) -> int:
    return sum(box.box == "measured" for box in boxes)
