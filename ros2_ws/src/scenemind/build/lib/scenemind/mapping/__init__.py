"""From frames to memory: the mapper, the threads it runs on, its timings and its governor."""

from scenemind.mapping.governor import Governor, Plan
from scenemind.mapping.mapper import DetectedFrame, Mapper, MapperReport, StageStats, StageTimings
from scenemind.mapping.pipeline import LatestSlot, MappingPipeline, map_all

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
