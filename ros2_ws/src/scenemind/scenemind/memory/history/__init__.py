"""The map in time: visits, where something was, and what changed."""

from scenemind.memory.history.camera_views import CameraViews
from scenemind.memory.history.changes import (
    HARDLY_SEEN,
    NEVER_THERE,
    NO_EARLIER_VISIT,
    ChangeKind,
    SceneChange,
    SceneChanges,
    compare_maps,
    find_changes,
    staying,
)
from scenemind.memory.history.timeline import PlaceAt, TimeSpan, Visit, find_place, find_visits

__all__ = [
    "HARDLY_SEEN",
    "NEVER_THERE",
    "NO_EARLIER_VISIT",
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
    "staying",
]
