"""What is exchanged: a snapshot, and from where each object was seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scenemind.memory import LocationNode, MemorySnapshot


@dataclass(frozen=True, slots=True, eq=False)
class SceneExport:
    """A scene graph as it leaves the memory.

    Attributes:
        seen_from: object id -> ids of the locations of MemTree3D that saw it, in order of time.
    """

    snapshot: MemorySnapshot
    seen_from: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def locations_of_objects(locations: Iterable[LocationNode]) -> dict[int, tuple[int, ...]]:
    """Object id -> the locations that saw it, in the order of `locations`."""
    seen: dict[int, dict[int, None]] = {}
    for location in locations:
        for tracklet in location.tracklets:
            if tracklet.object_id is not None:
                seen.setdefault(tracklet.object_id, {})[location.location_id] = None
    return {object_id: tuple(ids) for object_id, ids in sorted(seen.items())}
