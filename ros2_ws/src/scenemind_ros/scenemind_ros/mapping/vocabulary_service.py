"""`~/set_vocabulary`: the classes of the detector, changed while it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future

from scenemind.perception.protocols import OpenVocabularyDetector
from scenemind.perception.text import checked_vocabulary
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError, error_of
from scenemind_ros.mapping.session import MappingSession

_SHOWN = "detector.vocabulary"


class VocabularyService:
    """Service that embeds words on its own thread: loading a text encoder takes longer than a
    frame.

    One request at a time, in the order of arrival.
    """

    def __init__(self, node: Node, session: MappingSession) -> None:
        self._node = node
        self._session = session
        self._is_busy = self._is_closed = False
        self._service = node.create_service(
            srv.SetVocabulary,
            "~/set_vocabulary",
            self._answer,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def show(self) -> None:
        """Set the parameter to the vocabulary in force, for the next configuration."""
        if isinstance(self._session.detector, OpenVocabularyDetector):
            self._node.set_parameters([Parameter(_SHOWN, value=list(self._session.vocabulary))])

    def is_shown_by(self, parameters: Sequence[Parameter[Any]]) -> bool:
        """Whether these parameters equal the vocabulary in force."""
        return all(
            parameter.name == _SHOWN
            and parameter.type_ == Parameter.Type.STRING_ARRAY
            and tuple(parameter.value) == self._session.vocabulary
            for parameter in parameters
        )

    def close(self) -> None:
        """Take no more requests; the one in work is still answered."""
        self._is_closed = True
        if not self._is_busy:
            self._node.destroy_service(self._service)

    async def _answer(
        self, request: srv.SetVocabulary.Request, response: srv.SetVocabulary.Response
    ) -> srv.SetVocabulary.Response:
        self._is_busy = True
        try:
            await self._set(request.labels)
            response.success = True
        except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
            response.error = error_of(failure, self._node.get_logger())
        self._is_busy = False
        response.vocabulary = list(self._session.vocabulary)
        if self._is_closed and self._node.executor is not None:  # after this answer was sent
            self._node.executor.create_task(self._node.destroy_service, self._service)
        return response

    async def _set(self, labels: Sequence[str]) -> None:
        """Return when the detector uses these classes from its next frame on."""
        words = checked_vocabulary(labels)
        detector = self._session.detector
        if not isinstance(detector, OpenVocabularyDetector):
            known = self._session.vocabulary
            raise RosError(
                f"the detector {self._session.detector_name} finds a fixed set of {len(known)}"
                f" classes ({_some(known)}); narrow it with the parameter detector.classes, or"
                " take an open-vocabulary one with detector.weights",
                Error.UNSUPPORTED,
            )
        await self._on_a_thread(partial(detector.set_vocabulary, words))
        if self._is_closed:
            raise RosError("the node was cleaned up meanwhile", Error.NODE_UNAVAILABLE)
        self._node.get_logger().info(f"looks for {_some(words)}")
        self.show()

    def _on_a_thread(self, work: Callable[[], None]) -> Future[None]:
        """Run work on a thread; the executor runs its other callbacks until the future is done."""
        done: Future[None] = Future()
        executor: Any = self._node.executor

        def run() -> None:
            try:
                work()
            except Exception as failure:  # noqa: BLE001 - raised where the future is awaited
                done.set_exception(failure)
            else:
                done.set_result(None)
            executor.wake()

        threading.Thread(target=run, name="set-vocabulary", daemon=True).start()
        return done


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - 5} more" if len(words) > 5 else ""
    return ", ".join(words[:5]) + more
