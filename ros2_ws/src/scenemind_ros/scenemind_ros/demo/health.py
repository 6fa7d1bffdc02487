"""What the mapping node says about itself on /diagnostics."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import TracebackType

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typing_extensions import Self

from scenemind_ros.errors import RosError
from scenemind_ros.spin_thread import SpinThread

_STAGE_END = "_ms"
_DROP_START = "dropped_"


class Health:
    """Listens with a ROS context and a thread of its own."""

    def __init__(self) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = Node("demo_health", context=self._context)
        self._node.create_subscription(DiagnosticArray, "/diagnostics", self._hear, 10)
        self._changed = threading.Condition()
        self._parts: dict[str, Mapping[str, str]] = {}
        self._heard = 0
        self._thread = SpinThread(self._node, SingleThreadedExecutor(context=self._context))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.close()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_for_news(self, timeout_s: float) -> None:
        """Return after the next message but one, which tells of all that is over now.

        Raises:
            RosError: none came.
        """
        with self._changed:
            wanted = self._heard + 2
            if not self._changed.wait_for(lambda: self._heard >= wanted, timeout_s):
                raise RosError(f"/diagnostics was silent for {timeout_s:g} s")

    @property
    def frames(self) -> int:
        """Frames mapped so far."""
        return int(self._part("mapper").get("frames", "0"))

    @property
    def detector(self) -> str:
        return self._part("mapper").get("detector", "unknown")

    @property
    def dropped(self) -> dict[str, int]:
        """Frames and messages that were left out, by cause."""
        both = {**self._part("input"), **self._part("mapper")}
        counts = {
            name.removeprefix(_DROP_START): int(value)
            for name, value in both.items()
            if name.startswith(_DROP_START)
        }
        return {cause: count for cause, count in counts.items() if count}

    @property
    def stages_ms(self) -> dict[str, float]:
        """Median milliseconds of each stage of a frame."""
        return {
            name.removesuffix(_STAGE_END): float(value)
            for name, value in self._part("mapper").items()
            if name.endswith(_STAGE_END)
        }

    def _part(self, name: str) -> Mapping[str, str]:
        with self._changed:
            return self._parts.get(name, {})

    def _hear(self, message: DiagnosticArray) -> None:
        is_news = False
        with self._changed:
            for status in message.status:
                node, _, part = status.name.partition(": ")
                if node == "mapping_node":
                    self._parts[part] = {item.key: item.value for item in status.values}
                    is_news = True
            self._heard += is_news
            self._changed.notify_all()
