"""The one typed tree of settings.

The command line reads it from YAML (`SceneMindConfig.load`); the nodes mirror it as ROS parameters
of the same dotted names (`flatten`, `from_flat`). Unknown keys and missing files are errors.
"""

from scenemind.config.descriptions import DescriptionsConfig
from scenemind.config.mapping import MapperConfig
from scenemind.config.memory import ObjectMapConfig, StoreConfig, TreeConfig
from scenemind.config.memtree import MemTreeConfig
from scenemind.config.models import ChatModelConfig, ModelsConfig
from scenemind.config.perception import DetectorConfig, LiftingConfig, TrackerConfig
from scenemind.config.programs import LearnedMethodsConfig, LlmTpcConfig, VadarConfig
from scenemind.config.relations import RelationConfig
from scenemind.config.sandbox import SandboxConfig
from scenemind.config.scenemind_config import SceneMindConfig
from scenemind.config.sensing import DepthConfig, SyncConfig
from scenemind.config.settings import ConfigError, Settings
from scenemind.config.vlm_grounder import SegmenterConfig, VlmGrounderConfig

__all__ = [
    "ChatModelConfig",
    "ConfigError",
    "DepthConfig",
    "DescriptionsConfig",
    "DetectorConfig",
    "LearnedMethodsConfig",
    "LiftingConfig",
    "LlmTpcConfig",
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
    "TrackerConfig",
    "TreeConfig",
    "VadarConfig",
    "VlmGrounderConfig",
]
