"""The one typed tree of settings.

The command line reads it from YAML (`SceneMindConfig.load`); the nodes mirror it as ROS parameters
of the same dotted names (`flatten`, `from_flat`). Unknown keys and missing files are errors.
"""

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
    ChatModelConfig,
    LearnedMethodsConfig,
    LlmTpcConfig,
    MemTreeConfig,
    ModelsConfig,
    SandboxConfig,
    SegmenterConfig,
    SynergaiConfig,
    VadarConfig,
    VlmGrounderConfig,
)
from scenemind.config.scenemind_config import SceneMindConfig
from scenemind.config.settings import ConfigError, Settings

__all__ = [
    "ChatModelConfig",
    "ConfigError",
    "DepthConfig",
    "DescriptionsConfig",
    "DetectorConfig",
    "InventoryConfig",
    "LearnedMethodsConfig",
    "LiftingConfig",
    "LlmTpcConfig",
    "LoopClosureConfig",
    "MapperConfig",
    "MemTreeConfig",
    "ModelsConfig",
    "ObjectMapConfig",
    "RelationConfig",
    "SandboxConfig",
    "SceneMindConfig",
    "SegmenterConfig",
    "Settings",
    "StoreConfig",
    "SyncConfig",
    "SynergaiConfig",
    "TrackerConfig",
    "TreeConfig",
    "VadarConfig",
    "VlmGrounderConfig",
]
