"""Start, spin, log and end of every process with nodes."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node

from scenemind.config import ConfigError
from scenemind.frames import FrameError
from scenemind.simulation import SimulationError

_LOOK_S = 0.5
_ENDING_S = 1.0  # longest wait for the end of ROS, which may not have begun


def run_in_ros(name: str, body: Callable[[], None], args: Sequence[str] | None) -> int:
    """Run `body` while ROS is up; returns the exit status of the process.

    0 after SIGINT or SIGTERM, at any moment; 1 for usage errors, with a sentence on standard error.
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
        print(f"{name} was ended during its work ({error!r})", file=sys.stderr)
    finally:
        rclpy.try_shutdown()
    return 0


def interrupt_after_ros() -> None:
    """Let SIGINT raise KeyboardInterrupt after ROS has handled it; for the main thread.

    rclpy wakes every executor on its own thread and then ends the contexts. It crashes if an
    executor is destroyed meanwhile, as happens soon after a KeyboardInterrupt. A shell that starts
    a process in the background sets SIGINT to ignored, which this reverts as well.
    """
    context = rclpy.get_default_context()

    def interrupt(_number: int, _frame: object) -> None:
        deadline = time.monotonic() + _ENDING_S
        while _is_up(context) and time.monotonic() < deadline:
            time.sleep(0.001)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def _is_up(context: rclpy.Context) -> bool:
    """`context.ok()` without its lock, which an interrupted thread may hold."""
    if context.handle is None:
        return False
    try:
        with context.handle:
            return context.handle.ok()
    except rclpy_implementation.InvalidHandle:
        return False


def spin(node: Node, executor: Executor) -> None:
    """Run the node's callbacks until the process gets a signal to end.

    ROS wakes an executor once at its end; the wake-up is lost if the executor does not wait yet,
    hence it polls.
    """
    executor.add_node(node)
    while node.context.ok():
        executor.spin_once(timeout_sec=_LOOK_S)


@contextmanager
def closing_undisturbed(node: Node) -> Iterator[None]:
    """Destroy the node at the end, once, despite further signals.

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


class SpinThread:
    """Runner of a node's callbacks until it is closed or the node's context is shut down.

    rclpy's `Executor.shutdown` does not wait for a spinning thread, and destroys its guard
    conditions. Here the thread ends first.
    """

    def __init__(self, node: Node, executor: Executor) -> None:
        """Make an executor in the node's context, for this thread alone."""
        executor.add_node(node)
        self._executor = executor
        self._is_closed = False
        name = f"spin {node.get_name()}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait until no callback runs; may be called again."""
        self._is_closed = True
        self._executor.create_task(lambda: None)  # wakes the thread
        self._thread.join()
        self._executor.shutdown()

    def _run(self) -> None:
        with suppress(ExternalShutdownException):
            while not self._is_closed:
                self._executor.spin_once()


def log_library_to(logger: RcutilsLogger, threads: Iterable[str] = ()) -> None:
    """Send both packages' Python logs, from INFO on, to a node's ROS log.

    The first node of a process gets all records; a later node those of its own threads.

    Args:
        threads: prefixes of the names of the node's own threads.
    """
    for package in ("scenemind", "scenemind_ros"):
        python_logger = logging.getLogger(package)
        handlers = (h for h in python_logger.handlers if isinstance(h, _RosHandler))
        handler = next(handlers, None)
        if handler is None:
            handler = _RosHandler(logger)
            python_logger.addHandler(handler)
            python_logger.setLevel(logging.INFO)
        handler.of_threads.update(dict.fromkeys(threads, logger))


class _RosHandler(logging.Handler):
    """A log handler that forwards Python's records to ROS loggers.

    Attributes:
        of_threads: prefix of a thread's name -> its logger.
    """

    def __init__(self, logger: RcutilsLogger) -> None:
        super().__init__()
        self._logger = logger
        self.of_threads: dict[str, RcutilsLogger] = {}

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        logger = self._logger_of(record.threadName or "")
        # rclpy fixes one severity per line of code, hence one line each.
        if record.levelno >= logging.ERROR:
            logger.error(text)
        elif record.levelno >= logging.WARNING:
            logger.warning(text)
        else:
            logger.info(text)

    def _logger_of(self, thread: str) -> RcutilsLogger:
        own = (logger for name, logger in self.of_threads.items() if thread.startswith(name))
        return next(own, self._logger)
