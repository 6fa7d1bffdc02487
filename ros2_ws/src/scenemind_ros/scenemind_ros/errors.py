"""The one error of this package, and how each error is answered."""

from __future__ import annotations

import traceback

from rclpy.impl.rcutils_logger import RcutilsLogger

from scenemind.errors import SceneMindError
from scenemind.geometry import GeometryError
from scenemind.memory import SceneMemoryError
from scenemind.perception import PerceptionError
from scenemind_interfaces.msg import Error


class RosError(SceneMindError, ValueError):
    """A message or request that cannot be used; says which value and the way out.

    Attributes:
        code: the constant of scenemind_interfaces/Error that a service answers with.
    """

    def __init__(self, message: str, code: int = Error.INVALID_REQUEST) -> None:
        super().__init__(message)
        self.code = int(code)


def error_of(failure: Exception, logger: RcutilsLogger) -> Error:
    """What a request that failed is answered with.

    A bug is INTERNAL, and its traceback goes to the log; call this where it was caught.
    """
    if isinstance(failure, RosError):
        return Error(code=failure.code, message=str(failure))
    if isinstance(failure, SceneMemoryError):
        return Error(code=Error.MEMORY_REFUSED, message=str(failure))
    if isinstance(failure, (GeometryError, PerceptionError)):
        return Error(code=Error.INVALID_REQUEST, message=str(failure))
    logger.error("".join(traceback.format_exception(failure)))
    return Error(code=Error.INTERNAL, message=f"{type(failure).__name__}: {failure}")
