"""Runs programs that models write; see `sandbox.Sandbox`."""

from scenemind.reasoning.sandbox.program import (
    ApiError,
    Outcome,
    ProgramError,
    SandboxApi,
)
from scenemind.reasoning.sandbox.sandbox import Sandbox
from scenemind.reasoning.sandbox.workers import Waking

__all__ = ["ApiError", "Outcome", "ProgramError", "Sandbox", "SandboxApi", "Waking"]
