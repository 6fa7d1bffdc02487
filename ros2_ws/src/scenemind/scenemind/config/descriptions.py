"""What a model that sees pictures is asked about objects."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Positive, Settings


class DescriptionsConfig(Settings):
    """Attributes that `models.vision` is asked for, and image vectors of objects (`describing`)."""

    enabled: bool = Field(False, description="ask while mapping; `scenemind describe` asks anyway")
    views: int = Field(4, ge=1, le=10, description="best views of an object that are sent")
    image_px: int = Field(512, ge=64, le=2048, description="longest side of a view that is sent")
    per_minute: Positive = Field(20.0, description="most questions to the model in a minute")
    image_encoder: Literal["", "clip_vit_b32"] = Field(
        "", description="what makes image vectors of objects (extra `ultralytics`); empty: nothing"
    )
