"""From frames to memory: the mapper, the threads it runs on, its timings and its governor."""

from scenemind.mapping.governor import Governor, Plan
from scenemind.mapping.latest import LatestSlot
from scenemind.mapping.mapper import DetectedFrame, Mapper, MapperReport
from scenemind.mapping.pipeline import MappingPipeline, map_all
from scenemind.mapping.stage_timings import StageStats, StageTimings

__all__ = [
    "DetectedFrame",
    "Governor",
    "LatestSlot",
    "Mapper",
    "MapperReport",
    "MappingPipeline",
    "Plan",
    "StageStats",
    "StageTimings",
    "map_all",
]
