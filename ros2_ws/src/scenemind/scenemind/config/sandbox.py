"""What a program written by a model may use."""

from __future__ import annotations

from pydantic import Field

from scenemind.config.settings import Positive, Settings


class SandboxConfig(Settings):
    """Limits of one program; one that reaches a limit ends with an error that says so."""

    seconds: Positive = Field(5.0, description="of computing; what it waits for is apart")
    memory_mb: int = Field(64, ge=4, le=4096, description="of its values")
    recursion: int = Field(200, ge=10, le=1000, description="calls within calls")
    host_calls: int = Field(500, ge=1, description="of functions outside the sandbox")
    host_seconds: Positive = Field(60.0, description="all together, of those functions")
    printed_characters: int = Field(8000, ge=100)
    program_characters: int = Field(20_000, ge=100)
    workers: int = Field(4, ge=1, le=64, description="processes: programs that run at a time")
