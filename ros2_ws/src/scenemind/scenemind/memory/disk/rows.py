"""Values of the memory to rows without their checksums, and back.

The functions `..._of` check values, because a person can change a memory so that each checksum
fits: a row that cannot be is an error, SceneMemoryError or ValueError.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from scenemind.errors import SceneMemoryError
from scenemind.frames.images import MOST_PIXELS
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.geometry.pose import poses_of
from scenemind.memory.disk.schema import Row
from scenemind.memory.graph.corrections.replay import entry_from_json, entry_to_json
from scenemind.memory.objects.object_record import ObjectRecord, Stretch
from scenemind.memory.objects.sampled_views import MOST_PLACE, MOST_SAMPLED
from scenemind.memory.occupancy.occupancy_map import Block, unpack_block
from scenemind.memory.structure.structure_map import PackedStructure, unpack
from scenemind.memory.tree.best_views import VIEW, ViewsRecord
from scenemind.memory.tree.locations import LocationRecord, TrackletRecord
from scenemind.memory.types import (
    Correction,
    Description,
    DetectionNode,
    Embedding,
    ObjectTracklet,
    PoseCorrection,
    Stay,
)

_DETECTION, _POSE = struct.Struct("<2q5d"), struct.Struct("<7d")
_BEST = np.dtype([("frame", "<i8"), ("stamp_ns", "<i8"), ("score_and_box", "<f8", (5,))])
_LONGEST_LABEL = 1000
_LARGEST_ID = 2**31 - 1  # ids are int32 in columns and messages
_FARTHEST_M = 1e6
_MOST_SUMMARY = 2**22  # characters
_STEP_M, _MOST_STEPS = 5e-4, 65_000  # of points of stretches
_MOST_HALF = 65_000.0  # a half-precision number


_Amount = Annotated[float, Field(ge=0.0)]
_Count = Annotated[int, Field(ge=0)]
_Place = Annotated[float, Field(ge=-_FARTHEST_M, le=_FARTHEST_M)]
_Id = Annotated[int, Field(ge=0, le=_LARGEST_ID)]


@with_config(ConfigDict(extra="forbid", strict=True, allow_inf_nan=False))
class _Summary(TypedDict):
    """The fields of ObjectRecord that are no columns of points."""

    confirmed: bool
    votes: dict[str, _Amount]
    observation_count: _Count
    whole_count: _Count
    first_seen_ns: int
    last_seen_ns: int
    track_ids: tuple[_Id, ...]
    colors: dict[str, _Amount]
    appearance: Annotated[list[float], Field(min_length=48, max_length=48)] | None
    stays: tuple[tuple[float, float, float, float, float, float, float, int, int, int], ...]
    here_since_ns: int
    gone_ns: int | None
    viewpoints: dict[Annotated[int, Field(strict=False)], _Count]
    missed: _Count
    doubt: _Amount
    places: tuple[tuple[float, float, float, float, float, float], ...]
    place_frames: tuple[_Id, ...]
    frames: tuple[_Id, Annotated[int, Field(ge=-1, le=_LARGEST_ID)]]
    noise: Annotated[tuple[_Amount, ...], Field(min_length=14, max_length=14)]
    cell_m: Annotated[float, Field(ge=1e-3, le=10.0)]
    new_count: _Count


@with_config(ConfigDict(extra="forbid", strict=True, allow_inf_nan=False))
class _StretchSummary(TypedDict):
    """The fields of Stretch that are no columns of points, and the number of these."""

    frames: tuple[_Id, _Id]
    votes: dict[str, _Amount]
    observation_count: int
    whole_count: int
    first_seen_ns: int
    last_seen_ns: int
    track_ids: tuple[_Id, ...]
    colors: Annotated[tuple[_Amount, ...], Field(min_length=24, max_length=24)]
    appearance: Annotated[tuple[float, ...], Field(min_length=48, max_length=48)] | None
    noise: Annotated[tuple[_Amount, ...], Field(min_length=14, max_length=14)]
    cell_m: Annotated[float, Field(ge=1e-3, le=10.0)]
    voxels: _Count
    view_frames: tuple[_Id, ...]
    origin: tuple[_Place, _Place, _Place]
    step_m: Annotated[float, Field(gt=0.0, le=10.0)]


@with_config(ConfigDict(extra="forbid", strict=True, allow_inf_nan=False))
class _PoseSummary(TypedDict):
    """A PoseCorrection without its number."""

    at_ns: int
    frames: _Count
    largest_m: _Amount
    largest_deg: _Amount
    same: tuple[tuple[_Id, _Id], ...]
    apart: tuple[tuple[_Id, _Id], ...]
    returned: tuple[_Id, ...]


class _Said(BaseModel):
    """A Description without its object."""

    model_config = ConfigDict(extra="forbid", strict=True)

    attributes: dict[str, str]
    by: str
    label: str
    stamp_ns: int
    observation_count: int = Field(ge=0)


_SUMMARY, _SAID = TypeAdapter(_Summary), TypeAdapter(_Said)
_STRETCHES, _POSES = TypeAdapter(list[_StretchSummary]), TypeAdapter(_PoseSummary)


def camera_row(camera_id: int, camera: PinholeCamera) -> Row:
    values = map(float, (camera.fx, camera.fy, camera.cx, camera.cy))
    return camera_id, int(camera.width), int(camera.height), *values


def camera_of(row: Row) -> tuple[int, PinholeCamera]:
    camera_id, width, height, *intrinsics = row
    if not 0 < camera_id < 2**16 or not 0 < width * height <= MOST_PIXELS:
        raise _impossible()
    return camera_id, PinholeCamera(width, height, *intrinsics)


def label_of(row: Row) -> tuple[int, str]:
    label_id, label = row
    if not (0 <= label_id < 2**16 and 0 < len(label) <= _LONGEST_LABEL):
        raise _impossible()
    return label_id, label


def image_of(row: Row) -> tuple[int, int]:
    frame, size = row
    if not (0 <= frame <= _LARGEST_ID and size > 0):
        raise _impossible()
    return frame, size


def location_rows(records: Sequence[LocationRecord]) -> list[Row]:
    anchors = poses_of(np.array([r.anchor.matrix() for r in records]).reshape(-1, 4, 4))
    return [
        (
            record.location_id,
            anchor.tobytes(),
            record.first_stamp_ns,
            record.last_stamp_ns,
            *record.frame_numbers,
            record.revisit_of,
        )
        for record, anchor in zip(records, anchors, strict=True)
    ]


def location_of(row: Row) -> LocationRecord:
    location_id, anchor, first_ns, last_ns, first_frame, last_frame, revisit_of = row
    if not (
        0 <= location_id <= _LARGEST_ID
        and 0 <= first_frame <= last_frame <= _LARGEST_ID
        and (revisit_of is None or 0 <= revisit_of < location_id)
        and len(anchor) == _POSE.size
    ):
        raise _impossible()
    values = _POSE.unpack(anchor)
    if not all(abs(value) < _FARTHEST_M for value in values):  # NaN is not
        raise _impossible()
    pose = Pose.from_quaternion(values[:3], values[3:])
    return LocationRecord(
        location_id, pose, first_ns, last_ns, (first_frame, last_frame), revisit_of
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
    number, stamp_ns, score, x0, y0, x1, y1 = _DETECTION.unpack(best)
    node = ObjectTracklet(
        track_id=track_id,
        label=label,
        object_id=object_id,
        detection_count=count,
        first_seen_ns=first_ns,
        last_seen_ns=last_ns,
        best=DetectionNode(number, stamp_ns, score, (x0, y0, x1, y1)),
        trajectory=np.frombuffer(points, np.float32).reshape(-1, 3),
    )
    return TrackletRecord(location_id, node)


def check_tracklets(tracklets: Sequence[Row]) -> None:
    """
    Raises:
        SceneMemoryError: one of them holds values that cannot be.
        ValueError: bytes that are no detection or no places.
    """
    locations, tracks, labels, objects, counts, _, _, best, points = zip(*tracklets, strict=True)
    known = [object_id for object_id in objects if object_id is not None]
    seen = np.frombuffer(b"".join(best), _BEST)
    if not (
        all(min(ids) >= 0 and max(ids) <= _LARGEST_ID for ids in (locations, tracks, counts))
        and min(known, default=1) > 0
        and max(known, default=1) <= _LARGEST_ID
        and all(labels)
        and max(map(len, labels)) <= _LONGEST_LABEL
        and ((seen["frame"] >= 0) & (seen["frame"] <= _LARGEST_ID)).all()
        and np.isfinite(seen["score_and_box"]).all()
    ):
        raise _impossible()
    _bounded(np.frombuffer(b"".join(points), np.float32))


def views_of(row: Row) -> ViewsRecord:
    location_id, object_id, packed = row
    if not (
        0 <= location_id <= _LARGEST_ID
        and 0 <= object_id <= _LARGEST_ID
        and packed
        and not len(packed) % VIEW.itemsize
    ):
        raise _impossible()
    return ViewsRecord(location_id, object_id, packed)


def check_views(views: Sequence[Row]) -> None:
    """
    Raises:
        SceneMemoryError: one of them has a frame or a score that cannot be.
        ValueError: bytes that are no views.
    """
    found = np.frombuffer(b"".join([row[-1] for row in views]), VIEW)
    scores = found["score"]
    if not ((found["frame"] >= 0) & (scores >= 0.0) & (scores < math.inf)).all():
        raise _impossible()


def object_row(record: ObjectRecord) -> Row:
    summary = _Summary(
        confirmed=record.confirmed,
        votes=dict(record.votes),
        observation_count=record.observation_count,
        whole_count=record.whole_count,
        first_seen_ns=record.first_seen_ns,
        last_seen_ns=record.last_seen_ns,
        track_ids=tuple(record.track_ids),
        colors=dict(record.colors),
        appearance=None if record.appearance is None else record.appearance.tolist(),
        stays=tuple(_stay_values(stay) for stay in record.stays),
        here_since_ns=record.here_since_ns,
        gone_ns=record.gone_ns,
        viewpoints=dict(record.viewpoints),
        missed=record.missed,
        doubt=record.doubt,
        places=tuple(tuple(place) for place in record.places.tolist()),
        place_frames=tuple(record.place_frames.tolist()),
        frames=record.frames,
        noise=tuple(record.noise.tolist()),
        cell_m=record.cell_m,
        new_count=record.new_count,
    )
    return (
        record.object_id,
        _SUMMARY.dump_json(summary).decode(),
        np.concatenate((record.points, record.surface)).astype(np.float32, copy=False).tobytes(),
        np.stack((record.hits, record.weights)).astype(np.float32, copy=False).tobytes(),
    )


def object_of(row: Row) -> ObjectRecord:
    object_id, text, places, evidence = row
    if not (0 < object_id <= _LARGEST_ID and len(text) <= _MOST_SUMMARY):
        raise _impossible()
    summary: Any = _SUMMARY.validate_json(text)
    hits, weights = _bounded(np.frombuffer(evidence, np.float32).copy()).reshape(2, -1)
    all_points = _bounded(np.frombuffer(places, np.float32).copy()).reshape(-1, 3)
    if not 0 < len(hits) <= len(all_points) or min(hits.min(), weights.min()) < 0.0:
        raise _impossible()
    points, surface = all_points[: len(hits)], all_points[len(hits) :]
    summary["places"] = np.array(summary["places"], np.float32).reshape(-1, 6)
    if len(summary["places"]):
        _bounded(summary["places"].ravel())
    summary["place_frames"] = np.array(summary["place_frames"], np.int32)
    if len(summary["place_frames"]) != len(summary["places"]):
        raise _impossible()
    summary["noise"] = np.array(summary["noise"], np.float64)
    summary["stays"] = tuple(map(_stay_of, summary["stays"]))
    if summary["appearance"] is not None:
        summary["appearance"] = np.array(summary["appearance"], np.float32)
    return ObjectRecord(
        object_id=object_id,
        points=points,
        hits=hits,
        weights=weights,
        surface=surface,
        stretches=(),
        **summary,
    )


def stretches_row(record: ObjectRecord) -> Row:
    """Of a record with stretches, of one at least."""
    stretches = record.stretches or ()
    points = np.concatenate([s.points for s in stretches])
    counts = np.array([len(s.points) for s in stretches])
    starts = np.cumsum(counts) - counts
    low = np.minimum.reduceat(points, starts)
    size_m = (np.maximum.reduceat(points, starts) - low).max(axis=1).astype(np.float64)
    # Half a millimetre, more where an object is very large.
    steps_m = np.maximum(_STEP_M, size_m / _MOST_STEPS)
    steps = (points - low.repeat(counts, axis=0)) / steps_m.astype(np.float32).repeat(counts)[
        :, None
    ]
    summaries = [
        _StretchSummary(
            frames=s.frames,
            votes=dict(s.votes),
            observation_count=s.observation_count,
            whole_count=s.whole_count,
            first_seen_ns=s.first_seen_ns,
            last_seen_ns=s.last_seen_ns,
            track_ids=tuple(s.track_ids),
            colors=tuple(np.rint(s.colors).tolist()),
            appearance=None if s.appearance is None else tuple(s.appearance.round(4).tolist()),
            noise=tuple(float(f"{value:.6g}") for value in s.noise),
            cell_m=s.cell_m,
            voxels=len(s.keys),
            view_frames=s.view_frames,
            origin=tuple(origin),
            step_m=step_m,
        )
        for s, origin, step_m in zip(stretches, low.tolist(), steps_m.tolist(), strict=True)
    ]
    shown = np.concatenate([s.shown for s in stretches])
    evidence = np.hstack([np.stack((s.hits, s.weights)) for s in stretches])
    return (
        record.object_id,
        _STRETCHES.dump_json(summaries).decode(),
        np.rint(steps).astype("<u2").tobytes(),
        np.minimum(evidence, _MOST_HALF).astype("<f2").tobytes(),
        np.packbits(shown > 0).tobytes() + shown[shown > 0].astype("<u2").tobytes(),
    )


def stretches_of(row: Row) -> tuple[int, tuple[Stretch, ...]]:
    """An object's id and its stretches, which have no keys yet."""
    object_id, text, places, evidence, by_view = row
    if not (0 < object_id <= _LARGEST_ID and len(text) <= _MOST_SUMMARY):
        raise _impossible()
    summaries: list[Any] = _STRETCHES.validate_json(text)
    amounts = np.frombuffer(evidence, "<f2").astype(np.float32)
    hits, weights = _bounded(amounts).reshape(2, -1)
    points = np.frombuffer(places, "<u2").astype(np.float32).reshape(-1, 3)
    counts = [summary.pop("voxels") for summary in summaries]
    if not len(hits) == len(points) == sum(counts):
        raise _impossible()
    shown = _shown_of(by_view, len(points))
    if min(hits.min(), weights.min()) < 0.0:
        raise _impossible()
    found, end = [], 0
    for summary, count in zip(summaries, counts, strict=True):
        first, last = summary["frames"]
        if last < first or not count:
            raise _impossible()
        own, end = slice(end, end + count), end + count
        if shown[own, len(summary["view_frames"]) :].any():
            raise _impossible()  # of a view that is not named
        origin, step_m = np.array(summary.pop("origin"), np.float32), summary.pop("step_m")
        summary["colors"] = np.array(summary["colors"], np.float64)
        summary["noise"] = np.array(summary["noise"], np.float64)
        if summary["appearance"] is not None:
            summary["appearance"] = np.array(summary["appearance"], np.float32)
        found.append(
            Stretch(
                keys=np.zeros(0, np.int64),
                points=origin + points[own] * np.float32(step_m),
                hits=hits[own],
                weights=weights[own],
                shown=shown[own],
                **summary,
            )
        )
    return object_id, tuple(found)


def _shown_of(by_view: bytes, count: int) -> NDArray[np.uint16]:
    """Where sampled views showed a number of voxels: `Stretch.shown`."""
    size = math.ceil(count * MOST_SAMPLED / 8)
    bits = np.unpackbits(np.frombuffer(by_view[:size], np.uint8), count=count * MOST_SAMPLED)
    shown = bits.reshape(-1, MOST_SAMPLED).astype(np.uint16)
    numbers = np.frombuffer(by_view, "<u2", offset=size)
    if np.count_nonzero(bits) != len(numbers) or not (
        numbers.min(initial=1) > 0 and numbers.max(initial=1) <= MOST_PLACE
    ):
        raise _impossible()
    shown[shown > 0] = numbers
    return shown


def pose_correction_row(noted: PoseCorrection) -> Row:
    summary = _PoseSummary(
        at_ns=noted.at_ns,
        frames=noted.frames,
        largest_m=noted.largest_m,
        largest_deg=noted.largest_deg,
        same=noted.same,
        apart=noted.apart,
        returned=noted.returned,
    )
    return noted.number, _POSES.dump_json(summary).decode()


def pose_correction_of(row: Row) -> PoseCorrection:
    number, text = row
    if not (0 < number <= _LARGEST_ID and len(text) <= _MOST_SUMMARY):
        raise _impossible()
    return PoseCorrection(number=number, **_POSES.validate_json(text))


def correction_row(entry: Correction) -> Row:
    return entry.correction_id, entry.undone_ns, entry_to_json(entry)


def correction_of(row: Row) -> Correction:
    correction_id, undone_ns, text = row
    entry = entry_from_json(text)
    if (entry.correction_id, entry.undone_ns) != (correction_id, undone_ns) or correction_id < 1:
        raise _impossible()
    return entry


def description_row(description: Description) -> Row:
    said = _Said(
        attributes=dict(description.attributes),
        by=description.by,
        label=description.label,
        stamp_ns=description.stamp_ns,
        observation_count=description.observation_count,
    )
    return description.object_id, said.model_dump_json()


def description_of(row: Row) -> Description:
    object_id, text = row
    if not (0 < object_id <= _LARGEST_ID and len(text) <= _MOST_SUMMARY):
        raise _impossible()
    return Description(object_id=object_id, **dict(_SAID.validate_json(text)))


def embedding_row(embedding: Embedding) -> Row:
    vector = embedding.vector.astype(np.float32, copy=False).tobytes()
    return embedding.object_id, embedding.encoder, embedding.views, vector


def embedding_of(row: Row) -> Embedding:
    object_id, encoder, views, data = row
    if not (0 < object_id <= _LARGEST_ID and 0 < len(encoder) <= _LONGEST_LABEL and data):
        raise _impossible()
    return Embedding(object_id, encoder, _bounded(np.frombuffer(data, np.float32).copy()), views)


def structure_of(row: Row) -> PackedStructure:
    return unpack(row[1])


def block_of_floor(row: Row) -> tuple[tuple[int, int], Block]:
    """Its place, in blocks, and its evidence."""
    x, y, packed = row
    if max(abs(x), abs(y)) > _FARTHEST_M:
        raise _impossible()
    return (x, y), unpack_block(packed)


def pose_values(pose: Pose) -> NDArray[np.float64]:
    """(7,): x, y, z, quaternion x, y, z, w."""
    return np.concatenate((pose.translation, pose.quaternion_xyzw()))


def _stay_values(stay: Stay) -> tuple[Any, ...]:
    box = stay.box
    times = stay.first_seen_ns, stay.last_seen_ns, stay.gone_ns
    return *map(float, (*box.center, *box.size, box.yaw)), *times


def _stay_of(values: Sequence[Any]) -> Stay:
    x, y, z, length, width, height, yaw, *times = values
    return Stay(Box3D((x, y, z), (length, width, height), yaw), *times)


def _bounded(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same values (N,), if they are numbers of a sensible size: a dot product tells at once."""
    with np.errstate(over="ignore"):  # infinite is too far
        size = float(values @ values)
    if not size <= _FARTHEST_M * _FARTHEST_M * len(values):  # NaN is not
        raise _impossible()
    return values


def _impossible() -> SceneMemoryError:
    return SceneMemoryError("it holds values that cannot be")
