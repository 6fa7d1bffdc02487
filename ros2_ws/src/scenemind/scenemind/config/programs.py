"""Questions answered by programs that models write."""

from __future__ import annotations

from pydantic import Field

from scenemind.config.settings import Settings


class LlmTpcConfig(Settings):
    """How long a model may go on (LLM-TPC): each turn is one call of it."""

    coder_turns: int = Field(6, ge=1, le=50, description="turns to think, write and correct")
    summary_turns: int = Field(2, ge=1, le=10, description="then, without programs, to answer")


class VadarConfig(Settings):
    """How long models may go on (VADAR): each retry is a call of the language model."""

    program_retries: int = Field(5, ge=0, le=20, description="after a question's first program")
    looks: int = Field(30, ge=1, le=500, description="questions of programs to the vision model")
