"""The services of the mapping node: read the memory, point at things, relate, correct, save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from scenemind_ros.errors import error_of
from scenemind_ros.mapping.services.correcting import CorrectingServices
from scenemind_ros.mapping.services.history import HistoryServices
from scenemind_ros.mapping.services.keeping import KeepingServices
from scenemind_ros.mapping.services.reading import ReadingServices
from scenemind_ros.mapping.services.relating import RelatingServices
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import REQUESTS


class MappingServices:
    """Answers from the session's memory, whichever that is at the moment."""

    def __init__(self, node: Node, session: MappingSession, parameters: MappingParameters) -> None:
        self._node = node
        groups = (
            ReadingServices(session, parameters),
            RelatingServices(session, parameters),
            HistoryServices(session),
            CorrectingServices(session),
            KeepingServices(session),
        )
        self._services = [
            node.create_service(
                service.kind, f"~/{service.name}", self._guarded(service), qos_profile=REQUESTS
            )
            for group in groups
            for service in group.services()
        ]

    def close(self) -> None:
        for service in self._services:
            self._node.destroy_service(service)

    def _guarded(self, service: Service) -> Callable[[Any, Any], Any]:
        """A handler whose errors become error codes: a request never ends the node."""

        def answer(request: Any, response: Any) -> Any:
            try:
                service.handle(request, response)
                response.success = True
            except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
                response.error = error_of(failure, self._node.get_logger())
            return response

        return answer
