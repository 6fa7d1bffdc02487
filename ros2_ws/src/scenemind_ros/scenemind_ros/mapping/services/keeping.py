"""Services that save, load and forget a memory."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind_interfaces import srv
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession


class KeepingServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("save_memory", srv.SaveMemory, self._save_memory)
        yield Service("load_memory", srv.LoadMemory, self._load_memory)
        yield Service("reset_memory", srv.ResetMemory, self._reset_memory)

    def _save_memory(
        self, request: srv.SaveMemory.Request, response: srv.SaveMemory.Response
    ) -> None:
        self._session.memory.save_as(request.name)
        response.revision = self._session.memory.snapshot().revision

    def _load_memory(
        self, request: srv.LoadMemory.Request, response: srv.LoadMemory.Response
    ) -> None:
        self._session.load(request.name)
        snapshot = self._session.memory.snapshot()
        response.revision = snapshot.revision
        response.object_count = len(snapshot.objects)

    def _reset_memory(self, _: srv.ResetMemory.Request, response: srv.ResetMemory.Response) -> None:
        self._session.memory.reset()
        response.revision = self._session.memory.snapshot().revision
