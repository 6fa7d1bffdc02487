"""Services that correct the memory and tell its journal."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind_interfaces import srv
from scenemind_ros.conversions import correction_to_msg, edit_from_msg, object_to_msg
from scenemind_ros.errors import RosError
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession

_MOST_SIMILAR = 20  # where the request does not say


class CorrectingServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("apply_corrections", srv.ApplyCorrections, self._apply_corrections)
        yield Service("undo_correction", srv.UndoCorrection, self._undo_correction)
        yield Service("redo_correction", srv.RedoCorrection, self._redo_correction)
        yield Service("list_corrections", srv.ListCorrections, self._list_corrections)
        yield Service("find_similar", srv.FindSimilar, self._find_similar)
        yield Service("export_corrections", srv.ExportCorrections, self._export_corrections)
        yield Service("import_corrections", srv.ImportCorrections, self._import_corrections)

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

    def _redo_correction(
        self, request: srv.RedoCorrection.Request, response: srv.RedoCorrection.Response
    ) -> None:
        wanted = None if request.correction_id < 0 else request.correction_id
        response.correction = correction_to_msg(self._session.memory.redo(wanted))
        response.revision = self._session.memory.snapshot().revision

    def _list_corrections(
        self, request: srv.ListCorrections.Request, response: srv.ListCorrections.Response
    ) -> None:
        response.corrections = [
            correction_to_msg(correction)
            for correction in self._session.memory.corrections()
            if request.include_undone or not correction.undone
        ]

    def _find_similar(
        self, request: srv.FindSimilar.Request, response: srv.FindSimilar.Response
    ) -> None:
        memory = self._session.memory
        edit = edit_from_msg(request.correction)
        found = memory.find_similar(edit, request.count or _MOST_SIMILAR)
        objects = memory.snapshot().objects
        known = [similar for similar in found if similar.object_id in objects]
        response.objects = [object_to_msg(objects[similar.object_id]) for similar in known]
        response.scores = [float(similar.score) for similar in known]
        response.reasons = ["; ".join(similar.reasons) for similar in known]

    def _export_corrections(
        self, _: srv.ExportCorrections.Request, response: srv.ExportCorrections.Response
    ) -> None:
        response.json = self._session.memory.export_corrections()

    def _import_corrections(
        self, request: srv.ImportCorrections.Request, response: srv.ImportCorrections.Response
    ) -> None:
        memory = self._session.memory
        replay = memory.import_corrections(request.json, request.by, preview=request.preview)
        response.applied = [correction_to_msg(correction) for correction in replay.applied]
        response.left_out_ids = [left.correction.correction_id for left in replay.left_out]
        response.left_out = [left.reason for left in replay.left_out]
        response.revision = memory.snapshot().revision
