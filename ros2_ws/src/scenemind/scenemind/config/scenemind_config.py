"""All sections together."""

from __future__ import annotations

from pydantic import model_validator
from typing_extensions import Self

from scenemind.config.descriptions import DescriptionsConfig
from scenemind.config.mapping import MapperConfig
from scenemind.config.memory import ObjectMapConfig, StoreConfig, TreeConfig
from scenemind.config.memtree import MemTreeConfig
from scenemind.config.models import ModelsConfig
from scenemind.config.perception import DetectorConfig, LiftingConfig, TrackerConfig
from scenemind.config.programs import LearnedMethodsConfig, LlmTpcConfig, VadarConfig
from scenemind.config.relations import RelationConfig
from scenemind.config.sandbox import SandboxConfig
from scenemind.config.sensing import DepthConfig, SyncConfig
from scenemind.config.settings import Settings
from scenemind.config.synergai import SynergaiConfig
from scenemind.config.vlm_grounder import VlmGrounderConfig


class SceneMindConfig(Settings):
    """Everything that can be set."""

    map_frame: str = "map"
    sync: SyncConfig = SyncConfig()
    depth: DepthConfig = DepthConfig()
    detector: DetectorConfig = DetectorConfig()
    tracker: TrackerConfig = TrackerConfig()
    lifting: LiftingConfig = LiftingConfig()
    mapper: MapperConfig = MapperConfig()
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

    @model_validator(mode="after")
    def _has_what_describes(self) -> Self:
        models = self.models
        names = (models.vision.model, models.language.model, models.replay)
        if self.descriptions.enabled and not (any(names) or self.descriptions.image_encoder):
            raise ValueError(
                "descriptions.enabled is true: name models.vision.model,"
                " descriptions.image_encoder, or both"
            )
        return self
