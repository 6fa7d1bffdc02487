"""What every executable does around its nodes: start ROS, say what is wrong, end in peace."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from scenemind.config import ConfigError
from scenemind.frames import FrameError
from scenemind.simulation import SimulationError

_LOOK_S = 0.5
_ENDING_S = 1.0  # longest wait for ROS to end; it may not have begun


def run_in_ros(name: str, body: Callable[[], None], args: Sequence[str] | None) -> int:
    """Run `body` while ROS is up; the exit status of the process.

    SIGINT and SIGTERM are how a node is told to end, at whatever moment: that is status 0. What a
    person got wrong is a sentence on standard error and status 1.
    """
    interrupt_after_ros()
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


def interrupt_after_ros() -> None:
    """Let SIGINT raise KeyboardInterrupt once ROS has dealt with it; for the main thread.

    On a thread of its own, rclpy wakes every executor and then ends the contexts. It crashes on an
    executor that goes meanwhile, as they do soon after a KeyboardInterrupt. A shell that starts a
    process in the background has SIGINT ignored, which this ends as well.
    """
    context = rclpy.get_default_context()

    def interrupt(_number: int, _frame: object) -> None:
        deadline = time.monotonic() + _ENDING_S
        while _is_up(context) and time.monotonic() < deadline:
            time.sleep(0.001)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def _is_up(context: rclpy.Context) -> bool:
    """As `context.ok()`, which waits for a lock that an interrupted thread may hold."""
    if context.handle is None:
        return False
    try:
        with context.handle:
            return context.handle.ok()
    except rclpy_implementation.InvalidHandle:
        return False


def spin(node: Node, executor: Executor) -> None:
    """Run the node's callbacks until the process is told to end.

    ROS wakes an executor once at its end, which is lost where it did not wait yet: it looks by
    itself every so often.
    """
    executor.add_node(node)
    while node.context.ok():
        executor.spin_once(timeout_sec=_LOOK_S)


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
