"""Values of the memory to SQLite rows and back."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Pose
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.tree.locations import LocationRecord, TrackletRecord
from scenemind.memory.types import (
    Correction,
    Description,
    DetectionNode,
    Edit,
    Embedding,
    ObjectAnchor,
    ObjectTracklet,
    Stay,
)

Row = tuple[Any, ...]
_DETECTION = struct.Struct("<2q5d")


def pose_blob(pose: Pose) -> bytes:
    return np.concatenate((pose.translation, pose.quaternion_xyzw())).tobytes()


def pose_of(blob: bytes) -> Pose:
    values = np.frombuffer(blob, np.float64)
    return Pose.from_quaternion(values[:3], values[3:])


def location_row(record: LocationRecord) -> Row:
    return (
        record.location_id,
        pose_blob(record.anchor),
        record.first_stamp_ns,
        record.last_stamp_ns,
        *record.frame_numbers,
        record.revisit_of,
    )


def location_of(row: Row) -> LocationRecord:
    location_id, anchor, first_ns, last_ns, first_frame, last_frame, revisit_of = row
    return LocationRecord(
        location_id, pose_of(anchor), first_ns, last_ns, (first_frame, last_frame), revisit_of
    )


def tracklet_row(record: TrackletRecord) -> Row:
    node = record.tracklet
    return (
        record.location_id,
        node.track_id,
        node.label,
        node.object_id,
        node.detection_count,
        node.first_seen_ns,
        node.last_seen_ns,
        _DETECTION.pack(
            node.best.frame_number, node.best.stamp_ns, node.best.score, *node.best.box_px
        ),
        node.trajectory.tobytes(),
    )


def tracklet_of(row: Row) -> TrackletRecord:
    location_id, track_id, label, object_id, count, first_ns, last_ns, best, points = row
    node = ObjectTracklet(
        track_id=track_id,
        label=label,
        object_id=object_id,
        detection_count=count,
        first_seen_ns=first_ns,
        last_seen_ns=last_ns,
        best=detection_of(_DETECTION.unpack(best)),
        trajectory=np.frombuffer(points, np.float32).reshape(-1, 3),
    )
    return TrackletRecord(location_id, node)


def object_row(record: ObjectRecord) -> Row:
    summary = {
        "confirmed": record.confirmed,
        "votes": dict(record.votes),
        "observation_count": record.observation_count,
        "whole_count": record.whole_count,
        "first_seen_ns": record.first_seen_ns,
        "last_seen_ns": record.last_seen_ns,
        "track_ids": list(record.track_ids),
        "colors": dict(record.colors),
        "appearance": None if record.appearance is None else record.appearance.tolist(),
        "stays": [_stay_values(stay) for stay in record.stays],
        "here_since_ns": record.here_since_ns,
        "gone_ns": record.gone_ns,
        "viewpoints": dict(record.viewpoints),
        "missed": record.missed,
        "doubt": record.doubt,
        "noise": record.noise.tolist(),
        "cell_m": record.cell_m,
        "new_count": record.new_count,
    }
    return (
        record.object_id,
        json.dumps(summary),
        np.concatenate((record.points, record.surface)).astype(np.float32, copy=False).tobytes(),
        np.stack((record.hits, record.weights)).astype(np.float32, copy=False).tobytes(),
    )


def object_of(row: Row) -> ObjectRecord:
    object_id, text, places, evidence = row
    hits, weights = _array(evidence).reshape(2, -1)
    points, surface = np.split(_array(places).reshape(-1, 3), [len(hits)])
    summary = json.loads(text)
    summary["track_ids"] = tuple(summary["track_ids"])
    summary["noise"] = np.array(summary["noise"], np.float64)
    summary["stays"] = tuple(_stay_of(values) for values in summary["stays"])
    summary["viewpoints"] = {int(cell): n for cell, n in summary["viewpoints"].items()}
    if summary["appearance"] is not None:
        summary["appearance"] = np.array(summary["appearance"], np.float32)
    return ObjectRecord(
        object_id=object_id,
        points=points,
        hits=hits,
        weights=weights,
        surface=surface,
        **summary,
    )


def correction_row(entry: Correction) -> Row:
    edit = entry.edit
    return (
        entry.correction_id,
        edit.kind,
        json.dumps(edit.object_ids),
        edit.key,
        edit.value,
        entry.by,
        entry.reason,
        entry.stamp_ns,
        entry.undone_ns,
        json.dumps(
            {
                "places": edit.places,
                "new_ids": edit.new_ids,
                "anchors": [
                    [anchor.object_id, anchor.label, *_box_values(anchor.box)]
                    for anchor in entry.anchors
                ],
            }
        ),
    )


def correction_of(row: Row) -> Correction:
    correction_id, kind, object_ids, key, value, by, reason, stamp_ns, undone_ns, text = row
    details = json.loads(text)
    places = tuple((x, y, z) for x, y, z in details["places"])
    edit = Edit(kind, tuple(json.loads(object_ids)), key, value, places, tuple(details["new_ids"]))
    anchors = tuple(
        ObjectAnchor(object_id, label, _box_of(values))
        for object_id, label, *values in details["anchors"]
    )
    return Correction(correction_id, edit, by, reason, stamp_ns, undone_ns, anchors)


def description_row(description: Description) -> Row:
    values = asdict(description)
    return values.pop("object_id"), json.dumps(values)


def description_of(row: Row) -> Description:
    object_id, text = row
    return Description(object_id=object_id, **json.loads(text))


def embedding_row(embedding: Embedding) -> Row:
    vector = embedding.vector.astype(np.float32, copy=False).tobytes()
    return embedding.object_id, embedding.encoder, embedding.views, vector


def embedding_of(row: Row) -> Embedding:
    object_id, encoder, views, vector = row
    return Embedding(object_id, encoder, _array(vector), views)


def detection_of(values: Sequence[Any]) -> DetectionNode:
    """The DetNode of the values frame, stamp_ns, score, x0, y0, x1, y1."""
    number, stamp_ns, score, *box_px = values
    return DetectionNode(number, stamp_ns, score, tuple(box_px))


def _stay_values(stay: Stay) -> list[float]:
    return [*_box_values(stay.box), stay.first_seen_ns, stay.last_seen_ns, stay.gone_ns]


def _stay_of(values: list[Any]) -> Stay:
    *box, first_ns, last_ns, gone_ns = values
    return Stay(_box_of(box), first_ns, last_ns, gone_ns)


def _box_values(box: Box3D) -> list[float]:
    return [*box.center, *box.size, box.yaw]


def _box_of(values: Sequence[float]) -> Box3D:
    x, y, z, length, width, height, yaw = values
    return Box3D((x, y, z), (length, width, height), yaw)


def _array(blob: bytes) -> NDArray[np.float32]:
    return np.frombuffer(blob, np.float32).copy()
