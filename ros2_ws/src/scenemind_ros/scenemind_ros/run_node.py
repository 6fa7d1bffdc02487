"""Spinning a node until it is told to end, and closing it in peace."""

from __future__ import annotations

import signal

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node


def run_node(node: Node, executor: Executor) -> None:
    """Spin an executor that has the node; on SIGINT or SIGTERM destroy the node."""
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        ignore_more_signals()
        node.destroy_node()
        rclpy.try_shutdown()


def ignore_more_signals() -> None:
    """Ctrl-C reaches a process from its terminal and from its parent; once is enough."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
