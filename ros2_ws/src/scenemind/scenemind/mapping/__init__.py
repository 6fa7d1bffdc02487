"""From frames to memory: the mapper, its thread and its timings."""

from scenemind.mapping.latest import LatestSlot
from scenemind.mapping.mapper import Mapper, MapperReport
from scenemind.mapping.mapper_thread import MapperThread
from scenemind.mapping.stage_timings import StageStats, StageTimings

__all__ = [
    "LatestSlot",
    "Mapper",
    "MapperReport",
    "MapperThread",
    "StageStats",
    "StageTimings",
]
