"""What a vision-language model is asked about objects."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from scenemind.config.settings import Positive, Settings


class DescriptionsConfig(Settings):
    """Attributes that a vision-language model is asked for (`describing`). The key to it stands in
    the environment only."""

    enabled: bool = Field(False, description="ask while mapping; `scenemind describe` asks anyway")
    endpoint: str = Field(
        "",
        description="of any server that speaks OpenAI's protocol, such as http://localhost:11434/v1;"
        " empty: OpenAI's",
    )
    model: str = Field("", description="name of a model that sees images; empty: none is asked")
    key_variable: str = Field(
        "OPENAI_API_KEY", description="environment variable with the key, where one is needed"
    )
    views: int = Field(4, ge=1, le=10, description="best views of an object that are sent")
    image_px: int = Field(512, ge=64, le=2048, description="longest side of a view that is sent")
    jpeg_quality: int = Field(85, ge=30, le=100)
    per_minute: Positive = Field(20.0, description="most questions to the model in a minute")
    deadline_s: Positive = Field(60.0, description="a question that takes longer has failed")
    image_encoder: Literal["", "clip_vit_b32"] = Field(
        "", description="what makes image vectors of objects (extra `ultralytics`); empty: nothing"
    )

    @model_validator(mode="after")
    def _names_what_is_enabled(self) -> Self:
        if self.enabled and not (self.model or self.image_encoder):
            raise ValueError("enabled is true: name a model, an image_encoder, or both")
        return self
