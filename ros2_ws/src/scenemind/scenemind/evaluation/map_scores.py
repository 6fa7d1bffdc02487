"""Scores of a map against boxes that a person made by hand.

A thing is compared by its axis-aligned box and by its turned one, and the better IoU of the two
counts. Matching is one-to-one, with the largest sum of IoUs among the pairs whose label the truth
accepts. What a map has besides is wrong only where it stands in the place of a labelled thing:
people rarely label a place exhaustively.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.evaluation.map_truth import LabelledObject, MapTruth
from scenemind.evaluation.reliability import Reliability, find_reliability
from scenemind.geometry import (
    Box3D,
    Pose,
    gap_m,
    iou_3d,
    iou_matrix_2d,
)
from scenemind.memory import FrameIndex, MapObject
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.types import LIKELY
from scenemind.reasoning.vlm_grounder.projection.pictures import find_bounds_px
from scenemind.report.topdown import is_building

Verdict = Literal["right", "part", "double", "wrong", "unlabelled"]

THIN_M = 0.04  # thinner sides are taken as this thick: hands and depth place them no better
LEAST_IOU = 0.1  # of a thing and its match
FOUND_IOUS = (0.25, 0.5)
SURE = LIKELY
_IN_PLACE_IOU = 0.25  # of another label: it stands for that thing
_INSIDE = 0.5  # share of the smaller box's volume
# A detection shows a thing if it agrees with its place in the picture, or lies within it, as the
# visible part of a thing does.
_LEAST_PX_IOU = 0.3
_LEAST_PX_INSIDE, _LEAST_PX_PART = 0.8, 0.15
LEAST_FRAMES = 3


@dataclass(frozen=True, slots=True)
class TrueScore:
    """A labelled thing and its match in the map.

    Attributes:
        found: its match, of an accepted label; None: there is none, and the IoUs are 0.
        iou: the better one of the axis-aligned and the turned boxes.
        volume_ratio: volume of the match over its own, of the boxes with the better IoU.
        apart: the match holds the middle of no other thing of the same class.
        frames: stored frames of the memory with a detection of an accepted label in its place.
    """

    thing: LabelledObject
    found: MapObject | None
    iou: float
    aligned_iou: float
    turned_iou: float
    volume_ratio: float | None
    apart: bool
    frames: int


@dataclass(frozen=True, slots=True)
class MappedScore:
    """A map object and what stands in its place.

    Attributes:
        verdict: `right`: it is the match of a thing; `part`: it lies in a thing that accepts its
            label and has no match; `double`: that thing has another match; `wrong`: it stands in
            the place of a thing of another label; `unlabelled`: the truth does not say.
        thing: the thing of the verdict.
        iou: with the thing.
    """

    found: MapObject
    verdict: Verdict
    thing: LabelledObject | None
    iou: float


@dataclass(frozen=True, slots=True)
class Recall:
    """How well some things were found.

    Attributes:
        n, found: number of things, and of those with a match.
        at: least IoU -> number of things whose match reaches it.
        mean_iou: over matched things; None: there is none.
        mean_iou_of_all: 0 for a thing without a match.
        turned_iou: `mean_iou` of the turned boxes alone.
    """

    n: int
    found: int
    at: Mapping[float, int]
    mean_iou: float | None
    mean_iou_of_all: float
    turned_iou: float | None

    @classmethod
    def of(cls, scores: Collection[TrueScore]) -> Recall:
        """Of some things, at least one."""
        matched = [one for one in scores if one.found is not None]
        ious = [one.iou for one in matched]
        return cls(
            len(scores),
            len(matched),
            {least: sum(iou >= least for iou in ious) for least in FOUND_IOUS},
            sum(ious) / len(ious) if ious else None,
            sum(ious) / len(scores),
            sum(one.turned_iou for one in matched) / len(matched) if matched else None,
        )

    def as_json(self) -> dict[str, Any]:
        """Counts and means; `iou_25` counts things whose match has an IoU of 0.25 or more."""
        return {
            "n": self.n,
            "found": self.found,
            **{f"iou_{100 * least:.0f}": count for least, count in self.at.items()},
            "mean_iou": _rounded(self.mean_iou),
            "mean_iou_of_all": _rounded(self.mean_iou_of_all),
            "mean_turned_iou": _rounded(self.turned_iou),
        }


@dataclass(frozen=True, slots=True)
class MapScores:
    """A map beside the truth.

    Attributes:
        true: a score for each labelled thing, in their order.
        mapped: one for each map object, in order of ids.
    """

    true: tuple[TrueScore, ...]
    mapped: tuple[MappedScore, ...]
    exhaustive: bool

    @property
    def counted(self) -> list[TrueScore]:
        """Of the things that a map should have."""
        return [one for one in self.true if one.thing.counts]

    @property
    def detected(self) -> list[TrueScore]:
        """Of those of `counted` that at least `LEAST_FRAMES` stored frames show detected."""
        return [one for one in self.counted if one.frames >= LEAST_FRAMES]

    @property
    def of_class(self) -> dict[str, list[TrueScore]]:
        """Class -> scores of its things that can be detected, rough ones too."""
        groups: dict[str, list[TrueScore]] = {}
        for one in self.true:
            if one.thing.is_detectable:
                groups.setdefault(one.thing.group, []).append(one)
        return dict(sorted(groups.items()))

    @property
    def doubles(self) -> list[MappedScore]:
        """Map objects of things that have a better match."""
        return [one for one in self.mapped if one.verdict == "double"]

    @property
    def judged(self) -> list[MappedScore]:
        """Map objects about which the truth says something."""
        return [one for one in self.mapped if one.verdict != "unlabelled" or self.exhaustive]

    @property
    def ghosts(self) -> list[MappedScore]:
        """Judged map objects with a confidence of `SURE` or more that nothing of their label
        explains."""
        return [
            one
            for one in self.judged
            if one.verdict in ("wrong", "unlabelled") and one.found.confidence >= SURE
        ]

    @property
    def labels(self) -> tuple[int, int]:
        """How many judged map objects with a confidence of `SURE` or more there are, and how many
        of them are labelled right."""
        sure = sum(one.found.confidence >= SURE for one in self.judged)
        return sure, sure - len(self.ghosts)

    @property
    def volumes(self) -> dict[str, tuple[float, float, float]]:
        """Class -> least, median and largest volume of matches over that of their things, of
        well-placed things."""
        ratios: dict[str, list[float]] = {}
        for one in self.true:
            if one.volume_ratio is not None and one.thing.quality == "good":
                ratios.setdefault(one.thing.group, []).append(one.volume_ratio)
        return {name: (min(of), median(of), max(of)) for name, of in sorted(ratios.items())}

    @property
    def reliability(self) -> Reliability | None:
        """Confidence of judged map objects; right are matches with an IoU of 0.25 or more. None:
        there is no judged one."""
        scores = [float(one.verdict == "right" and one.iou >= FOUND_IOUS[0]) for one in self.judged]
        return find_reliability("acc_25", [one.found.confidence for one in self.judged], scores)

    def as_json(self) -> dict[str, Any]:
        """Everything as numbers and names."""
        sure, right = self.labels
        reliability = self.reliability
        return {
            "objects": len(self.mapped),
            "counted": _recall_json(self.counted),
            "detected": _recall_json(self.detected),
            "classes": {
                name: {
                    "n": len(of),
                    "found": sum(one.found is not None for one in of),
                    "apart": sum(one.apart for one in of),
                    "counted": _recall_json([one for one in of if one.thing.counts]),
                }
                for name, of in self.of_class.items()
            },
            "labels_of_sure": {"n": sure, "right": right},
            "doubles": [_named(one) for one in self.doubles],
            "ghosts": [_named(one) for one in self.ghosts],
            "volume_ratios": {
                name: {"least": round(a, 2), "median": round(b, 2), "largest": round(c, 2)}
                for name, (a, b, c) in self.volumes.items()
            },
            "reliability": None if reliability is None else reliability.as_json(),
            "true": [_true_json(one) for one in self.true],
            "mapped": [_mapped_json(one) for one in self.mapped],
        }


def _recall_json(scores: Collection[TrueScore]) -> dict[str, Any] | None:
    return Recall.of(scores).as_json() if scores else None


def _named(one: MappedScore) -> str:
    return f"{one.found.label} {one.found.object_id}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _true_json(one: TrueScore) -> dict[str, Any]:
    return {
        "id": one.thing.id,
        "label": one.thing.label,
        "counts": one.thing.counts,
        "object_id": None if one.found is None else one.found.object_id,
        "iou": _rounded(one.iou),
        "aligned_iou": _rounded(one.aligned_iou),
        "turned_iou": _rounded(one.turned_iou),
        "volume_ratio": _rounded(one.volume_ratio),
        "apart": one.apart,
        "detected_in_frames": one.frames,
    }


def _mapped_json(one: MappedScore) -> dict[str, Any]:
    return {
        "object_id": one.found.object_id,
        "label": one.found.label,
        "confidence": round(one.found.confidence, 3),
        "verdict": one.verdict,
        "thing": None if one.thing is None else one.thing.id,
        "iou": _rounded(one.iou),
    }


def score_map(
    truth: MapTruth, objects: Iterable[MapObject], index: FrameIndex | None = None
) -> MapScores:
    """Compare a map with a truth in the same world.

    Args:
        objects: of the map; floors, walls and ceilings among them are left out.
        index: stored frames of the map's memory, for counting detections; None: there are none.
    """
    things = truth.objects
    mapped = sorted((o for o in objects if not is_building(o)), key=lambda o: o.object_id)
    pairs = _Pairs.of(things, mapped)
    weights = np.where(pairs.accepted & (pairs.iou >= LEAST_IOU), pairs.iou, 0.0)
    rows, columns = scipy.optimize.linear_sum_assignment(weights, maximize=True)
    match = {
        int(row): int(column)
        for row, column in zip(rows, columns, strict=True)
        if weights[row, column] > 0.0
    }
    return MapScores(
        tuple(
            _true_score(row, match.get(row), things, mapped, pairs, index)
            for row in range(len(things))
        ),
        tuple(_mapped_score(column, match, things, mapped, pairs) for column in range(len(mapped))),
        truth.exhaustive,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Tables (things, map objects).

    Attributes:
        aligned, turned: IoU of the axis-aligned and of the turned boxes.
        inside: the larger share of the map object's volume in the thing, of both kinds of boxes.
        holds: likewise of the thing's volume in the map object.
        accepted: the map object has a label that the thing accepts.
    """

    aligned: NDArray[np.float64]
    turned: NDArray[np.float64]
    inside: NDArray[np.float64]
    holds: NDArray[np.float64]
    accepted: NDArray[np.bool_]

    @classmethod
    def of(cls, things: Sequence[LabelledObject], mapped: Sequence[MapObject]) -> _Pairs:
        shape = (len(things), len(mapped))
        aligned, turned, inside, holds = (np.zeros(shape) for _ in range(4))
        true_boxes = [(_thick(t.aligned_box), _thick(t.turned_box)) for t in things]
        map_boxes = [(_thick(m.box), _thick(m.yaw_box)) for m in mapped]
        for at in np.ndindex(shape):
            for table, a, b in zip(
                (aligned, turned), true_boxes[at[0]], map_boxes[at[1]], strict=True
            ):
                if gap_m(a, b) == 0.0:
                    table[at] = iou = iou_3d(a, b)
                    shared = iou / (1.0 + iou) * (a.volume + b.volume)
                    holds[at] = np.maximum(holds[at], shared / a.volume)
                    inside[at] = np.maximum(inside[at], shared / b.volume)
        accepted = [m.label.casefold() in t.names for t in things for m in mapped]
        return cls(aligned, turned, inside, holds, np.array(accepted, bool).reshape(shape))

    @property
    def iou(self) -> NDArray[np.float64]:
        """The better one of both kinds of boxes."""
        return np.maximum(self.aligned, self.turned)


def better_iou(thing: LabelledObject, aligned: Box3D, turned: Box3D) -> float:
    """Of a thing with both kinds of boxes of what may be it: the better IoU."""
    return max(
        iou_3d(_thick(thing.aligned_box), _thick(aligned)),
        iou_3d(_thick(thing.turned_box), _thick(turned)),
    )


def _thick(box: Box3D) -> Box3D:
    length, width, height = (max(side, THIN_M) for side in box.size)
    return Box3D(box.center, (length, width, height), box.yaw)


def _true_score(
    row: int,
    column: int | None,
    things: Sequence[LabelledObject],
    mapped: Sequence[MapObject],
    pairs: _Pairs,
    index: FrameIndex | None,
) -> TrueScore:
    thing = things[row]
    frames = 0 if index is None else _detected_frames(thing, index)
    if column is None:
        return TrueScore(thing, None, 0.0, 0.0, 0.0, None, False, frames)
    found = mapped[column]
    aligned, turned = float(pairs.aligned[row, column]), float(pairs.turned[row, column])
    if aligned >= turned:
        ratio = _thick(found.box).volume / _thick(thing.aligned_box).volume
    else:
        ratio = _thick(found.yaw_box).volume / _thick(thing.turned_box).volume
    middles = [t.center for t in things if t.group == thing.group and t is not thing]
    apart = not found.yaw_box.contains(np.array(middles).reshape(-1, 3)).any()
    return TrueScore(thing, found, max(aligned, turned), aligned, turned, ratio, apart, frames)


def _detected_frames(thing: LabelledObject, index: FrameIndex) -> int:
    """Number of stored frames with a detection of an accepted label where the thing projects to."""
    is_named = np.array([label.casefold() in thing.names for label in index.labels], bool)
    rows = np.flatnonzero(is_named[index.detection_labels])
    count = 0
    for frame in np.unique(index.detection_frames[rows]):
        camera = index.cameras[index.camera_indices[frame]]
        pose = Pose.from_matrix(index.world_T_camera[frame])
        bounds = find_bounds_px(thing.turned_box, camera, pose)
        if bounds is not None:
            boxes = index.detection_boxes_px[rows[index.detection_frames[rows] == frame]]
            count += _shows(boxes, np.array(bounds, np.float32))
    return count


def _shows(boxes_px: NDArray[np.float32], bounds_px: NDArray[np.float32]) -> bool:
    """Whether one of the detections (N, 4) is of a thing with these bounds (4,)."""
    iou = iou_matrix_2d(bounds_px[None], boxes_px)[0]
    sides = np.minimum(boxes_px[:, 2:], bounds_px[2:]) - np.maximum(boxes_px[:, :2], bounds_px[:2])
    shared = sides.clip(min=0.0).prod(axis=1)
    inside = shared >= _LEAST_PX_INSIDE * (boxes_px[:, 2:] - boxes_px[:, :2]).prod(axis=1)
    is_part = shared >= _LEAST_PX_PART * (bounds_px[2:] - bounds_px[:2]).prod()
    return bool(((iou >= _LEAST_PX_IOU) | (inside & is_part)).any())


def _mapped_score(
    column: int,
    match: Mapping[int, int],
    things: Sequence[LabelledObject],
    mapped: Sequence[MapObject],
    pairs: _Pairs,
) -> MappedScore:
    def score(verdict: Verdict, row: int) -> MappedScore:
        return MappedScore(mapped[column], verdict, things[row], float(pairs.iou[row, column]))

    for row, matched in match.items():
        if matched == column:
            return score("right", row)
    inside, iou = pairs.inside[:, column], pairs.iou[:, column]
    mostly_shared = np.maximum(inside, pairs.holds[:, column]) >= _INSIDE
    same = np.flatnonzero(pairs.accepted[:, column] & mostly_shared).tolist()
    if same:
        free = [row for row in same if row not in match]
        best = max(free or same, key=lambda row: float(inside[row]))
        return score("part" if free else "double", best)
    is_solid = np.array([sense_of(thing.label).holds_nothing for thing in things])
    stands_for = (iou >= _IN_PLACE_IOU) | (is_solid & (inside >= _INSIDE))
    others = np.flatnonzero(~pairs.accepted[:, column] & stands_for).tolist()
    if others:
        return score("wrong", max(others, key=lambda row: float(iou[row])))
    return MappedScore(mapped[column], "unlabelled", None, 0.0)
