"""Services that tell what was where, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
        history = self._session.memory.history
        visits = history.visits()
        response.visits = [visit_to_msg(visit) for visit in visits]
        if request.before_visit or request.after_visit:
            found = history.changes(*_spans(visits, request.before_visit, request.after_visit))
        else:
            found = history.changes_since(stamp_ns(request.since) or None)
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


def _spans(visits: Sequence[Visit], before: int, after: int) -> tuple[TimeSpan, TimeSpan]:
    """Raises RosError when there is no such visit, or none before it."""
    after = after or len(visits)
    before = before or after - 1
    for number in (before, after):
        if not 1 <= number <= len(visits):
            raise RosError(
                f"there is no visit {number}; this memory has {len(visits)} (a new one begins after"
                " some minutes without frames)",
                Error.NOT_FOUND,
            )
    return visits[before - 1].span, visits[after - 1].span
