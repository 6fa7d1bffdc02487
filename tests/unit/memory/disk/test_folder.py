"""A memory described without being loaded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from scenemind.config import ObjectMapConfig
from scenemind.memory import Correction, Edit
from scenemind.memory.disk.changes import NO_CHANGES
from scenemind.memory.disk.folder import DATABASE, describe
from scenemind.memory.disk.store import Store
from scenemind.memory.objects.map_entry import MapEntry, View
from scenemind.memory.objects.object_record import ObjectRecord
from tests.unit.memory.things import observe


def record(object_id: int, *, confirmed: bool = True, gone_ns: int | None = None) -> ObjectRecord:
    entry = MapEntry(object_id, ObjectMapConfig(), 0)
    entry.add(observe((0, 0, 0)), View(0, np.array([0.0, -2.0, 1.0])))
    entry.confirmed, entry.gone_ns = confirmed, gone_ns
    return entry.to_record()


def test_what_is_there_and_what_stands_is_counted(tmp_path: Path) -> None:
    stands = Correction(1, Edit("rename", (1,), value="stool"), "anna", "a stool", 5)
    undone = replace(stands, correction_id=2, undone_ns=6)
    objects = record(1), record(2, confirmed=False), record(3, gone_ns=7), record(4)
    with closing(Store.create(tmp_path / DATABASE)) as store:
        store.write(replace(NO_CHANGES, objects=objects, corrections=(stands, undone)))
    counts = describe(tmp_path).counts
    assert counts == {"frames": 0, "locations": 0, "objects": 2, "corrections": 1}
