"""The code and the sentence with which a request is answered that failed."""

from __future__ import annotations

import traceback

from rclpy.impl.rcutils_logger import RcutilsLogger

from scenemind.geometry import GeometryError
from scenemind.memory import SceneMemoryError
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError


def error_of(failure: Exception, logger: RcutilsLogger) -> Error:
    """A bug is INTERNAL, and its traceback goes to the log; call this where it was caught."""
    if isinstance(failure, RosError):
        return Error(code=failure.code, message=str(failure))
    if isinstance(failure, SceneMemoryError):
        return Error(code=Error.MEMORY_REFUSED, message=str(failure))
    if isinstance(failure, GeometryError):
        return Error(code=Error.INVALID_REQUEST, message=str(failure))
    logger.error("".join(traceback.format_exception(failure)))
    return Error(code=Error.INTERNAL, message=f"{type(failure).__name__}: {failure}")
