"""Mapping and reasoning in one process, on one memory: nothing is copied between them."""

from __future__ import annotations

import sys
import threading

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from scenemind.config import ConfigError
from scenemind_ros.log_bridge import log_library_to
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning.shared_memory import SharedMemory
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.run_node import run_node


def main(args: list[str] | None = None) -> int:
    """Until SIGINT or SIGTERM; then the memory is flushed and closed."""
    rclpy.init(args=args)
    mapping = MappingNode()
    log_library_to(mapping.get_logger())
    thread = threading.Thread(target=_spin_mapping, args=(mapping,), name="mapping-executor")
    try:
        reasoning = ReasoningNode(SharedMemory(mapping))
        thread.start()
        try:
            run_node(reasoning, reasoning.make_executor())
        finally:
            thread.join()
    except ConfigError as error:
        print(f"reasoning_node: {error}", file=sys.stderr)
        return 1
    finally:
        mapping.destroy_node()
        rclpy.try_shutdown()
    return 0


def _spin_mapping(node: MappingNode) -> None:
    """On a thread of its own, so that a question never waits for a frame."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except ExternalShutdownException:
        pass
    finally:
        rclpy.try_shutdown()  # without the map there is nothing to reason about


if __name__ == "__main__":
    raise SystemExit(main())
