"""Services that tell what was where, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.memory import Memory
from scenemind.memory.history import TimeSpan, Visit
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.conversions.history import change_to_msg, fill_place, visit_to_msg
from scenemind_ros.errors import RosError
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession


class HistoryServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("get_changes", srv.GetChanges, self._get_changes)
        yield Service("where_was", srv.WhereWas, self._where_was)

    def _get_changes(
        self, request: srv.GetChanges.Request, response: srv.GetChanges.Response
    ) -> None:
        memory = self._session.memory
        visits = memory.history.visits()
        response.visits = [visit_to_msg(visit) for visit in visits]
        since_ns = stamp_ns(request.since)
        if since_ns:
            before, after = _since(memory, visits, since_ns)
        else:
            before, after = _of_visits(visits, request.before_visit, request.after_visit)
        found = memory.history.changes(before, after)
        response.changes = [change_to_msg(change) for change in found.changes]
        response.unchanged = found.unchanged
        response.unseen_ids = list(found.unseen)

    def _where_was(self, request: srv.WhereWas.Request, response: srv.WhereWas.Response) -> None:
        place = self._session.memory.history.place_of(request.object_id, stamp_ns(request.stamp))
        if place is None:
            raise RosError(
                f"object {request.object_id} had not been seen yet at {stamp_ns(request.stamp)} ns",
                Error.NOT_FOUND,
            )
        fill_place(place, response)


def _of_visits(visits: Sequence[Visit], before: int, after: int) -> tuple[TimeSpan, TimeSpan]:
    """Raises RosError when there is no such visit, or none before it."""
    after = after or len(visits)
    before = before or after - 1
    for number in (before, after):
        if not 1 <= number <= len(visits):
            raise RosError(
                f"there is no visit {number}; this memory has {len(visits)} (a new one begins after"
                " some minutes without frames): name one, or give `since`",
                Error.NOT_FOUND,
            )
    return visits[before - 1].span, visits[after - 1].span


def _since(memory: Memory, visits: Sequence[Visit], since_ns: int) -> tuple[TimeSpan, TimeSpan]:
    """From the beginning to the stamp, and from the stamp to now."""
    if not visits:
        raise RosError("nothing has been mapped yet", Error.EMPTY_MEMORY)
    first_ns, now_ns = visits[0].span.first_ns, memory.snapshot().stamp_ns
    if not first_ns <= since_ns < now_ns:
        raise RosError(f"{since_ns} ns is not within what was mapped: {first_ns} to {now_ns} ns")
    return TimeSpan(first_ns, since_ns), TimeSpan(since_ns, now_ns)
