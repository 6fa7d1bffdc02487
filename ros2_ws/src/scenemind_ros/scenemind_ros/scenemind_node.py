"""Mapping and reasoning in one process, on one memory: nothing is copied between them."""

from __future__ import annotations

import threading
import traceback

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning.shared_memory import SharedMemory
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.run_node import closing_undisturbed, run_in_ros, spin


def main(args: list[str] | None = None) -> int:
    """Until SIGINT or SIGTERM; then the memory is flushed and closed."""
    return run_in_ros("scenemind_node", _run, args)


def _run() -> None:
    mapping = MappingNode()
    has_failed = threading.Event()
    with closing_undisturbed(mapping):
        reasoning = ReasoningNode(SharedMemory(mapping))
        # On a thread of its own, so that a question never waits for a frame.
        thread = threading.Thread(
            target=_spin_mapping, args=(mapping, has_failed), name="mapping-executor"
        )
        thread.start()
        try:
            with closing_undisturbed(reasoning):
                spin(reasoning, reasoning.make_executor())
        finally:
            rclpy.try_shutdown()
            thread.join()
            if has_failed.is_set():
                raise SystemExit(1)


def _spin_mapping(node: MappingNode, has_failed: threading.Event) -> None:
    try:
        spin(node, SingleThreadedExecutor())
    except ExternalShutdownException:
        pass
    except Exception:  # noqa: BLE001 - ends the process, with status 1
        if node.context.ok():  # else it was told to end, amid its start
            node.get_logger().fatal(traceback.format_exc())
            has_failed.set()
    finally:
        rclpy.try_shutdown()  # without the map there is nothing to reason about


if __name__ == "__main__":
    raise SystemExit(main())
