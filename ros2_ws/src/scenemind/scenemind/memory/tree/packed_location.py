"""LocNode as columns: some hundred bytes a tracklet, made into nodes when somebody asks.

An hour has thousands of locations with some twenty tracklets each. As Python objects they would
take 2 kB a tracklet, and building all of them would take a second.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from sys import intern
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.tree.contents import NO_OBJECT, Contents
from scenemind.memory.tree.location import LocationRecord
from scenemind.memory.types import DetectionNode, LocationNode, ObjectTracklet

# Scores and boxes are float32 where detections have them; nothing is lost.
_COLUMNS = np.dtype(
    [
        ("track_id", "<i4"),
        ("detection_count", "<i4"),
        ("first_seen_ns", "<i8"),
        ("last_seen_ns", "<i8"),
        ("best_frame", "<i4"),
        ("best_stamp_ns", "<i8"),
        ("best_score", "<f4"),
        *((side, "<f4") for side in ("x0", "y0", "x1", "y1")),
        ("points_end", "<i4"),  # its trajectory ends before this point of the location
    ]
)


class PackedLocation:
    """A location and its tracklets as they are at one moment: nothing changes it afterwards."""

    __slots__ = (
        "_columns",
        "_contents",
        "_labels",
        "_object_ids",
        "_points",
        "is_open",
        "record",
    )

    def __init__(
        self,
        record: LocationRecord,
        is_open: bool,
        columns: NDArray[np.void],
        labels: tuple[str, ...],
        object_ids: NDArray[np.int32],
        points: NDArray[np.float32],
    ) -> None:
        """See `pack`."""
        self.record = record
        self.is_open = is_open
        self._columns = columns
        self._labels = labels
        self._object_ids = object_ids
        self._points = points
        self._contents: Contents | None = None

    @classmethod
    def pack(
        cls, record: LocationRecord, is_open: bool, tracklets: Sequence[ObjectTracklet]
    ) -> PackedLocation:
        ends = np.cumsum([len(t.trajectory) for t in tracklets], dtype=np.int64)
        rows = [
            (
                t.track_id,
                t.detection_count,
                t.first_seen_ns,
                t.last_seen_ns,
                t.best.frame_number,
                t.best.stamp_ns,
                t.best.score,
                *t.best.box_px,
                end,
            )
            for t, end in zip(tracklets, ends.tolist(), strict=True)
        ]
        points = np.zeros((0, 3), np.float32)
        if tracklets:
            points = np.concatenate([t.trajectory for t in tracklets])
            points.flags.writeable = False
        return cls(
            record,
            is_open,
            np.array(rows, _COLUMNS),
            tuple(intern(t.label) for t in tracklets),
            np.array([_number(t.object_id) for t in tracklets], np.int32),
            points,
        )

    def relinked(self, gone: int, kept: int | None) -> tuple[PackedLocation, list[int]]:
        """With an object replaced by another one or by none, and the tracks that fed it."""
        fed = self._object_ids == gone
        object_ids = np.where(fed, np.int32(_number(kept)), self._object_ids)
        other = PackedLocation(
            self.record, self.is_open, self._columns, self._labels, object_ids, self._points
        )
        return other, self._columns["track_id"][fed].tolist()

    def object_of(self, track_id: int) -> int | None:
        """The object that a track fed here; None for none, or where the track was not seen."""
        rows = np.flatnonzero(self._columns["track_id"] == track_id)
        return _object(int(self._object_ids[rows[0]])) if len(rows) else None

    def objects_of(self, track_ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """(M,) int32: `object_of` of many tracks (M,), `NO_OBJECT` for none."""
        known = self._columns["track_id"]
        if not len(known):
            return np.full(len(track_ids), NO_OBJECT, np.int32)
        order = np.argsort(known)
        rows = order[np.minimum(np.searchsorted(known, track_ids, sorter=order), len(known) - 1)]
        return np.where(known[rows] == track_ids, self._object_ids[rows], np.int32(NO_OBJECT))

    def contents(self) -> Contents:
        """Objects and labels alone, kept once they were asked for."""
        if self._contents is None:
            seen = zip(self._object_ids.tolist(), self._labels, strict=True)
            self._contents = Contents.of(self.record.location_id, self.record.revisit_of, seen)
        return self._contents

    def tracklets(self) -> list[ObjectTracklet]:
        """In the order in which they were packed."""
        points = np.split(self._points, self._columns["points_end"][:-1])
        return [
            _tracklet(row, label, object_id, trajectory)
            for row, label, object_id, trajectory in zip(
                self._columns.tolist(),
                self._labels,
                self._object_ids.tolist(),
                points,
                strict=False,
            )
        ]

    def node(
        self, known_objects: Container[int], shown_as: Mapping[int, int] = MappingProxyType({})
    ) -> LocationNode:
        """As a value; tracklets name only objects that are known.

        Args:
            shown_as: object that is part of another -> that one.
        """
        record = self.record
        return LocationNode(
            location_id=record.location_id,
            anchor=record.anchor,
            first_stamp_ns=record.first_stamp_ns,
            last_stamp_ns=record.last_stamp_ns,
            frame_numbers=record.frame_numbers,
            tracklets=tuple(_naming(t, known_objects, shown_as) for t in self.tracklets()),
            revisit_of=record.revisit_of,
            is_open=self.is_open,
        )


def _tracklet(
    row: tuple[Any, ...], label: str, object_id: int, trajectory: NDArray[np.float32]
) -> ObjectTracklet:
    track_id, count, first_ns, last_ns, frame, stamp_ns, score, x0, y0, x1, y1, _ = row
    return ObjectTracklet(
        track_id=track_id,
        label=label,
        object_id=_object(object_id),
        detection_count=count,
        first_seen_ns=first_ns,
        last_seen_ns=last_ns,
        best=DetectionNode(frame, stamp_ns, score, (x0, y0, x1, y1)),
        trajectory=trajectory,
    )


def _naming(
    tracklet: ObjectTracklet, known_objects: Container[int], shown_as: Mapping[int, int]
) -> ObjectTracklet:
    if tracklet.object_id is None:
        return tracklet
    shown = shown_as.get(tracklet.object_id, tracklet.object_id)
    named = shown if shown in known_objects else None
    return tracklet if named == tracklet.object_id else replace(tracklet, object_id=named)


def _number(object_id: int | None) -> int:
    return NO_OBJECT if object_id is None else object_id


def _object(number: int) -> int | None:
    return None if number == NO_OBJECT else number
