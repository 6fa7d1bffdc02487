"""Procedural rooms with ground truth, rendered to RGB-D, and questions with known answers."""

from scenemind.errors import SimulationError
from scenemind.simulation.changes import Change
from scenemind.simulation.depth_noise import DepthNoise, SimpleDepthNoise, StereoDepthNoise
from scenemind.simulation.ground_truth import (
    MatchTable,
    VisibilityCounter,
    match_objects,
    places_seen_again,
    stale_objects,
)
from scenemind.simulation.questions import Question, make_change_questions, make_questions
from scenemind.simulation.room import Room, SimObject
from scenemind.simulation.room_generator import make_room
from scenemind.simulation.sequence import (
    RATE_HZ,
    Sensors,
    SimulatedSequence,
    open_source,
    simulate,
    simulate_visit,
)
from scenemind.simulation.trajectory import Drift

__all__ = [
    "RATE_HZ",
    "Change",
    "DepthNoise",
    "Drift",
    "MatchTable",
    "Question",
    "Room",
    "Sensors",
    "SimObject",
    "SimpleDepthNoise",
    "SimulatedSequence",
    "SimulationError",
    "StereoDepthNoise",
    "VisibilityCounter",
    "make_change_questions",
    "make_questions",
    "make_room",
    "match_objects",
    "open_source",
    "places_seen_again",
    "simulate",
    "simulate_visit",
    "stale_objects",
]
