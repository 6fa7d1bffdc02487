"""What became of a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scenemind.reasoning.sandbox.errors import ProgramError


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """
    Attributes:
        value: of its last line where that is an expression that can leave the sandbox; else None.
        printed: also when it failed, up to where it did.
        error: None where it came to its end.
    """

    value: Any
    printed: str
    error: ProgramError | None
    seconds: float
