"""The library logs with Python's logging; this brings it into the node's log."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from rclpy.impl.rcutils_logger import RcutilsLogger


def log_library_to(logger: RcutilsLogger, threads: Iterable[str] = ()) -> None:
    """What both packages log from INFO on appears in the log of the first node of a process; of a
    later node what is logged on its own threads.

    Args:
        threads: how the names of the node's own threads begin.
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
    """
    Attributes:
        of_threads: beginning of a thread's name -> where it logs.
    """

    def __init__(self, logger: RcutilsLogger) -> None:
        super().__init__()
        self._logger = logger
        self.of_threads: dict[str, RcutilsLogger] = {}

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        logger = self._logger_of(record.threadName or "")
        # rclpy keeps one severity a line of code, hence one line each.
        if record.levelno >= logging.ERROR:
            logger.error(text)
        elif record.levelno >= logging.WARNING:
            logger.warning(text)
        else:
            logger.info(text)

    def _logger_of(self, thread: str) -> RcutilsLogger:
        own = (logger for name, logger in self.of_threads.items() if thread.startswith(name))
        return next(own, self._logger)
