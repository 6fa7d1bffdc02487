"""How mapping keeps up."""

from __future__ import annotations

from pydantic import Field

from scenemind.config.settings import Settings


class MapperConfig(Settings):
    """How the mapper keeps up with the camera (`mapping.governor`)."""

    deadline_ms: float = Field(
        33.0, ge=0.0, description="a frame's time without the detector; 0: nothing is put off"
    )
