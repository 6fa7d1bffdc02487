"""The probability that a box is right, given that it is of the right object, as measured in
simulated rooms (`python -m benchmarks projection --calibrate`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, log10
from statistics import fmean, median
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from scenemind.geometry import Box3D, iou_matrix_2d
from scenemind.geometry.box import iou_3d
from scenemind.language.english import read_table
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.reasoning.vlm_grounder.projection.pictures import find_bounds_px
from scenemind.reasoning.vlm_grounder.targets import Measured, Target

BoxKind = Literal["measured", "measured_and_mapped", "mapped_and_measured", "mapped"]
"""A measured box where the map has nothing, or something; the map's where something was measured,
or nothing."""
CLOSE, NEAR = 0.5, 0.25
"""IoU with the true box above which a box is right: to choose one of two, and to have found it."""
_FILES = {CLOSE: "calibration.yaml", NEAR: "calibration_at_25.yaml"}
_STEEPEST = 30.0  # of a logit; beyond it exp says nothing more


class LogisticModel(BaseModel):
    """P = 1 / (1 + exp(-(intercept + sum of weight * evidence))).

    No weight is negative, so that more evidence never lowers the probability; only the weight of
    the segmenter may be.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    intercept: float
    weights: Mapping[str, float]

    @model_validator(mode="after")
    def _is_monotone(self) -> Self:
        for name, weight in self.weights.items():
            if name not in EVIDENCE_RANGES:
                raise ValueError(f"there is no evidence {name!r}: {', '.join(EVIDENCE_RANGES)}")
            if weight < 0.0 and name != MASKS_BY_MODEL:
                raise ValueError(
                    f"the weight of {name} is {weight}: more evidence would speak against a box"
                )
        return self

    def probability(self, evidence: Evidence) -> float:
        """Above 0 and below 1.

        Args:
            evidence: has all that there is a weight for.
        """
        logit = self.intercept
        for name, weight in self.weights.items():
            low, high = EVIDENCE_RANGES[name]
            logit += weight * min(max(evidence[name], low), high)
        return 1.0 / (1.0 + exp(-min(max(logit, -_STEEPEST), _STEEPEST)))


class Provenance(BaseModel):
    """The origin of a calibration.

    Attributes:
        command: wrote the file.
        conditions: of the simulated recordings, in turns.
        fitted_rooms, held_out_rooms: first and last seed.
        fitted_targets, held_out_targets: objects that were measured in them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    conditions: tuple[str, ...]
    fitted_rooms: tuple[int, int]
    held_out_rooms: tuple[int, int]
    fitted_targets: int
    held_out_targets: int


MASKS_BY_MODEL = "masks_by_model"
_OF_VIEWS = ("fullest_view", "usual_view", "views_agree", MASKS_BY_MODEL, "thickness")
EVIDENCE_OF: Mapping[str, tuple[str, ...]] = {
    "measured": (*_OF_VIEWS, "picture_share"),
    "measured_and_mapped": (*_OF_VIEWS, "map_agrees"),
    "mapped_and_measured": (*_OF_VIEWS, "picture_share", "map_agrees", "looks"),
    "mapped": ("thickness", "looks"),
}


class Calibration(BaseModel):
    """P(IoU of a box with the true one above a limit | the box is of the right thing), by kind of
    box."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provenance: Provenance
    models: Annotated[Mapping[BoxKind, LogisticModel], Field(min_length=len(EVIDENCE_OF))]

    def probability(self, kind: BoxKind, evidence: Evidence) -> float:
        """Above 0 and below 1; see `LogisticModel.probability`."""
        return self.models[kind].probability(evidence)


@cache
def calibration(right_iou: float = CLOSE) -> Calibration:
    """The calibration of this version, for `CLOSE` or `NEAR`."""
    return Calibration.model_validate(read_table(__package__, _FILES[right_iou]))


class BoxOdds(NamedTuple):
    """P(IoU with the true box > 0.5, and > 0.25 | right object)."""

    close: float
    near: float

    @classmethod
    def of(cls, kind: BoxKind, evidence: Evidence) -> BoxOdds:
        """By both calibrations; what is close is near."""
        close = calibration(CLOSE).probability(kind, evidence)
        return cls(close, max(close, calibration(NEAR).probability(kind, evidence)))


def measured_box_right(measured: Measured, match: MapMatch | None) -> BoxOdds:
    """The odds of a measured box.

    Args:
        match: the map's object at this place; None: the map has none.
    """
    kind: BoxKind = "measured" if match is None else "measured_and_mapped"
    return BoxOdds.of(kind, of_measured(measured, match))


def map_box_right(thing: MapObject, measured: Measured | None, match: MapMatch | None) -> BoxOdds:
    """The odds of the map's box.

    Args:
        match: of this object with the measured box; None: nothing was measured.
    """
    kind: BoxKind = "mapped" if match is None else "mapped_and_measured"
    return BoxOdds.of(kind, of_mapped(thing, measured, match))


Evidence = Mapping[str, float]
"""Values by name; see `EVIDENCE_RANGES`."""
EVIDENCE_RANGES: Mapping[str, tuple[float, float]] = {
    "map_agrees": (0.0, 1.0),  # IoU of the measured box and the map's
    "fullest_view": (0.0, 1.0),  # IoU of the box and what one view shows: the view that shows most
    "usual_view": (0.0, 1.0),  # and the median of the views
    "views_agree": (0.0, 1.0),  # 1: Chamfer distances of 0; 0: of 0.1 m, or there is one view only
    "picture_share": (-4.0, -0.5),  # of the first image, in its mask: decimal logarithm
    "thickness": (-2.0, 0.0),  # shortest side in metres: decimal logarithm
    "looks": (0.0, 2.0),  # that the map's box rests on: decimal logarithm
    MASKS_BY_MODEL: (0.0, 1.0),  # 1: by a segmenting model; 0: by depth and colour
}
"""Ranges of the evidence of each kind of box (see `Calibration`). Evidence outside its range is
clipped: there are no measurements there."""
_FARTHEST_M = 0.1  # the paper's limit on Chamfer distances


def of_measured(measured: Measured, match: MapMatch | None) -> Evidence:
    """Evidence for a measured box.

    Args:
        match: the map's object at this place; None: the map has none.
    """
    evidence = {**_of_views(measured), "thickness": _thickness(measured.box)}
    return evidence if match is None else {**evidence, **_of_match(match)}


def of_mapped(thing: MapObject, measured: Measured | None, match: MapMatch | None) -> Evidence:
    """Evidence for the map's box.

    Args:
        match: of this object with the measured box; None: nothing was measured.
    """
    evidence = {"thickness": _thickness(thing.box), "looks": _looks(thing)}
    if measured is None or match is None:
        return evidence
    return {**_of_views(measured), **evidence, **_of_match(match)}


def _of_match(match: MapMatch) -> dict[str, float]:
    return {"map_agrees": match.iou, "looks": _looks(match.thing)}


def _of_views(measured: Measured) -> dict[str, float]:
    shown = _ious([view.points for view in measured.views], measured.box)
    others = [view.chamfer_m for view in measured.views[1:]]
    apart_m = fmean(others) if others else _FARTHEST_M
    anchor = measured.views[0]
    camera = anchor.frame.camera
    pixels = max(1, int(np.count_nonzero(anchor.mask.bits)))
    return {
        "fullest_view": max(shown),
        "usual_view": median(shown),
        "views_agree": 1.0 - apart_m / _FARTHEST_M,
        "picture_share": log10(pixels / (camera.width * camera.height)),
        MASKS_BY_MODEL: float(measured.masks != DepthSegmenter.name),
    }


def _ious(clouds: list[NDArray[np.float32]], box: Box3D) -> list[float]:
    """IoU of the box with the bounds of each cloud (M, 3)."""
    low = np.array([cloud.min(axis=0) for cloud in clouds], np.float64)
    high = np.array([cloud.max(axis=0) for cloud in clouds], np.float64)
    box_low, box_high = box.bounds()
    shared = np.clip(np.minimum(high, box_high) - np.maximum(low, box_low), 0.0, None).prod(axis=1)
    union = (high - low).prod(axis=1) + box.volume - shared
    return [float(iou) for iou in shared / np.maximum(union, 1e-12)]


def _thickness(box: Box3D) -> float:
    return log10(max(min(box.size), 1e-3))


def _looks(thing: MapObject) -> float:
    return log10(max(thing.observation_count, 1))


# The object that was detected in the very image is meant, if the box is about there: of a long
# table one view may show a piece.
_DETECTED_IOU, _DETECTED_INSIDE = 0.1, 0.5
# Another one must be nearly the same box.
_OTHER_IOU, _OTHER_INSIDE, _OTHER_TIMES_LARGER = 0.25, 0.6, 4.0
_MARGIN_M = 0.05
# An outline that is about the same is of the same object, if points of it are there too.
_ALIKE, _OF_CLASS_ALIKE, _TOUCHING = 0.5, 0.3, 0.05
Bond = Literal["same", "elsewhere", "gone"]


@dataclass(frozen=True, slots=True, eq=False)
class MapMatch:
    """A measured box with an object of the map.

    Attributes:
        thing: of the map.
        bond: "same": the object stands where was measured; "elsewhere": it has moved since; "gone":
            it is gone since.
        iou: of both boxes.
        inside: share of the measured points in the map's box.
    """

    thing: MapObject
    bond: Bond
    iou: float
    inside: float


def find_match(target: Target, measured: Measured, snapshot: MemorySnapshot) -> MapMatch | None:
    """The map's object that a measured box is of; None: the map has none there.

    It is the one that was detected there, or where another one's outline agrees and its own does
    not, that one: the measured points alone may lie on what the target stands at.
    """
    detected, own = snapshot.objects.get(target.object_id or 0), None
    if detected is not None:
        match = _compared(detected, measured, "same")
        if match.iou >= _DETECTED_IOU or match.inside >= _DETECTED_INSIDE:
            own = match
        elif _came_after(detected, target.frame.stamp_ns):
            return _compared(detected, measured, "elsewhere")
    if own is not None and outline_agrees(own.thing.box, measured) >= _OF_CLASS_ALIKE:
        return own
    things = [t for i, t in snapshot.objects.items() if i not in target.not_objects]
    here = _outlined(things, target, measured) or own
    if here is None and not target.is_drawn:
        here = _best(things, measured, "same")
    if here is not None:
        return here
    gone = (thing for thing in snapshot.gone.values() if _left_after(thing, target.frame.stamp_ns))
    return _best(gone, measured, "gone")


def _outlined(things: Iterable[MapObject], target: Target, measured: Measured) -> MapMatch | None:
    """The object whose outline in the first image agrees best with what was detected or drawn
    there, one of the class first, if points of it are there too."""
    agreed = []
    for thing in things:
        share, is_of_class = outline_agrees(thing.box, measured), thing.label in target.labels
        if share >= (_OF_CLASS_ALIKE if is_of_class else _ALIKE):
            agreed.append((is_of_class, share, thing))
    for _, _, thing in sorted(agreed, key=lambda entry: entry[:2], reverse=True):
        match = _compared(thing, measured, "same")
        if match.iou > _TOUCHING or match.inside > _TOUCHING:
            return match
    return None


def outline_agrees(box: Box3D, measured: Measured) -> float:
    """IoU of a box's outline in the first image with what was detected or drawn there."""
    anchor = measured.views[0]
    outline = find_bounds_px(box, anchor.frame.camera, anchor.frame.world_T_camera)
    if outline is None:
        return 0.0
    pair = np.array([outline, anchor.box_px], np.float32)
    return float(iou_matrix_2d(pair[:1], pair[1:])[0, 0])


def _best(things: Iterable[MapObject], measured: Measured, bond: Bond) -> MapMatch | None:
    """The match with the largest IoU, of objects whose box nearly is the measured one."""
    matches = [_compared(t, measured, bond) for t in things if _touch(t, measured)]
    fitting = [match for match in matches if _is_nearly(match, measured)]
    return max(fitting, key=lambda match: (match.iou, match.inside), default=None)


def _compared(thing: MapObject, measured: Measured, bond: Bond) -> MapMatch:
    inside = thing.box.contains(measured.points, _MARGIN_M)
    share = float(inside.mean()) if len(inside) else 0.0
    return MapMatch(thing, bond, iou_3d(thing.box, measured.box), share)


def _touch(thing: MapObject, measured: Measured) -> bool:
    a, b = thing.box.extent(), measured.box.extent()
    return all(a[axis] <= b[axis + 3] and b[axis] <= a[axis + 3] for axis in range(3))


def _is_nearly(match: MapMatch, measured: Measured) -> bool:
    if match.iou >= _OTHER_IOU:
        return True
    larger = match.thing.box.volume <= _OTHER_TIMES_LARGER * measured.box.volume
    return match.inside >= _OTHER_INSIDE and larger


def _came_after(thing: MapObject, stamp_ns: int) -> bool:
    return thing.here_since_ns is not None and thing.here_since_ns > stamp_ns


def _left_after(thing: MapObject, stamp_ns: int) -> bool:
    """Whether a gone object was last seen after a stamp."""
    return not thing.stays or thing.stays[-1].gone_ns > stamp_ns
