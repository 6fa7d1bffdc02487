"""A memory of version 2, copied and altered: most of it is stored as it was.

Corrections say when they were taken back and of what; there is room for descriptions, vectors and
the building, which fill as mapping goes on; objects count their colours.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from scenemind.memory.disk.migration.summaries import count_colors, note_arrival
from scenemind.memory.disk.store_schema import VERSION, connect, tables

# Versions 1 and 2 noted that an entry was taken back, and not when: at the earliest at once.
CORRECTIONS = """
    SELECT id, kind, object_ids, key, value, by, reason, stamp_ns,
        CASE WHEN undone THEN MAX(stamp_ns, 1) ELSE 0 END,
        '{"places": [], "new_ids": [], "anchors": []}'
    FROM corrections ORDER BY id
"""
_NEW = ("descriptions", "embeddings", "structure")


def rewrite(old: sqlite3.Connection, new: Path) -> None:
    """Write all that is in an old file to a new one."""
    with closing(sqlite3.connect(new)) as copy:
        old.backup(copy)
    with closing(connect(new)) as altered:
        journal = altered.execute(CORRECTIONS).fetchall()
        summaries = [_summary(row) for row in altered.execute("SELECT id, summary FROM objects")]
        schema = tables()
        altered.execute("BEGIN IMMEDIATE")
        altered.execute("DROP TABLE corrections")
        for table in ("corrections", *_NEW):
            altered.execute(schema[table])
        altered.executemany(f"INSERT INTO corrections VALUES ({', '.join('?' * 10)})", journal)
        altered.executemany("UPDATE objects SET summary = ? WHERE id = ?", summaries)
        altered.execute("UPDATE meta SET value = ? WHERE key = 'version'", (str(VERSION),))
        altered.execute("COMMIT")


def _summary(row: tuple[int, str]) -> tuple[str, int]:
    object_id, text = row
    summary = json.loads(text)
    count_colors(summary)
    note_arrival(summary)
    return json.dumps(summary), object_id
