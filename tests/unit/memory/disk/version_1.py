"""A memory as version 1 stored it: its tables word for word, filled by hand."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('kind', 'scenemind memory'), ('version', '1');

CREATE TABLE cameras (
    id INTEGER PRIMARY KEY,
    width INTEGER, height INTEGER, fx REAL, fy REAL, cx REAL, cy REAL,
    UNIQUE (width, height, fx, fy, cx, cy)
);
CREATE TABLE frames (
    number INTEGER PRIMARY KEY,
    stamp_ns INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    camera_id INTEGER NOT NULL REFERENCES cameras (id),
    world_T_camera BLOB NOT NULL,
    has_image INTEGER NOT NULL
);
CREATE INDEX frames_with_image ON frames (number) WHERE has_image;
CREATE TABLE locations (
    id INTEGER PRIMARY KEY,
    anchor BLOB NOT NULL,
    first_stamp_ns INTEGER NOT NULL, last_stamp_ns INTEGER NOT NULL,
    first_frame INTEGER NOT NULL, last_frame INTEGER NOT NULL,
    revisit_of INTEGER
);
CREATE TABLE tracklets (
    location_id INTEGER NOT NULL, track_id INTEGER NOT NULL,
    label TEXT NOT NULL,
    object_id INTEGER,
    detection_count INTEGER NOT NULL,
    first_seen_ns INTEGER NOT NULL, last_seen_ns INTEGER NOT NULL,
    best TEXT NOT NULL,
    trajectory BLOB NOT NULL,
    views TEXT NOT NULL,
    PRIMARY KEY (location_id, track_id)
) WITHOUT ROWID;
CREATE TABLE detections (
    frame INTEGER NOT NULL, position INTEGER NOT NULL,
    track_id INTEGER NOT NULL, label TEXT NOT NULL, score REAL NOT NULL,
    x0 REAL NOT NULL, y0 REAL NOT NULL, x1 REAL NOT NULL, y1 REAL NOT NULL,
    PRIMARY KEY (frame, position)
) WITHOUT ROWID;
CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    summary TEXT NOT NULL,
    points BLOB NOT NULL,
    hits BLOB NOT NULL
);
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL, object_ids TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    by TEXT NOT NULL, reason TEXT NOT NULL, stamp_ns INTEGER NOT NULL, undone INTEGER NOT NULL
);
"""
POSE = np.array([1.0, 2.0, 1.2, 0.0, 0.0, 0.0, 1.0])
POINTS = np.array([[0.0, 0.0, 0.5], [0.4, 0.0, 0.5], [0.4, 0.4, 0.9]], np.float32)
HITS = np.array([3.0, 1.0, 2.5], np.float32)
TRAJECTORY = np.array([[0.2, 0.2, 0.7], [0.2, 0.21, 0.7]], np.float32)
SUMMARY = {
    "confirmed": True,
    "votes": {"chair": 2.5, "couch": 0.5},
    "observation_count": 4,
    "whole_count": 3,
    "first_seen_ns": 100,
    "last_seen_ns": 400,
    "track_ids": [5],
    "rgb": [10.0, 20.0, 30.0],
    "rgb_pixels": 900.0,
    "cell_m": 0.03,
}
FRAME_COUNT = 4  # two in each location


def write_memory(folder: Path) -> None:
    """Object 1 is a chair, seen in each frame by track 5, which fed it; frames 0, 1 and 2 claim an
    image, that of 2 could not be written. A person called the chair a stool."""
    frames = folder / "frames"
    frames.mkdir(parents=True)
    for number in (0, 1):
        (frames / f"{number:06d}.jpg").write_bytes(b"j" * (10 + number))
        (frames / f"{number:06d}.png").write_bytes(b"p" * 5)
    connection = sqlite3.connect(folder / "memory.sqlite")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
    put = connection.executemany
    put("INSERT INTO cameras VALUES (1, ?, ?, ?, ?, ?, ?)", [(160, 120, 130.0, 130.0, 79.5, 59.5)])
    pose = POSE.tobytes()
    put(
        "INSERT INTO frames VALUES (?, ?, ?, 1, ?, ?)",
        [(n, 100 * (n + 1), n // 2, pose, n < 3) for n in range(FRAME_COUNT)],
    )
    put(
        "INSERT INTO locations VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(0, pose, 100, 200, 0, 1, None), (1, pose, 300, 400, 2, 3, 0)],
    )
    box_px = [10.0, 20.0, 30.0, 60.5]
    views = {0: [[0.75, 1, 200, 0.8, *box_px], [0.5, 0, 100, 0.8, *box_px]], 1: []}
    put(
        "INSERT INTO tracklets VALUES (?, 5, 'chair', 1, 2, ?, ?, ?, ?, ?)",
        [
            (
                location_id,
                100 + 200 * location_id,
                200 + 200 * location_id,
                json.dumps([2 * location_id, 100, 0.8, *box_px]),
                TRAJECTORY.tobytes(),
                json.dumps(views[location_id]),
            )
            for location_id in (0, 1)
        ],
    )
    put(
        "INSERT INTO detections VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(n, 0, 5, "chair", 0.8, *box_px) for n in range(FRAME_COUNT)]
        + [(3, 1, -1, "cup", 0.25, 1.0, 2.0, 3.0, 4.0)],
    )
    put(
        "INSERT INTO objects VALUES (1, ?, ?, ?)",
        [(json.dumps(SUMMARY), POINTS.tobytes(), HITS.tobytes())],
    )
    put(
        "INSERT INTO corrections VALUES (1, 'rename', '[1]', '', 'stool', 'anna', 'no', 7, ?)",
        [(0,)],
    )
    connection.commit()
    connection.close()
