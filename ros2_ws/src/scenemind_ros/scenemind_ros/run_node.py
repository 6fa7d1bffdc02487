"""What every executable does around its nodes: start ROS, say what is wrong, end in peace."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from scenemind.config import ConfigError
from scenemind.frames import FrameError
from scenemind.simulation import SimulationError


def run_in_ros(name: str, body: Callable[[], None], args: Sequence[str] | None) -> int:
    """Run `body` while ROS is up; the exit status of the process.

    SIGINT and SIGTERM are how a node is told to end, at whatever moment: that is status 0. What a
    person got wrong is a sentence on standard error and status 1.
    """
    # A shell that starts us in the background has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _start(args)
        body()
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    except (ConfigError, FrameError, SimulationError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except Exception as error:
        if rclpy.ok():
            raise
        print(f"{name} was told to end, amid its work ({error!r})", file=sys.stderr)
    finally:
        rclpy.try_shutdown()
    return 0


def spin(node: Node, executor: Executor) -> None:
    """Run the node's callbacks until the process is told to end."""
    executor.add_node(node)
    executor.spin()


@contextmanager
def closing_undisturbed(node: Node) -> Iterator[None]:
    """Destroy the node at the end, whatever more signals come: once is enough.

    Ctrl-C reaches a process from its terminal and from its parent.
    """
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        node.destroy_node()


def _start(args: Sequence[str] | None) -> None:
    try:
        rclpy.init(args=None if args is None else list(args))
    except rclpy_implementation.RCLError as error:
        raise ConfigError(f"ROS does not take the arguments: {error}") from error
