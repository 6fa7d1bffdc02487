"""A thread that runs a node's callbacks."""

from __future__ import annotations

import threading
from contextlib import suppress

from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node


class SpinThread:
    """Runs the callbacks of a node until it is closed or the node's context is shut down.

    rclpy's `Executor.shutdown` does not wait for a thread that spins, and destroys the guard
    conditions that it waits for. Here the thread ends first.
    """

    def __init__(self, node: Node, executor: Executor) -> None:
        """The executor is of the node's context, and for this thread alone."""
        executor.add_node(node)
        self._executor = executor
        self._is_closed = False
        name = f"spin {node.get_name()}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Return when no callback runs any more; harmless when done twice."""
        self._is_closed = True
        self._executor.create_task(lambda: None)  # lets the thread look
        self._thread.join()
        self._executor.shutdown()

    def _run(self) -> None:
        with suppress(ExternalShutdownException):
            while not self._is_closed:
                self._executor.spin_once()
