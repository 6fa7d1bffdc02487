"""What one frame does to the object map, and the order in which its observations count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenemind.perception.types import Observation


@dataclass(frozen=True, slots=True)
class ObjectMapUpdate:
    """What one frame did to the map.

    Attributes:
        changed: objects that are new or got evidence, tentative ones included.
        removed: objects that are no more: forgotten tentative ones and merged ones.
        retired: objects that are no longer where they were, and are kept among the gone.
        merged: id that is gone -> id that goes on; the older id is kept.
        object_of_track: track id -> object that it fed in this frame, maybe a tentative one.
    """

    changed: frozenset[int]
    removed: frozenset[int]
    retired: frozenset[int]
    merged: Mapping[int, int]
    object_of_track: Mapping[int, int]


def note_merge(merged: dict[int, int], kept: int, gone: int) -> None:
    """Add gone -> kept to what was merged before."""
    for old, new in merged.items():
        if new == gone:
            merged[old] = kept
    merged[gone] = kept


def content(observation: Observation) -> tuple[float | str, ...]:
    """Sort key: best first, and of equals by what they are, never by how they came."""
    return (
        -observation.score,
        *observation.box.center,
        *observation.box.size,
        observation.track_id,
        observation.label,
        observation.truncated,
    )
