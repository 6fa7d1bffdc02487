"""All settings together, and the folder where SceneMind keeps memories and what models have
used.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, model_validator
from typing_extensions import Self

from scenemind.config.mapping import (
    DepthConfig,
    DescriptionsConfig,
    DetectorConfig,
    InventoryConfig,
    LiftingConfig,
    LoopClosureConfig,
    MapperConfig,
    ObjectMapConfig,
    RelationConfig,
    StoreConfig,
    SyncConfig,
    TrackerConfig,
    TreeConfig,
)
from scenemind.config.reasoning import (
    LearnedMethodsConfig,
    LlmTpcConfig,
    MemTreeConfig,
    ModelsConfig,
    SandboxConfig,
    SynergaiConfig,
    VadarConfig,
    VlmGrounderConfig,
)
from scenemind.config.settings import Settings

_HOME_VARIABLE = "SCENEMIND_HOME"


class SceneMindConfig(Settings):
    """All settings."""

    map_frame: str = Field("map", description="frame_id of all positions")
    sync: SyncConfig = SyncConfig()
    depth: DepthConfig = DepthConfig()
    detector: DetectorConfig = DetectorConfig()
    tracker: TrackerConfig = TrackerConfig()
    lifting: LiftingConfig = LiftingConfig()
    mapper: MapperConfig = MapperConfig()
    loop_closure: LoopClosureConfig = LoopClosureConfig()
    object_map: ObjectMapConfig = ObjectMapConfig()
    tree: TreeConfig = TreeConfig()
    relations: RelationConfig = RelationConfig()
    store: StoreConfig = StoreConfig()
    models: ModelsConfig = ModelsConfig()
    memtree: MemTreeConfig = MemTreeConfig()
    sandbox: SandboxConfig = SandboxConfig()
    llm_tpc: LlmTpcConfig = LlmTpcConfig()
    vadar: VadarConfig = VadarConfig()
    learned_methods: LearnedMethodsConfig = LearnedMethodsConfig()
    vlm_grounder: VlmGrounderConfig = VlmGrounderConfig()
    synergai: SynergaiConfig = SynergaiConfig()
    descriptions: DescriptionsConfig = DescriptionsConfig()
    inventory: InventoryConfig = InventoryConfig()

    @model_validator(mode="after")
    def _has_what_describes(self) -> Self:
        models = self.models
        names = (models.vision.model, models.language.model, models.replay)
        if self.descriptions.enabled and not (any(names) or self.descriptions.image_encoder):
            raise ValueError(
                "descriptions.enabled is true: name models.vision.model,"
                " descriptions.image_encoder, or both"
            )
        if self.inventory.enabled and not any(names):
            raise ValueError("inventory.enabled is true: name models.vision.model")
        return self


def default_root() -> Path:
    """Default folder of memories and usage: $SCENEMIND_HOME, else ~/.local/share/scenemind.

    The folder need not exist.
    """
    named = os.environ.get(_HOME_VARIABLE)
    return Path(named) if named else Path.home() / ".local" / "share" / "scenemind"
