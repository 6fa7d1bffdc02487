"""One line of `/diagnostics`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node


def diagnostic_status(
    node: Node,
    part: str,
    values: Mapping[str, object],
    problems: Sequence[str] = (),
    level: bytes = DiagnosticStatus.WARN,
) -> DiagnosticStatus:
    """How a part of the node is doing.

    Args:
        problems: sentences with the way out; none: all is well.
        level: where there are problems.
    """
    return DiagnosticStatus(
        level=level if problems else DiagnosticStatus.OK,
        name=f"{node.get_name()}: {part}",
        hardware_id="scenemind",
        message="; ".join(problems) or "ok",
        values=[KeyValue(key=key, value=_text(value)) for key, value in values.items()],
    )


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
