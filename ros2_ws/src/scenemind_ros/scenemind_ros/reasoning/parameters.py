"""Parameters of the reasoning node."""

from __future__ import annotations

from pydantic import Field

from scenemind.config import (
    DetectorConfig,
    LearnedMethodsConfig,
    LlmTpcConfig,
    MemTreeConfig,
    ModelsConfig,
    RelationConfig,
    SandboxConfig,
    Settings,
    SynergaiConfig,
    VadarConfig,
    VlmGrounderConfig,
)


class ReasoningParameters(Settings):
    """`map_frame` and `relations` should be those of the mapping node."""

    map_frame: str = "map"
    camera_frame: str = Field(
        "camera_color_optical_frame", description="frame_id written into key frames"
    )
    relations: RelationConfig = RelationConfig()
    models: ModelsConfig = ModelsConfig()
    memtree: MemTreeConfig = MemTreeConfig()
    sandbox: SandboxConfig = SandboxConfig()
    llm_tpc: LlmTpcConfig = LlmTpcConfig()
    vadar: VadarConfig = VadarConfig()
    synergai: SynergaiConfig = SynergaiConfig()
    learned_methods: LearnedMethodsConfig = LearnedMethodsConfig()
    vlm_grounder: VlmGrounderConfig = VlmGrounderConfig()
    detector: DetectorConfig = Field(
        DetectorConfig(),
        description="of the selector detector, and of vlm_grounder where the map has no label;"
        " apart from the mapping node's",
    )
    falls_back: bool = Field(
        True, description="where a model fails, answer without one, and say so in the answer"
    )
    timeout_s: float = Field(
        60.0,
        gt=0.0,
        description="for requests that name no timeout; more than one call of a model may take",
    )
    parallel_requests: int = Field(8, ge=1, le=64, description="answered at the same time")
    mapping_node: str = Field(
        "/mapping_node", description="owner of the memory, where it is another process"
    )
    memory_timeout_s: float = Field(
        5.0, gt=0.0, description="for one call to the mapping node in another process"
    )
