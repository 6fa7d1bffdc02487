"""Procedural rooms with ground truth, rendered to RGB-D, and questions with known answers."""

from scenemind.simulation.change_questions import make_change_questions
from scenemind.simulation.changes import Change
from scenemind.simulation.depth_noise import DepthNoise, SimpleDepthNoise
from scenemind.simulation.detection_truth import true_instances
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.ground_truth import MatchTable, VisibilityCounter, match_objects
from scenemind.simulation.make_room import make_room
from scenemind.simulation.open_source import open_source
from scenemind.simulation.question import Question
from scenemind.simulation.questions import make_questions
from scenemind.simulation.room import Room, SimObject
from scenemind.simulation.sequence import SimulatedSequence, simulate
from scenemind.simulation.stale_places import places_seen_again, stale_objects
from scenemind.simulation.stereo_noise import StereoDepthNoise

__all__ = [
    "Change",
    "DepthNoise",
    "MatchTable",
    "Question",
    "Room",
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
    "stale_objects",
    "true_instances",
]
