"""Which object each tracklet fed last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from scenemind.perception.types import Observation

# Tracklets whose object is remembered: far more than a tracker keeps alive.
MOST_LIVE_TRACKS = 4096


class LiveTracks:
    """The tracklets that fed objects, those that did so last at the end."""

    def __init__(self) -> None:
        self._object_of: dict[int, int] = {}

    @property
    def object_of(self) -> Mapping[int, int]:
        """Track id -> object id."""
        return MappingProxyType(self._object_of)

    def give(self, track_ids: Iterable[int], object_id: int) -> None:
        """Let tracklets be an object's."""
        self._object_of.update(dict.fromkeys(track_ids, object_id))

    def remember(
        self, observations: Sequence[Observation], fed: Sequence[int], merged: Mapping[int, int]
    ) -> dict[int, int]:
        """Note a frame's tracklets, and forget the oldest where there are too many.

        Args:
            fed: id of the object that each observation went to.
            merged: id that is gone -> id that is kept.

        Returns:
            Track id -> object id, of this frame.
        """
        of_track: dict[int, int] = {}
        for observation, object_id in zip(observations, fed, strict=True):
            if observation.track_id >= 0:
                kept = merged.get(object_id, object_id)
                of_track[observation.track_id] = kept
                self._object_of.pop(observation.track_id, None)
                self._object_of[observation.track_id] = kept
        while len(self._object_of) > MOST_LIVE_TRACKS:
            del self._object_of[next(iter(self._object_of))]
        return of_track
