"""Which object of the map a measured box is of, if any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from scenemind.geometry.overlap import iou_3d
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.reasoning.vlm_grounder.types import Measured, Target

# The object that was detected in the very image is meant, if the box is about there: of a long
# table one view may show a piece.
_DETECTED_IOU, _DETECTED_INSIDE = 0.1, 0.5
# Another one must be nearly the same box.
_OTHER_IOU, _OTHER_INSIDE, _OTHER_TIMES_LARGER = 0.25, 0.6, 4.0
_MARGIN_M = 0.05

Bond = Literal["same", "elsewhere", "gone"]


@dataclass(frozen=True, slots=True, eq=False)
class MapMatch:
    """
    Attributes:
        thing: of the map.
        bond: it stands where was measured; or it was there, and stands elsewhere now; or it is gone
            since.
        iou: of its box and the measured one.
        inside: share of the measured points in its box.
    """

    thing: MapObject
    bond: Bond
    iou: float
    inside: float


def find_match(target: Target, measured: Measured, snapshot: MemorySnapshot) -> MapMatch | None:
    """The object that explains a measured box; None: the map knows of none there."""
    detected = snapshot.objects.get(target.object_id or 0)
    if detected is not None:
        match = _compared(detected, measured, "same")
        if match.iou >= _DETECTED_IOU or match.inside >= _DETECTED_INSIDE:
            return match
        if _came_after(detected, target.frame.stamp_ns):
            return _compared(detected, measured, "elsewhere")
    here = _best(snapshot.objects.values(), measured, "same")
    if here is not None:
        return here
    gone = (thing for thing in snapshot.gone.values() if _left_after(thing, target.frame.stamp_ns))
    return _best(gone, measured, "gone")


def _best(things: Iterable[MapObject], measured: Measured, bond: Bond) -> MapMatch | None:
    """Of those that are nearly the measured box, the one that is most like it."""
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
    """A gone object was seen until after this."""
    return not thing.stays or thing.stays[-1].gone_ns > stamp_ns
