"""What is known of a box when an answer is given, as numbers of which more speaks for it."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.reasoning.vlm_grounder.map_match import MapMatch
from scenemind.reasoning.vlm_grounder.types import Measured

Evidence = Mapping[str, float]
"""By name, as of `EVIDENCE_RANGES`."""

MASKS_BY_MODEL = "masks_by_model"

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
"""Evidence beyond its range is taken for the range's end: nothing was measured there."""

_OF_VIEWS = ("fullest_view", "usual_view", "views_agree", MASKS_BY_MODEL, "thickness")
EVIDENCE_OF: Mapping[str, tuple[str, ...]] = {
    "measured": (*_OF_VIEWS, "picture_share"),
    "measured_and_mapped": (*_OF_VIEWS, "map_agrees"),
    "mapped_and_measured": (*_OF_VIEWS, "picture_share", "map_agrees", "looks"),
    "mapped": ("thickness", "looks"),
}
"""What each kind of box is judged by; see `Calibration`."""

_FARTHEST_M = 0.1  # the paper's limit on Chamfer distances


def of_measured(measured: Measured, match: MapMatch | None) -> Evidence:
    """Of the measured box.

    Args:
        match: the map's object that stands there; None: the map has none.
    """
    evidence = {**_of_views(measured), "thickness": _thickness(measured.box)}
    return evidence if match is None else {**evidence, **_of_match(match)}


def of_mapped(thing: MapObject, measured: Measured | None, match: MapMatch | None) -> Evidence:
    """Of the map's box.

    Args:
        match: of this object and the box that was measured; None: nothing was measured there.
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
    """Of the box with the bounds of each cloud (M, 3)."""
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
