"""Finding an object again by where it stood and what it was, when its id says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.objects.association import compare_boxes
from scenemind.memory.types import MapObject, ObjectAnchor

# Boxes that share this much of their union are one thing whatever the labels say.
SAME_BOX_IOU = 0.5
# Of one label they are one thing when their centres are this near, as a share of their mean
# diagonal and as far as a rebuilt map drifts, and the shorter diagonal has this share.
MOST_OFFSET = 0.5
DRIFT_M = 0.1
LEAST_SIZE_RATIO = 0.5
# The best place must be this much better than the second to be the one.
CLEARLY_BETTER = 0.2


@dataclass(frozen=True, slots=True)
class Place:
    """The object that stands where an anchor was.

    Attributes:
        score: in (0, 1]; 1: exactly the same box.
        rivals: other objects that may be it as well, best first; none: it is the one.
    """

    object_id: int
    score: float
    rivals: tuple[int, ...] = ()


def likeness(anchor: ObjectAnchor, things: Mapping[int, MapObject]) -> NDArray[np.float64]:
    """How likely each of the things (N,) is the one that was anchored, in [0, 1]; 0: it is not."""
    if not things:
        return np.zeros(0)
    bounds = np.array([thing.box.extent() for thing in things.values()])
    at = np.broadcast_to(np.array(anchor.box.extent()), bounds.shape)
    compared = compare_boxes(at, bounds)
    name = anchor.label.casefold()
    labels = [thing.perceived_label.casefold() == name for thing in things.values()]
    diagonal_m = np.linalg.norm(at[:, 3:] - at[:, :3], axis=1)
    limit = MOST_OFFSET + DRIFT_M / np.maximum(diagonal_m, DRIFT_M)
    near = (compared.offset <= limit) & (compared.size_ratio >= LEAST_SIZE_RATIO)
    able = (np.array(labels) & near) | (compared.iou >= SAME_BOX_IOU)
    closeness = np.clip(1.0 - compared.offset / limit, 0.0, 1.0)
    scores = (compared.iou + closeness * compared.size_ratio) / 2.0
    return np.where(able, np.clip(scores, 1e-6, 1.0), 0.0)


def find_place(anchor: ObjectAnchor, things: Mapping[int, MapObject]) -> Place | None:
    """The thing that stands where the anchor was; None where nothing like it does."""
    scores = likeness(anchor, things)
    order = sorted(zip(-scores, things, strict=True))
    able = [(-score, object_id) for score, object_id in order if score < 0.0]
    if not able:
        return None
    (best, object_id), *others = able
    rivals = tuple(other for score, other in others if score > best - CLEARLY_BETTER)
    return Place(object_id, float(best), rivals)
