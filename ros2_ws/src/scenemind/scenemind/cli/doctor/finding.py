"""What one check says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome.

    Attributes:
        check: short name, such as `depth units`.
        measured: the value that was found, with its unit.
        fix: the parameter or command that mends it; empty where nothing is wrong.
    """

    check: str
    status: Status
    measured: str
    fix: str = ""


def worst(findings: Iterable[Finding]) -> Status:
    """The most severe status; ok when there is nothing."""
    order: tuple[Status, ...] = ("ok", "warn", "fail")
    return max((finding.status for finding in findings), key=order.index, default="ok")
