"""Settings of answers: language models, and the methods that use them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator
from typing_extensions import Self

from scenemind.config.settings import Fraction, Positive, Settings


class ChatModelConfig(Settings):
    """One model on any server that speaks OpenAI's protocol; its key is in the environment only."""

    model: str = Field("", description="model name on the server; empty: no model")
    endpoint: str = Field(
        "", description="base URL such as http://localhost:11434/v1; empty: OpenAI's"
    )
    key_variable: str = Field(
        "",
        description="environment variable with the key; empty: OPENAI_API_KEY at OpenAI's own"
        " endpoint, none elsewhere",
    )
    temperature: float = Field(0.0, ge=-1.0, le=2.0, description="-1: the server's own")
    seed: int = Field(-1, ge=-1, description="seed for repeatable sampling; -1: none")
    max_reply_tokens: int = Field(2000, ge=0, description="longest reply; 0: the server's own")
    max_reply_mb: Positive = Field(
        16.0, description="a server's reply ends in an error beyond this size, in megabytes"
    )
    call_deadline_s: Positive = Field(30.0, description="time limit of one call")
    json_schema: bool = Field(
        True,
        description="the server enforces a JSON schema on replies; false: the prompt asks for it",
    )
    tool_calls: bool = Field(
        True, description="the server supports tool calls; false: the prompt describes the tools"
    )
    image_px: int = Field(
        1024, ge=64, le=4096, description="longest side of a picture that is sent, in pixels"
    )
    jpeg_quality: int = Field(
        85, ge=30, le=100, description="quality of pictures that are scaled down"
    )
    prompt_price: float = Field(0.0, ge=0.0, description="price of a million prompt tokens")
    cached_prompt_price: float = Field(
        -1.0, ge=-1.0, description="price of a million cached prompt tokens; -1: as prompt_price"
    )
    reply_price: float = Field(0.0, ge=0.0, description="price of a million reply tokens")

    @property
    def has_price(self) -> bool:
        """Whether the cost of a call is known."""
        return self.prompt_price > 0.0 or self.reply_price > 0.0


class ModelsConfig(Settings):
    """Models by role, and the limits that all calls share."""

    language: ChatModelConfig = ChatModelConfig()
    vision: ChatModelConfig = Field(
        ChatModelConfig(), description="sees pictures; without a name the language model is used"
    )
    reads_sentences: bool = Field(
        True, description="the language model reads sentences that the grammar does not read"
    )
    parallel_calls: int = Field(4, ge=1, le=64, description="simultaneous calls to one endpoint")
    requests_per_minute: int = Field(
        0, ge=0, description="calls per minute to one endpoint; 0: no limit"
    )
    retries: int = Field(3, ge=0, le=10, description="retries of a call after a transient failure")
    retry_pause_s: Positive = Field(
        0.5, description="pause before the first retry; each further one is about twice as long"
    )
    rest_after: int = Field(
        5, ge=1, description="consecutive failures that open an endpoint's circuit breaker"
    )
    rest_s: Positive = Field(
        30.0, description="time for which an open circuit breaker refuses calls"
    )
    question_tokens: int = Field(100_000, ge=0, description="of one question; 0: no limit")
    question_cost: float = Field(0.0, ge=0.0, description="of one question; 0: no limit")
    day_tokens: int = Field(0, ge=0, description="of all questions of a day; 0: no limit")
    day_cost: float = Field(0.0, ge=0.0, description="of all questions of a day; 0: no limit")
    record: str = Field("", description="file that records every exchange; empty: none")
    replay: str = Field(
        "", description="recording that is replayed in place of models; empty: none"
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


class SandboxConfig(Settings):
    """Limits of one program; a program that reaches one ends with an error that names it."""

    seconds: Positive = Field(5.0, description="computing time of one program, host calls excluded")
    memory_mb: int = Field(64, ge=4, le=4096, description="memory of a program's values")
    recursion: int = Field(200, ge=10, le=1000, description="depth of nested calls")
    host_calls: int = Field(500, ge=1, description="calls of host functions")
    host_seconds: Positive = Field(60.0, description="total time in host functions")
    printed_characters: int = Field(8000, ge=100, description="longest output of a program")
    program_characters: int = Field(20_000, ge=100, description="longest program")
    workers: int = Field(4, ge=1, le=64, description="worker processes, one program each at a time")


SelectorName = Literal["tree", "objects", "uniform", "retrieval", "detector"]


class MemTreeConfig(Settings):
    """The choice of frames for a vision model (MemTree3D paper, section 3)."""

    selector: SelectorName = Field(
        "tree", description="how frames are chosen; all but tree are baselines"
    )
    frames: int = Field(3, ge=1, le=32, description="k: locations to choose, one frame each")
    tree_tokens: int = Field(
        8000, ge=200, description="token limit of the tree's text for the model"
    )
    image_encoder: Literal["clip_vit_b32"] = Field(
        "clip_vit_b32", description="encoder of the selector retrieval (extra `ultralytics`)"
    )


class LlmTpcConfig(Settings):
    """Limits of LLM-TPC's conversation: each turn is one call of the model."""

    coder_turns: int = Field(6, ge=1, le=50, description="turns to plan, write and debug programs")
    summary_turns: int = Field(
        2, ge=1, le=10, description="further turns to answer without programs"
    )
    looks: int = Field(
        4, ge=0, le=100, description="looks of a question's programs at pictures; 0: none"
    )
    learns: bool = Field(False, description="write new methods for the questions asked")


class VadarConfig(Settings):
    """Limits of VADAR's model calls: each try is one call of the language model."""

    locator: Literal["map", "detector"] = Field(
        "map",
        description="how objects are found in key frames: mapped ones, or a detector with words",
    )
    program_retries: int = Field(
        5, ge=0, le=20, description="retries after a question's first program"
    )
    looks: int = Field(30, ge=1, le=500, description="questions of one program to the vision model")
    learns: bool = Field(True, description="write new methods for the questions asked")
    depth_model: str = Field(
        "", description="metric depth model, a folder or NAME@COMMIT of the hub; empty: none"
    )


class LearnedMethodsConfig(Settings):
    """Budget for writing methods and size of the method library, separately for each API."""

    new_methods: int = Field(3, ge=1, le=20, description="methods designed per batch of questions")
    batch: int = Field(10, ge=1, le=50, description="questions per batch")
    retries: int = Field(5, ge=0, le=20, description="retries after a method's first attempt")
    calls: int = Field(20, ge=1, le=200, description="model calls to write one batch's methods")
    library: str = Field("", description="file of the method library; empty: in SceneMind's home")
    kept: int = Field(60, ge=1, le=500, description="methods kept in the library")
    offered: int = Field(20, ge=0, le=100, description="best methods offered to programs")


class SegmenterConfig(Settings):
    """The model that segments an object in an image, given its box (`perception.backends`)."""

    backend: Literal["auto", "depth", "sam", "sam_onnx"] = Field(
        "auto",
        description="auto: by the weights; depth: no model, the pixels at the box's depth",
    )
    weights: str = Field(
        "", description="weights of SAM; empty: $SCENEMIND_SEGMENTER, else backend depth"
    )
    device: str = Field("auto", description="of the torch backend: cpu, cuda, cuda:1, ...")


class VlmGrounderConfig(Settings):
    """Settings of VLM-Grounder; names and values are the paper's (sections 3, 4.1) where given."""

    sheets: int = Field(6, ge=1, le=50, description="L: target number of stitched images")
    layouts: list[tuple[int, int]] = Field(
        [(4, 1), (2, 4), (8, 2), (9, 3)],
        description="rows and columns of a sheet, fewest images first; best found by"
        " `python -m benchmarks visual-retrieval` for a model of your own",
    )
    layouts_file: str = Field(
        "", description="what that bench wrote of this model; takes the place of layouts"
    )
    longest_px: int = Field(
        2048,
        ge=256,
        le=16_384,
        description="longer side of a stitched image, as the model takes it",
    )
    most_frames: int = Field(
        96,
        ge=1,
        description="images per query, as L stitched images of 16 hold; the best of each location",
    )
    detection_score: Fraction = Field(
        0.2, description="least score of a detection that shows the class"
    )
    text_encoder: Literal["", "clip_vit_b32"] = Field(
        "", description="encoder that compares labels; its weights are never fetched; empty: none"
    )
    retries: int = Field(3, ge=0, le=20, description="M: retries after an invalid choice")
    asks_about_one: bool = Field(
        False, description="let the model choose also where an image shows one candidate"
    )
    views: int = Field(7, ge=1, le=50, description="N: views per box measurement")
    erosion_px: int = Field(
        7, ge=0, description="mask erosion for images 640 pixels wide: 7 is a 15x15 square"
    )
    components: int = Field(2, ge=1, description="largest connected components kept of a mask")
    chamfer_m: Positive = Field(0.1, description="largest Chamfer distance between views")
    outlier_neighbors: int = Field(
        5, ge=1, description="neighbours whose mean distance tells outliers among points"
    )
    outlier_deviations: Positive = Field(
        1.0, description="standard deviations of that distance that an inlier may be off"
    )
    segmenter: SegmenterConfig = SegmenterConfig()
    fallback_detector: bool = Field(
        True, description="run a detector with the query's words where no mapped object matches"
    )
    fallback_frames: int = Field(
        200, ge=1, description="largest number of images for that detector"
    )

    @field_validator("layouts", mode="before")
    @classmethod
    def _paired(cls, value: Any) -> Any:
        """Pairs of a flat list of numbers: ROS parameters have no lists of lists."""
        is_flat = isinstance(value, list) and all(isinstance(number, int) for number in value)
        if is_flat and len(value) % 2 == 0:
            return list(zip(value[::2], value[1::2], strict=True))
        return value


class SynergaiConfig(Settings):
    """Limits of the agent: each step is one call of the language model."""

    steps: int = Field(12, ge=1, le=50, description="steps per request, the plan included")
    calls: int = Field(6, ge=1, le=32, description="tool calls per step")
    objects: int = Field(20, ge=1, le=200, description="objects listed per observation")
    dialogues: int = Field(64, ge=1, le=1000, description="dialogues remembered at a time")
    turns: int = Field(6, ge=1, le=50, description="turns of a dialogue repeated in the prompt")
