"""Backs that no view shows: a screen on a wall or a desk is seen from the front.

Depth shows its front, or little of it, as black glass has none, and around it the wall behind,
which masks take with them. How deep such things are is known of their kind: what lies farther
behind the front is no part of it, and what is thinner has a back that nobody saw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, turned_box
from scenemind.memory.objects.extent import box_of
from scenemind.memory.types import MapObject
from scenemind.perception.standing import Range

# A thing's front: this share of its points is not nearer to the cameras.
_FRONT_SHARE = 0.9
# Less of the points within the usual depth is no front of a flat thing.
_LEAST_SHARE = 0.6
# Cosine between a view and the way out of the front, from which on it shows the back.
_FROM_BEHIND = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A flat thing with the back that nobody saw, and without what lies behind it.

    Attributes:
        points: (M, 3), M > 0, those that were seen of it; read-only.
        box, yaw_box: around it with its back.
        seen_share: of its depth.
    """

    points: NDArray[np.float32]
    box: Box3D
    yaw_box: Box3D
    seen_share: float

    def of(self, thing: MapObject) -> MapObject:
        """The thing as a whole."""
        return replace(
            thing,
            points=self.points,
            box=self.box,
            known_yaw_box=self.yaw_box,
            measured_share=thing.measured_share * self.seen_share,
        )


class HiddenBack:
    """The back of one flat thing, found again where what it was found from has changed. Copies of
    an object share one, on several threads."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: tuple[NDArray[np.float32], Range, bytes, Whole | None] | None = None

    def complete(self, thing: MapObject, usual_m: Range, views: NDArray[np.float64]) -> MapObject:
        """The thing as a whole; the same where nothing is missing. See `find_whole`."""
        known, seen_from = self._known, views.tobytes()
        if known is None or known[0] is not thing.points or known[1:3] != (usual_m, seen_from):
            whole = find_whole(thing.points, thing.yaw_box, usual_m, views)
            self._known = known = thing.points, usual_m, seen_from, whole
        whole = known[3]
        return thing if whole is None else whole.of(thing)


def find_whole(
    points: NDArray[np.float32],
    yaw_box: Box3D,
    usual_m: Range,
    views: NDArray[np.float64],
) -> Whole | None:
    """What is known of a flat thing by what was seen of it; None where it is as deep as its kind
    is, or its back was seen too, or its points are no flat thing's.

    Args:
        points: (M, 3), M > 0, world, metres. yaw_box: around them.
        usual_m: least and most depth of its kind, metres.
        views: (D, 2), horizontal unit directions from the cameras to the thing.
    """
    (length, width, _), turn = yaw_box.size, yaw_box.yaw
    out = np.array((cos(turn), sin(turn)) if length <= width else (-sin(turn), cos(turn)))
    along = views @ out
    if along.sum() > 0.0:
        out, along = -out, -along
    if not len(views) or along.max() > _FROM_BEHIND:
        return None
    least_m, most_m = usual_m
    forward_m = points[:, :2] @ out
    front_m = float(np.quantile(forward_m, _FRONT_SHARE))
    own = forward_m >= front_m - most_m
    seen_m = float(forward_m[own].min())
    missing_m = seen_m - min(seen_m, front_m - least_m)
    is_all = bool(own.all())
    if own.mean() < _LEAST_SHARE or (is_all and missing_m == 0.0):
        return None
    if not is_all:
        points = points[own]
        points.setflags(write=False)
    back = points - np.array((*(missing_m * out), 0.0), np.float32)
    whole = np.concatenate((points, back))
    box = box_of(whole, np.zeros((0, 6), np.float32), None, None, 0.0)
    depth_m = float(forward_m.max()) - seen_m
    return Whole(points, box, turned_box(whole, box), depth_m / (depth_m + missing_m))
