"""Procedural rooms with ground truth, rendered to RGB-D, and questions with known answers."""

from scenemind.simulation.errors import SimulationError
from scenemind.simulation.make_room import make_room
from scenemind.simulation.room import Room, SimObject
from scenemind.simulation.sequence import SimulatedSequence, simulate

__all__ = ["Room", "SimObject", "SimulatedSequence", "SimulationError", "make_room", "simulate"]
