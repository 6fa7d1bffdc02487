"""The thread that commits: it survives errors and keeps the rows that it could not write."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from scenemind.memory import Description, SceneMemoryError
from scenemind.memory.disk.changes import Changes
from scenemind.memory.disk.memory_disk import StoreWriter
from scenemind.memory.disk.store import Store
from scenemind.memory.tree.mem_tree import TreeChanges

GOOD = Description(1, {"material": "wood"}, "a model", "chair", 1, 3)
NO_ROW = replace(GOOD, object_id=2, stamp_ns=np.int64(3))


class Waiting:
    """Descriptions that wait to be written, and how often they came back."""

    def __init__(self, *descriptions: Description) -> None:
        self.descriptions = descriptions
        self.came_back = threading.Semaphore(0)

    def take(self) -> Changes:
        taken, self.descriptions = self.descriptions, ()
        none = TreeChanges((), ())
        return Changes((), {}, none, (), (), frozenset(), (), descriptions=taken)

    def give_back(self, changes: Changes) -> None:
        self.descriptions = changes.descriptions
        self.came_back.release()


def test_value_that_no_row_can_hold_neither_ends_the_thread_nor_loses_other_rows(
    tmp_path, caplog
) -> None:
    store = Store.create(tmp_path / "memory.sqlite")
    waiting = Waiting(GOOD, NO_ROW)
    writer = StoreWriter(store, waiting.take, waiting.give_back, lambda _: None, every_s=0.001)
    for _ in range(3):
        assert waiting.came_back.acquire(timeout=10.0)
    with writer.lock:
        with pytest.raises(SceneMemoryError, match="storing failed: ValidationError"):
            writer.commit()
        assert waiting.descriptions == (GOOD, NO_ROW)
        assert writer.failed_commits >= 3
        assert caplog.text.count("tries again") == 1
        waiting.descriptions = (GOOD,)
        writer.commit()
    writer.close()
    assert store.load().descriptions == (GOOD,)
    store.close()
