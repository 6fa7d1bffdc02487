"""Questions answered by programs that models write."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Settings


class LlmTpcConfig(Settings):
    """How long a model may go on (LLM-TPC): each turn is one call of it."""

    coder_turns: int = Field(6, ge=1, le=50, description="turns to think, write and correct")
    summary_turns: int = Field(2, ge=1, le=10, description="then, without programs, to answer")
    learns: bool = Field(False, description="write new methods for the questions that are asked")


class VadarConfig(Settings):
    """How long models may go on (VADAR): each try is a call of the language model."""

    locator: Literal["map", "detector"] = Field(
        "map", description="who finds things in key frames: what was mapped, or a look with words"
    )
    program_retries: int = Field(5, ge=0, le=20, description="after a question's first program")
    looks: int = Field(30, ge=1, le=500, description="questions of programs to the vision model")
    learns: bool = Field(True, description="write new methods for the questions that are asked")
    depth_model: str = Field(
        "", description="metres in photographs: a folder or a name of the hub; empty: nobody knows"
    )


class LearnedMethodsConfig(Settings):
    """What writing methods may cost, and what is kept of them, on each API by itself."""

    new_methods: int = Field(3, ge=1, le=20, description="designed for one batch of questions")
    batch: int = Field(10, ge=1, le=50, description="questions that are looked at together")
    retries: int = Field(5, ge=0, le=20, description="after a method's first try")
    calls: int = Field(20, ge=1, le=200, description="of a model, to write a batch's methods")
    library: str = Field("", description="file of them; empty: in SceneMind's home")
    kept: int = Field(60, ge=1, le=500, description="that are kept")
    offered: int = Field(20, ge=0, le=100, description="that programs are told of, the best")
