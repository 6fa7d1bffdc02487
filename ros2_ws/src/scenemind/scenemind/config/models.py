"""Which language and vision models are asked, and what they may cost."""

from __future__ import annotations

from pydantic import Field, model_validator
from typing_extensions import Self

from scenemind.config.settings import Positive, Settings


class ChatModelConfig(Settings):
    """One model on any server that speaks OpenAI's protocol. The key stands in the environment
    only."""

    model: str = Field("", description="its name on the server; empty: none is asked")
    endpoint: str = Field("", description="such as http://localhost:11434/v1; empty: OpenAI's")
    key_variable: str = Field(
        "",
        description="environment variable with the key; empty: OPENAI_API_KEY at OpenAI's own"
        " endpoint, none elsewhere",
    )
    temperature: float = Field(0.0, ge=-1.0, le=2.0, description="-1: the server's own")
    seed: int = Field(-1, ge=-1, description="so that it draws the same again; -1: none")
    max_reply_tokens: int = Field(2000, ge=0, description="longest reply; 0: the server's own")
    call_deadline_s: Positive = Field(30.0, description="a call that takes longer is given up")
    json_schema: bool = Field(
        True, description="the server holds replies to a JSON schema; false: the prompt asks for it"
    )
    tool_calls: bool = Field(
        True, description="the server has calls of tools; false: the prompt asks for them in words"
    )
    image_px: int = Field(
        1024, ge=64, le=4096, description="longest side of a picture as it is sent"
    )
    jpeg_quality: int = Field(85, ge=30, le=100, description="of pictures that are made smaller")
    prompt_price: float = Field(0.0, ge=0.0, description="of a million tokens of prompt")
    cached_prompt_price: float = Field(
        -1.0, ge=-1.0, description="of those that the provider had read before; -1: as the others"
    )
    reply_price: float = Field(0.0, ge=0.0, description="of a million tokens of reply")

    @property
    def has_price(self) -> bool:
        """Whether the cost of a call is known."""
        return self.prompt_price > 0.0 or self.reply_price > 0.0


class ModelsConfig(Settings):
    """Models by role, and the limits that all calls share."""

    language: ChatModelConfig = ChatModelConfig()
    vision: ChatModelConfig = Field(
        ChatModelConfig(), description="sees pictures; without a name the language model does"
    )
    parallel_calls: int = Field(4, ge=1, le=64, description="to one endpoint at a time")
    requests_per_minute: int = Field(0, ge=0, description="to one endpoint; 0: no limit")
    retries: int = Field(3, ge=0, le=10, description="of a call that failed and may yet succeed")
    retry_pause_s: Positive = Field(
        0.5, description="before the first retry; before each other about twice the last one's"
    )
    rest_after: int = Field(
        5, ge=1, description="failures in a row after which an endpoint is left alone"
    )
    rest_s: Positive = Field(30.0, description="for so long")
    question_tokens: int = Field(100_000, ge=0, description="of one question; 0: no limit")
    question_cost: float = Field(0.0, ge=0.0, description="of one question; 0: no limit")
    day_tokens: int = Field(0, ge=0, description="of all questions of a day; 0: no limit")
    day_cost: float = Field(0.0, ge=0.0, description="of all questions of a day; 0: no limit")
    record: str = Field("", description="file to which every exchange is added; empty: none")
    replay: str = Field(
        "", description="recorded file that answers in place of models; empty: none"
    )

    @model_validator(mode="after")
    def _cost_is_known(self) -> Self:
        models = [model for model in (self.language, self.vision) if model.model]
        if (
            (self.question_cost or self.day_cost)
            and models
            and not any(m.has_price for m in models)
        ):
            raise ValueError(
                "question_cost and day_cost limit nothing without prices: set prompt_price and"
                " reply_price of a model"
            )
        return self
