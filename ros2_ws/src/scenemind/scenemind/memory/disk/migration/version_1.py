"""A memory of version 1, written anew.

Detections are packed by frame, best views are by object and location, a frame says how large its
image is (1 claimed images that could not be written, too), and objects have earlier stays, an
appearance, the noise of their views and colours, which 1 did not know.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from scenemind.geometry import PinholeCamera
from scenemind.memory.disk import frame_files, rows
from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.migration.summaries import count_colors, note_arrival
from scenemind.memory.disk.migration.version_2 import CORRECTIONS
from scenemind.memory.disk.store import Store
from scenemind.memory.objects.extents import NoiseOfViews
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.tracklet import TrackletRecord
from scenemind.memory.tree.tree import TreeChanges
from scenemind.memory.tree.views import ViewsRecord
from scenemind.memory.types import DetectionNode, ObjectTracklet

_VIEWS_A_TRACKLET = 4  # as version 1 kept them
_FRAMES_AT_ONCE = 1000
# The depth noise of a view in version 1, which did not note it: that of an object 2 m away.
_SIGMA_M = 0.008


def rewrite(old: sqlite3.Connection, new: Path, images: Path) -> None:
    """Write all that is in an old file to a new one.

    Args:
        images: the folder of the key frames.
    """
    with closing(Store.create(new)) as store:
        frames = _frames(old)
        while chunk := tuple(islice(frames, _FRAMES_AT_ONCE)):
            store.write(_changes(frames=chunk))
        store.write_images(_image_bytes(old, images))
        tree = TreeChanges(
            tuple(map(rows.location_of, old.execute("SELECT * FROM locations"))),
            tuple(map(_tracklet, old.execute("SELECT * FROM tracklets"))),
        )
        objects = tuple(map(_object, old.execute("SELECT * FROM objects")))
        journal = tuple(map(rows.correction_of, old.execute(CORRECTIONS)))
        store.write(_changes(tree=tree, views=_views(old), objects=objects, corrections=journal))


def _changes(**known: Any) -> Changes:
    nothing: dict[str, Any] = {"frames": (), "images": {}, "tree": TreeChanges((), ())}
    nothing |= {"views": (), "objects": (), "removed_objects": frozenset(), "corrections": ()}
    return Changes(**{**nothing, **known})


def _frames(old: sqlite3.Connection) -> Iterator[FrameRecord]:
    detections = groupby(
        old.execute(
            "SELECT frame, track_id, label, score, x0, y0, x1, y1 FROM detections"
            " ORDER BY frame, position"
        ),
        key=lambda row: row[0],
    )
    following = next(detections, None)
    for number, stamp_ns, location_id, pose, has_image, *camera in old.execute(
        "SELECT number, stamp_ns, location_id, world_T_camera, has_image, width, height, fx, fy,"
        " cx, cy FROM frames JOIN cameras ON camera_id = cameras.id ORDER BY number"
    ):
        seen: list[rows.Row] = []
        if following is not None and following[0] == number:
            seen = list(following[1])
            following = next(detections, None)
        yield FrameRecord(
            number,
            stamp_ns,
            location_id,
            PinholeCamera(*camera),
            rows.pose_of(pose),
            bool(has_image),
            tuple(DetectionNode(number, stamp_ns, row[3], tuple(row[4:])) for row in seen),
            tuple(row[2] for row in seen),
            tuple(row[1] for row in seen),
        )


def _image_bytes(old: sqlite3.Connection, images: Path) -> dict[int, int]:
    """Of the images that are there."""
    numbers = [n for (n,) in old.execute("SELECT number FROM frames WHERE has_image")]
    sizes = {
        number: sum(path.stat().st_size for path in frame_files.paths(images, number))
        for number in numbers
        if frame_files.color_path(images, number).exists()
    }
    return {number: size for number, size in sizes.items() if size}


def _views(old: sqlite3.Connection) -> tuple[ViewsRecord, ...]:
    """The views of tracklets as views of the objects that they fed."""
    seen: dict[tuple[int, int], list[tuple[int, float, list[float]]]] = defaultdict(list)
    for location_id, object_id, views in old.execute(
        "SELECT location_id, object_id, views FROM tracklets WHERE object_id IS NOT NULL"
    ):
        for view_score, number, _, _, *box_px in json.loads(views):
            seen[location_id, number].append((object_id, view_score, box_px))
    best = BestViews(_VIEWS_A_TRACKLET)
    for (location_id, number), views in sorted(seen.items()):
        object_ids, scores, boxes_px = zip(*views, strict=True)
        best.add(location_id, number, object_ids, scores, np.array(boxes_px))
    return best.take_changes()


def _tracklet(row: rows.Row) -> TrackletRecord:
    location_id, track_id, label, object_id, count, first_ns, last_ns, best, points, _ = row
    node = ObjectTracklet(
        track_id=track_id,
        label=label,
        object_id=object_id,
        detection_count=count,
        first_seen_ns=first_ns,
        last_seen_ns=last_ns,
        best=rows.detection_of(json.loads(best)),
        trajectory=np.frombuffer(points, np.float32).reshape(-1, 3),
    )
    return TrackletRecord(location_id, node)


def _object(row: rows.Row) -> ObjectRecord:
    object_id, text, points, hits = row
    summary = json.loads(text)
    count = summary["observation_count"]
    noise, ray = NoiseOfViews(), np.full(3, 3.0**-0.5)
    weight = noise.add(_SIGMA_M, ray)
    old_hits = np.frombuffer(hits, np.float32)
    summary["track_ids"] = tuple(summary["track_ids"])
    count_colors(summary)
    note_arrival(summary)
    return ObjectRecord(
        object_id=object_id,
        points=np.frombuffer(points, np.float32).reshape(-1, 3),
        hits=old_hits,
        weights=old_hits * np.float32(weight),
        appearance=None,
        stays=(),
        gone_ns=None,
        viewpoints={},
        doubt=0.0,
        missed=0,
        noise=noise.to_array() * count,
        new_count=0,
        surface=np.zeros((0, 3), np.float32),
        **summary,
    )
