"""The one error of this package."""

from __future__ import annotations

from scenemind.reasoning.types import ErrorCode, ReasoningFailure


class ReasoningError(RuntimeError):
    """No answer, with the reason as a person should read it. The router turns it into a value."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(text)
        self.failure = ReasoningFailure(code, text)
