"""The error of this package; failures in responses and on `/diagnostics`."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node

from scenemind.errors import MemoryRequestError, SceneMindError
from scenemind.geometry import GeometryError
from scenemind.memory import SceneMemoryError
from scenemind.memory.occupancy.approach import ApproachError
from scenemind.perception import PerceptionError
from scenemind_interfaces.msg import Error


class RosError(SceneMindError, ValueError):
    """An unusable message or request; the message names the value and the remedy.

    Attributes:
        code: the constant of scenemind_interfaces/Error for a service's response.
    """

    def __init__(self, message: str, code: int = Error.INVALID_REQUEST) -> None:
        super().__init__(message)
        self.code = int(code)


def error_of(failure: Exception, logger: RcutilsLogger) -> Error:
    """The error of a failed request.

    A bug is INTERNAL, and its traceback goes to the log; call this in the `except` block.
    """
    if isinstance(failure, RosError):
        return Error(code=failure.code, message=str(failure))
    if isinstance(failure, ApproachError):
        return Error(code=Error.NOT_FOUND, message=str(failure))
    if isinstance(failure, MemoryRequestError):
        return Error(code=Error.INVALID_REQUEST, message=str(failure))
    if isinstance(failure, SceneMemoryError):
        return Error(code=Error.MEMORY_REFUSED, message=str(failure))
    if isinstance(failure, (GeometryError, PerceptionError)):
        return Error(code=Error.INVALID_REQUEST, message=str(failure))
    logger.error("".join(traceback.format_exception(failure)))
    return Error(code=Error.INTERNAL, message=f"{type(failure).__name__}: {failure}")


def diagnostic_status(
    node: Node,
    part: str,
    values: Mapping[str, object],
    problems: Sequence[str] = (),
    level: bytes = DiagnosticStatus.WARN,
) -> DiagnosticStatus:
    """State of one part of the node, for `/diagnostics`.

    Args:
        problems: sentences with the remedy; none: all is well.
        level: the level if there are problems.
    """
    return DiagnosticStatus(
        level=level if problems else DiagnosticStatus.OK,
        name=f"{node.get_fully_qualified_name()[1:]}: {part}",
        hardware_id="scenemind",
        message="; ".join(problems) or "ok",
        values=[KeyValue(key=key, value=_text(value)) for key, value in values.items()],
    )


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
