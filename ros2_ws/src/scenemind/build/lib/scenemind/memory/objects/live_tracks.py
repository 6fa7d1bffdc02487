"""Tracks of a session become tracklets of the memory, each of which feeds one object.

A tracker may go over from one thing to another, such as from a cup to the cup behind it. What is
detected from then on is another tracklet: the detections before stay those of the first object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import Observation


class TrackletIds:
    """Unique ids of tracklets over sessions, each of whose trackers counts tracks from 0."""

    def __init__(self) -> None:
        self._next = 0
        self.begin_session()

    def begin_session(self) -> None:
        """The tracker counts from 0 again."""
        # Tracks up to `_ends[i]` have the ids that begin at `_offsets[i]`.
        self._ends: list[int] = []
        self._offsets = [self._next]
        self._largest = -1  # track of this session

    def skip(self, largest: int) -> None:
        """This id and those below it are known already; before a session."""
        self._next = max(self._next, largest + 1)
        self.begin_session()

    def of(self, track_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ids of tracks (N,) of this session; -1 stays -1."""
        rows = np.searchsorted(self._ends, track_ids)
        own = np.where(track_ids >= 0, track_ids + np.take(self._offsets, rows), -1)
        self._largest = max(self._largest, int(track_ids.max(initial=-1)))
        self._next = max(self._next, int(own.max(initial=-1)) + 1)
        return own

    def take(self) -> int:
        """An id that no track has or will have."""
        taken = self._next
        self._next += 1
        if not self._ends or self._ends[-1] != self._largest:
            self._ends.append(self._largest)
            self._offsets.append(0)
        # The next track that the tracker begins gets the next id.
        self._offsets[-1] = self._next - (self._largest + 1)
        return taken


# Tracks that are remembered: far more than a tracker keeps alive.
MOST_LIVE_TRACKS = 4096


class LiveTracks:
    """The objects that each track fed, and the tracklet of each; in the order of their last
    observations."""

    def __init__(self, ids: TrackletIds) -> None:
        self._ids = ids
        self._object_of: dict[int, int] = {}
        # Track -> the object that it fed, or ~object for what may be split off it -> tracklet.
        self._tracklets: dict[int, dict[int, int]] = {}
        self._now: dict[int, int] = {}

    @property
    def object_of(self) -> Mapping[int, int]:
        """Track id -> id of the object that it fed last."""
        return MappingProxyType(self._object_of)

    def give(self, track_ids: Iterable[int], object_id: int) -> None:
        """Assign tracks to an object, whose tracklets have their ids."""
        for track_id in track_ids:
            self._object_of[track_id] = object_id
            self._tracklets[track_id] = {object_id: track_id}

    def feed(self, track_id: int, object_id: int, apart: bool) -> int:
        """The tracklet of a track while it feeds an object; -1 for no track.

        Args:
            apart: it shows a place apart from the object, which may be split off.
        """
        if track_id < 0:
            return track_id
        tracklets = self._tracklets.setdefault(track_id, {})
        fed = ~object_id if apart else object_id
        if fed not in tracklets:
            tracklets[fed] = self._ids.take() if tracklets else track_id
        self._now[track_id] = tracklets[fed]
        return tracklets[fed]

    def split(self, object_id: int, part_id: int) -> list[int]:
        """Give what showed a place apart from an object to the part that is split off; the
        tracklets."""
        moved = []
        for tracklets in self._tracklets.values():
            tracklet = tracklets.pop(~object_id, None)
            if tracklet is not None:
                tracklets[part_id] = tracklet
                moved.append(tracklet)
        return moved

    def now(self, track_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The tracklet to which each track (N,) added last; its own id before the first."""
        return np.array([self._now.get(i, i) for i in track_ids.tolist()], np.int64)

    def remember(
        self, observations: Sequence[Observation], fed: Sequence[int], merged: Mapping[int, int]
    ) -> dict[int, int]:
        """Note a frame's tracks, and forget the oldest where there are too many.

        Args:
            fed: id of the object that each observation went to.
            merged: id that is gone -> id that is kept.

        Returns:
            Tracklet id -> object id, of this frame.
        """
        if merged:
            self.follow(merged)
        of_tracklet: dict[int, int] = {}
        for observation, object_id in zip(observations, fed, strict=True):
            track_id = observation.track_id
            if track_id >= 0:
                kept = merged.get(object_id, object_id)
                of_tracklet[self._now[track_id]] = kept
                self._object_of.pop(track_id, None)
                self._object_of[track_id] = kept
        while len(self._object_of) > MOST_LIVE_TRACKS:
            oldest = next(iter(self._object_of))
            del self._object_of[oldest]
            self._tracklets.pop(oldest, None)
            self._now.pop(oldest, None)
        return of_tracklet

    def follow(self, merged: Mapping[int, int]) -> None:
        """Follow objects that were merged: gone -> kept."""
        for track_id, object_id in self._object_of.items():
            self._object_of[track_id] = merged.get(object_id, object_id)
        for tracklets in self._tracklets.values():
            for gone in merged.keys() & tracklets.keys():
                tracklets.setdefault(merged[gone], tracklets.pop(gone))
