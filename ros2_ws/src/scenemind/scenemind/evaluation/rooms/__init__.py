"""The built-in benchmark: simulated rooms, which need nobody's data."""

from scenemind.evaluation.rooms.benchmark import SIMULATION, simulation_benchmark
from scenemind.evaluation.rooms.questions import room_names, room_questions, room_rows
from scenemind.evaluation.rooms.scoring import RoomSource
from scenemind.evaluation.rooms.sources import MappedRooms, TrueRooms

__all__ = [
    "SIMULATION",
    "MappedRooms",
    "RoomSource",
    "TrueRooms",
    "room_names",
    "room_questions",
    "room_rows",
    "simulation_benchmark",
]
