"""A ROS graph of real nodes on real DDS within the test's process."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from typing import Any, TypeVar

import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile

from scenemind_ros.calls import call_service
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.run_node import SpinThread
from scenemind_ros.sequence_player import PlayerTopics

NodeT = TypeVar("NodeT", bound=Node)

TIMEOUT_S = 60.0
NODE = "/mapping_node"
TOPICS = PlayerTopics()
# Parameters of a mapping node that listens to a player of a simulated room.
SIMULATED = {
    "detector.backend": "instance_camera",
    "topics.instances": TOPICS.instances,
    "topics.instance_names": TOPICS.instance_names,
    "memory.root": "",
}

# Graphs of one test process must not hear each other either; 101 is the last with safe ports.
_DOMAINS = cycle(range(1, 102))


@contextmanager
def _unheard_by_other_processes() -> Iterator[None]:
    before = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "")
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "OFF"
    try:
        yield
    finally:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = before


class RosGraph:
    """Nodes of one context, each with an executor on a thread of its own."""

    def __init__(self, *, hears_processes: bool = False) -> None:
        """Alone, or on the domain of the environment with the processes that a test starts."""
        self.context = rclpy.Context()
        if hears_processes:
            gc.collect()  # contexts that were shut down keep their participants until then
            rclpy.init(context=self.context)
        else:
            with _unheard_by_other_processes():
                rclpy.init(context=self.context, domain_id=next(_DOMAINS))
        self._running: list[tuple[Node, SpinThread]] = []
        self._background: list[threading.Thread] = []
        self._observer: Node | None = None

    def add(self, kind: Callable[..., NodeT], parameters: Mapping[str, Any], **more: Any) -> NodeT:
        """Make a node with these parameters and run it."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = kind(context=self.context, parameter_overrides=overrides, **more)
        self.spin(node)
        return node

    def spin(self, node: Node) -> None:
        if isinstance(node, ReasoningNode):
            executor: Executor = node.make_executor()
        else:
            executor = SingleThreadedExecutor(context=self.context)
        self._running.append((node, SpinThread(node, executor)))

    def in_background(self, call: Callable[[], Any]) -> None:
        """Run a function on a thread that `close` waits for."""
        thread = threading.Thread(target=call, name="background", daemon=True)
        thread.start()
        self._background.append(thread)

    def remove(self, node: Node) -> None:
        """Stop a node and wait for its end."""
        (entry,) = [entry for entry in self._running if entry[0] is node]
        self._running.remove(entry)
        entry[1].close()
        node.destroy_node()

    @property
    def observer(self) -> Node:
        """A node that listens and calls on the test's behalf."""
        if self._observer is None:
            self._observer = Node("observer", context=self.context)
            self.spin(self._observer)
        return self._observer

    def listen(self, kind: type, topic: str, qos: QoSProfile | int = 10) -> list[Any]:
        """A list that fills with the arriving messages."""
        received: list[Any] = []
        self.observer.create_subscription(kind, topic, received.append, qos)
        return received

    def call(self, kind: type, name: str, /, **fields: Any) -> Any:
        """The response of a service."""
        client = self.observer.create_client(kind, name)
        try:
            return call_service(client, kind.Request(**fields), TIMEOUT_S)
        finally:
            self.observer.destroy_client(client)

    def close(self) -> None:
        for thread in self._background:
            thread.join()
        for node, *_ in reversed(self._running[:]):
            self.remove(node)
        rclpy.shutdown(context=self.context)


def wait_for(
    condition: Callable[[], Any], what: str | Callable[[], str], timeout_s: float = TIMEOUT_S
) -> Any:
    """The first true value of the condition.

    Args:
        what: what is waited for; of processes, a function may add their logs.
    """
    deadline = time.monotonic() + timeout_s
    while not (value := condition()):
        if time.monotonic() > deadline:
            told = what if isinstance(what, str) else what()
            raise AssertionError(f"waited {timeout_s:g} s in vain for {told}")
        time.sleep(0.02)
    return value
