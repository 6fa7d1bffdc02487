"""Runs programs that models write; see `sandbox.Sandbox`."""

from scenemind.reasoning.sandbox.api import SandboxApi
from scenemind.reasoning.sandbox.errors import ApiError, ProgramError, SandboxError
from scenemind.reasoning.sandbox.outcome import Outcome
from scenemind.reasoning.sandbox.running import Waking
from scenemind.reasoning.sandbox.sandbox import Sandbox

__all__ = ["ApiError", "Outcome", "ProgramError", "Sandbox", "SandboxApi", "SandboxError", "Waking"]
