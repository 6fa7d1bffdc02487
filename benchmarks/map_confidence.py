"""Fit of the weights in `memory/objects/plausible_labels.py`: how likely an object of the map is
right, on real places that people boxed and on simulated rooms, each also by a fit without it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import scenemind as sm
from scenemind.config import SceneMindConfig
from scenemind.evaluation.map_scores import FOUND_IOUS, score_map
from scenemind.evaluation.map_truth import load_truth
from scenemind.evaluation.reliability import find_reliability
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper, map_all
from scenemind.memory import MapObject, Memory
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.objects.plausible_labels import Weights, label_priors
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.simulation import Sensors, match_objects, simulate

_FRAMES, _WIDTH, _HEIGHT = 150, 320, 240
_RIDGE = 0.005  # weight of a weight's square
_SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Judged:
    """An object of a map whose truth is known.

    Attributes:
        votes, observations, missed: what `label_priors` knows of it.
        evidence: of size and place, for each label that it was given.
        label: the one that the map shows.
        is_right: such a thing is there, with a 3D IoU of 0.25 or more.
    """

    votes: Mapping[str, float]
    observations: int
    missed: int
    evidence: Mapping[str, float]
    label: str
    is_right: bool

    @classmethod
    def of(cls, record: ObjectRecord, thing: MapObject, is_right: bool) -> Judged:
        priors, nothing = label_priors(record.votes, record.observation_count, record.missed)
        told = thing.label_probabilities
        total = nothing / (1.0 - sum(told.values()))
        evidence = {name: told[name] * total / max(p, 1e-12) for name, p in priors.items()}
        counts = record.observation_count, record.missed
        return cls(record.votes, *counts, evidence, thing.perceived_label, is_right)

    def confidence(self, weights: Weights) -> float:
        """Of `label`, by these weights."""
        priors, nothing = label_priors(self.votes, self.observations, self.missed, weights)
        shares = {name: prior * self.evidence[name] for name, prior in priors.items()}
        return shares[self.label] / (sum(shares.values()) + nothing)


def bench_map_confidence(
    memories: Sequence[Path], truths: Sequence[Path], rooms: Collection[int]
) -> dict[str, Any]:
    """The weights fitted on each of two kinds of places, and how true confidences are.

    Args:
        memories: folders of mapped places. truths: a file of boxes made by hand for each. Maps with
            the same truth, such as of several detectors, are one place, left out together. Of
            the weights as they are each map is also judged by itself.
        rooms: seeds of simulated rooms; every second one is held out.
    """
    real: dict[str, list[Judged]] = {}
    alone: dict[str, list[Judged]] = {}
    for memory, truth in zip(memories, truths, strict=True):
        alone[f"map {memory.name}"] = judged = _real(memory, truth)
        real.setdefault(truth.stem, []).extend(judged)
    simulated = [_simulated(seed) for seed in rooms]
    held_out = {_SIMULATED: [judged for room in simulated[1::2] for judged in room]}
    result: dict[str, Any] = {}
    if simulated:
        result["fitted on simulated rooms"] = _told(fit(simulated[::2]), {**real, **held_out})
    if real:
        result["fitted on real places"] = _told(fit(list(real.values())), {**real, **held_out})
    for name in real if len(real) > 1 else ():
        others = fit([judged for other, judged in real.items() if other != name])
        result[f"fitted on real places but {name}"] = _told(others, {name: real[name]})
    result["now"] = _told(Weights(), {**real, **alone, **held_out})
    return result


def fit(places: Sequence[Sequence[Judged]]) -> Weights:
    """The weights under which the truth is likeliest; each place counts the same."""
    counts = np.concatenate([np.full(len(of), 1.0 / len(of)) for of in places if of])
    judged = [one for of in places for one in of]
    right = np.array([one.is_right for one in judged])

    def loss(values: NDArray[np.float64]) -> float:
        sure = np.array([one.confidence(Weights(*values.tolist())) for one in judged])
        likely = np.clip(np.where(right, sure, 1.0 - sure), 1e-4, 1.0)
        return float(-np.average(np.log(likely), weights=counts) + _RIDGE * values @ values)

    return Weights(*np.round(minimize(loss, np.zeros(3), method="L-BFGS-B").x, 2).tolist())


def _told(weights: Weights, places: Mapping[str, Sequence[Judged]]) -> dict[str, Any]:
    """Of each place how far the confidence is off, and would be if it were perfect."""
    found: dict[str, Any] = {
        "evidence": weights.evidence,
        "missed": weights.missed,
        "bias": weights.bias,
    }
    for name, judged in places.items():
        sure = [one.confidence(weights) for one in judged]
        reliability = find_reliability("acc_25", sure, [float(one.is_right) for one in judged])
        if reliability is not None:
            found[name] = {
                "objects": reliability.n,
                "calibration_error": round(reliability.calibration_error, 1),
                "of_a_perfect_one": round(reliability.error_if_perfect, 1),
                "perfect_ones_as_far_off": round(reliability.as_far_off, 1),
                "log_likelihood": round(_log_likelihood(sure, judged), 3),
            }
    return found


def _log_likelihood(sure: Sequence[float], judged: Sequence[Judged]) -> float:
    likely = [p if one.is_right else 1.0 - p for p, one in zip(sure, judged, strict=True)]
    return float(np.mean(np.log(np.clip(likely, 1e-4, 1.0))))


def _real(folder: Path, truth: Path) -> list[Judged]:
    with sm.open(folder, read_only=True) as scene:
        objects = scene.snapshot.objects
    judged = score_map(load_truth(truth), objects.values()).judged
    right = {
        one.found.object_id: one.verdict == "right" and one.iou >= FOUND_IOUS[0] for one in judged
    }
    return _judged(folder, objects, right)


def _simulated(seed: int) -> list[Judged]:
    config, sequence = SceneMindConfig(), simulate(seed, _FRAMES, Sensors(_WIDTH, _HEIGHT))
    detector = NoisyDetector(InstanceCamera(sequence.class_names), DetectorNoise(), seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "room"
        with Memory.create(path, config) as memory:
            map_all(Mapper(detector, memory, config), read_sequence(sequence))
            objects = memory.snapshot().objects
        right = dict.fromkeys(objects, False)
        for row in match_objects(objects.values(), sequence.room).matches:
            if row.object_id is not None:
                is_named = row.label == row.object_label
                right[row.object_id] = is_named and row.iou >= FOUND_IOUS[0]
        return _judged(path, objects, right)


def _judged(
    folder: Path, objects: Mapping[int, MapObject], right: Mapping[int, bool]
) -> list[Judged]:
    disk = MemoryDisk.open(folder, SceneMindConfig().store, to_read=True)
    try:
        records = {record.object_id: record for record in disk.load_to_read().objects}
    finally:
        disk.close()
    return [Judged.of(records[i], objects[i], is_right) for i, is_right in right.items()]
