"""Services that correct the memory and tell its journal."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind_interfaces import srv
from scenemind_ros.conversions import correction_to_msg, edit_from_msg
from scenemind_ros.errors import RosError
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession


class CorrectingServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("apply_corrections", srv.ApplyCorrections, self._apply_corrections)
        yield Service("undo_correction", srv.UndoCorrection, self._undo_correction)
        yield Service("list_corrections", srv.ListCorrections, self._list_corrections)

    def _apply_corrections(
        self, request: srv.ApplyCorrections.Request, response: srv.ApplyCorrections.Response
    ) -> None:
        if not request.corrections:
            raise RosError("no corrections are given")
        edits = [edit_from_msg(correction) for correction in request.corrections]
        first = request.corrections[0]
        applied = self._session.memory.apply(edits, first.by, first.reason)
        response.applied = [correction_to_msg(correction) for correction in applied]
        response.revision = self._session.memory.snapshot().revision

    def _undo_correction(
        self, request: srv.UndoCorrection.Request, response: srv.UndoCorrection.Response
    ) -> None:
        wanted = None if request.correction_id < 0 else request.correction_id
        response.correction = correction_to_msg(self._session.memory.undo(wanted))
        response.revision = self._session.memory.snapshot().revision

    def _list_corrections(
        self, request: srv.ListCorrections.Request, response: srv.ListCorrections.Response
    ) -> None:
        response.corrections = [
            correction_to_msg(correction)
            for correction in self._session.memory.corrections()
            if request.include_undone or not correction.undone
        ]
