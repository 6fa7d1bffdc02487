"""The map in time: visits, where something was, and what changed."""

from scenemind.memory.history.changes import find_changes
from scenemind.memory.history.place_at import PlaceAt, find_place
from scenemind.memory.history.scene_change import ChangeKind, SceneChange, SceneChanges
from scenemind.memory.history.two_maps import compare_maps
from scenemind.memory.history.views import CameraViews
from scenemind.memory.history.visits import TimeSpan, Visit, find_visits

__all__ = [
    "CameraViews",
    "ChangeKind",
    "PlaceAt",
    "SceneChange",
    "SceneChanges",
    "TimeSpan",
    "Visit",
    "compare_maps",
    "find_changes",
    "find_place",
    "find_visits",
]
