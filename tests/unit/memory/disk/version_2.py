"""A memory as version 2 stored it: its tables word for word, filled by hand."""

from __future__ import annotations

import json
import sqlite3
import struct
from pathlib import Path

import numpy as np

from tests.unit.memory.disk.version_1 import HITS, POINTS, POSE, SUMMARY, TRAJECTORY

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('kind', 'scenemind memory'), ('version', '2');

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
    on_path INTEGER NOT NULL,
    image_bytes INTEGER NOT NULL
);
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
    best BLOB NOT NULL,
    trajectory BLOB NOT NULL,
    PRIMARY KEY (location_id, track_id)
) WITHOUT ROWID;
CREATE TABLE views (
    location_id INTEGER NOT NULL, object_id INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (location_id, object_id)
) WITHOUT ROWID;
CREATE TABLE detections (frame INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE labels (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
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
FRAME_COUNT = 4
BOX_PX = (10, 20, 30, 60)
_OF_OBJECT = {
    **SUMMARY,
    "appearance": None,
    "stays": [[1.0, 1.0, 0.5, 0.4, 0.4, 0.8, 0.0, 50, 60, 90]],
    "gone_ns": None,
    "viewpoints": {"7": 3},
    "missed": 1,
    "doubt": 0.5,
    "noise": [0.0] * 8,
    "new_count": 0,
}


def write_memory(folder: Path) -> None:
    """Object 1 is a chair, seen in each frame by track 5, which fed it; frame 0 has an image. A
    person called the chair a stool, and took back that it is red."""
    frames = folder / "frames"
    frames.mkdir(parents=True)
    (frames / "000000.jpg").write_bytes(b"j" * 10)
    (frames / "000000.png").write_bytes(b"p" * 5)
    connection = sqlite3.connect(folder / "memory.sqlite")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
    put = connection.executemany
    put("INSERT INTO cameras VALUES (1, ?, ?, ?, ?, ?, ?)", [(160, 120, 130.0, 130.0, 79.5, 59.5)])
    pose = POSE.tobytes()
    put(
        "INSERT INTO frames VALUES (?, ?, 0, 1, ?, ?, ?)",
        [(n, 100 * (n + 1), pose, n == 0, 15 * (n == 0)) for n in range(FRAME_COUNT)],
    )
    put("INSERT INTO locations VALUES (0, ?, 100, 400, 0, 3, NULL)", [(pose,)])
    best = struct.pack("<2q5d", 0, 100, 0.8, *BOX_PX)
    put(
        "INSERT INTO tracklets VALUES (0, 5, 'chair', 1, 4, 100, 400, ?, ?)",
        [(best, TRAJECTORY.tobytes())],
    )
    put("INSERT INTO views VALUES (0, 1, ?)", [(struct.pack("<if4h", 0, 0.75, *BOX_PX),)])
    put("INSERT INTO labels VALUES (?, ?)", [(0, "chair")])
    put(
        "INSERT INTO detections VALUES (?, ?)",
        [(n, struct.pack("<iH5f", 5, 0, 0.8, *BOX_PX)) for n in range(FRAME_COUNT)],
    )
    evidence = np.stack((HITS, HITS * np.float32(0.1))).tobytes()
    put(
        "INSERT INTO objects VALUES (1, ?, ?, ?)",
        [(json.dumps(_OF_OBJECT), np.concatenate((POINTS, POINTS)).tobytes(), evidence)],
    )
    put(
        "INSERT INTO corrections VALUES (?, ?, '[1]', ?, ?, 'anna', 'no', ?, ?)",
        [(1, "rename", "", "stool", 7, 0), (2, "set_attribute", "color", "red", 8, 1)],
    )
    connection.commit()
    connection.close()
