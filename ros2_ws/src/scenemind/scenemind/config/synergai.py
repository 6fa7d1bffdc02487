"""An agent that talks about the scene graph and corrects it (SynergAI)."""

from __future__ import annotations

from pydantic import Field

from scenemind.config.settings import Settings


class SynergaiConfig(Settings):
    """How long the agent may go on: each step is one call of the language model."""

    steps: int = Field(12, ge=1, le=50, description="of one request, the plan included")
    calls: int = Field(6, ge=1, le=32, description="of tools, in one step")
    objects: int = Field(20, ge=1, le=200, description="told of in one observation")
    dialogues: int = Field(64, ge=1, le=1000, description="that are remembered at a time")
    turns: int = Field(6, ge=1, le=50, description="of a dialogue that the agent is reminded of")
