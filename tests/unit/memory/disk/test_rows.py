"""Values that come back from their rows as they were."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from scenemind.config import ObjectMapConfig
from scenemind.memory.disk import rows
from scenemind.memory.objects.map_entry import MapEntry, View
from tests.unit.memory.things import observe


def test_an_object_keeps_all_that_was_learned_about_it() -> None:
    """Seen whole and cut, missed, seen through, and gone at last: no field is as in a new one."""
    entry = MapEntry(7, ObjectMapConfig(), 5)
    viewers = [np.array([x, -2.0, 1.0]) for x in (0.0, 0.5)]
    for number, viewer in enumerate(viewers):
        cut = number == 1
        seen = observe((0, 0, 0), track_id=3, seed=number, truncated=cut, count=100 * (number + 1))
        entry.add(replace(seen, from_picture=cut), View(10 * number, viewer))
        entry.note_sight("there", viewer)
    entry.note_sight("through", viewers[0])
    entry.confirmed = True
    entry.retire(99)
    record = replace(
        entry.to_record(), here_since_ns=6, cell_m=0.25, new_count=4, frames=(3, 8), stretches=()
    )
    assert (record.doubt, record.missed, record.gone_ns, len(record.places)) == (1.0, 2, 99, 1)
    again = rows.object_of(rows.object_row(record))
    for field in fields(record):
        np.testing.assert_equal(getattr(again, field.name), getattr(record, field.name))


def test_what_each_stretch_showed_comes_back() -> None:
    entry = MapEntry(7, ObjectMapConfig(), 5)
    for number in range(8):
        seen = observe((0, 0, 0), track_id=number // 4, seed=number)
        entry.add(seen, View(10 * number, np.array([0.0, -2.0, 1.0]), number, 1.5 * number))
    entry.sealed()
    record = entry.to_record()
    assert record.stretches is not None
    assert len(record.stretches) > 3
    object_id, again = rows.stretches_of(rows.stretches_row(record))
    assert object_id == 7
    exact = ("frames", "votes", "observation_count", "track_ids", "first_seen_ns", "cell_m")
    for back, stretch in zip(again, record.stretches, strict=True):
        for name in exact:
            assert getattr(back, name) == getattr(stretch, name)
        np.testing.assert_allclose(back.points, stretch.points, atol=3e-4)
        for name in ("hits", "weights", "noise"):
            np.testing.assert_allclose(getattr(back, name), getattr(stretch, name), rtol=1e-3)
        np.testing.assert_allclose(back.colors, stretch.colors, atol=0.5)
        np.testing.assert_allclose(back.appearance, stretch.appearance, atol=1e-4)
        assert stretch.shown.any()
        assert back.view_frames == stretch.view_frames
        np.testing.assert_array_equal(back.shown, stretch.shown)
