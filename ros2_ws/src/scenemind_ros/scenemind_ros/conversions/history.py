"""What changed in time, as messages."""

from __future__ import annotations

from typing import get_args

from scenemind.memory.history import ChangeKind, PlaceAt, SceneChange, TimeSpan, Visit
from scenemind_interfaces.msg import SceneChange as SceneChangeMsg
from scenemind_interfaces.msg import Visit as VisitMsg
from scenemind_interfaces.srv import WhereWas
from scenemind_ros.conversions.geometry import box_from_msg, box_to_msg, stamp_ns, time_to_msg
from scenemind_ros.errors import RosError

_NONE = -1  # what the interfaces write for an id that is not there


def visit_to_msg(visit: Visit) -> VisitMsg:
    first, last = visit.frame_numbers
    return VisitMsg(
        number=int(visit.number),
        first_stamp=time_to_msg(visit.span.first_ns),
        last_stamp=time_to_msg(visit.span.last_ns),
        first_frame_id=int(first),
        last_frame_id=int(last),
    )


def visit_from_msg(msg: VisitMsg) -> Visit:
    span = TimeSpan(stamp_ns(msg.first_stamp), stamp_ns(msg.last_stamp))
    return Visit(int(msg.number), span, (int(msg.first_frame_id), int(msg.last_frame_id)))


def change_to_msg(change: SceneChange) -> SceneChangeMsg:
    msg = SceneChangeMsg(
        kind=change.kind,
        object_id=int(change.object_id),
        label=change.label,
        old_label=change.old_label,
        earlier_id=_NONE if change.earlier_id is None else int(change.earlier_id),
        distance_m=float(change.distance_m or 0.0),
    )
    if change.before is not None:
        msg.has_before, msg.before = True, box_to_msg(change.before)
    if change.after is not None:
        msg.has_after, msg.after = True, box_to_msg(change.after)
    if change.between_ns is not None:
        msg.has_between = True
        msg.last_before, msg.first_after = map(time_to_msg, change.between_ns)
    return msg


def change_from_msg(msg: SceneChangeMsg) -> SceneChange:
    """Raises RosError for an unknown kind, GeometryError when a box is none."""
    kinds: dict[str, ChangeKind] = {kind: kind for kind in get_args(ChangeKind)}
    if msg.kind not in kinds:
        raise RosError(f"a change is {msg.kind!r}, not one of {', '.join(kinds)}")
    between = (stamp_ns(msg.last_before), stamp_ns(msg.first_after))
    return SceneChange(
        kind=kinds[msg.kind],
        object_id=int(msg.object_id),
        label=msg.label,
        before=box_from_msg(msg.before) if msg.has_before else None,
        after=box_from_msg(msg.after) if msg.has_after else None,
        between_ns=between if msg.has_between else None,
        earlier_id=None if msg.earlier_id == _NONE else int(msg.earlier_id),
        old_label=msg.old_label,
    )


def fill_place(place: PlaceAt, response: WhereWas.Response) -> None:
    """Where something was, into the response."""
    response.box = box_to_msg(place.box)
    response.knowledge = place.knowledge
    response.first_seen = time_to_msg(place.first_seen_ns)
    response.last_seen = time_to_msg(place.last_seen_ns)
    if place.gone_ns is not None:
        response.has_gone, response.gone = True, time_to_msg(place.gone_ns)
