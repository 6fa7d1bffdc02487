"""The library logs with Python's logging; this brings it into the node's log."""

from __future__ import annotations

import logging

from rclpy.impl.rcutils_logger import RcutilsLogger


def log_library_to(logger: RcutilsLogger) -> None:
    """What both packages log from INFO on appears in the log of the first node of a process."""
    for package in ("scenemind", "scenemind_ros"):
        python_logger = logging.getLogger(package)
        if any(isinstance(handler, _RosHandler) for handler in python_logger.handlers):
            continue
        python_logger.addHandler(_RosHandler(logger))
        python_logger.setLevel(logging.INFO)


class _RosHandler(logging.Handler):
    def __init__(self, logger: RcutilsLogger) -> None:
        super().__init__()
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        # rclpy keeps one severity a line of code, hence one line each.
        if record.levelno >= logging.ERROR:
            self._logger.error(text)
        elif record.levelno >= logging.WARNING:
            self._logger.warning(text)
        else:
            self._logger.info(text)
