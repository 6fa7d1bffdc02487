"""Things that were moved: what left one place and what appeared at another are one object."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scenemind.memory.objects.map_entry import MapEntry

# Of two views of a thing from different sides the shorter diagonal has at least this share.
SAME_SIZE = 0.6
# Share of the colour histograms that coincides.
SAME_COLOURS = 0.6


def find_origin(appeared: MapEntry, gone: Iterable[MapEntry]) -> MapEntry | None:
    """Which of the objects that are gone has appeared again; the most alike, then the oldest."""
    scored = [(-likeness(appeared, old), old.object_id, old) for old in gone]
    able = [entry for entry in scored if entry[0] < 0.0 and _came_later(appeared, entry[2])]
    return min(able, key=lambda entry: entry[:2])[2] if able else None


def find_new_place(vanished: MapEntry, others: Iterable[MapEntry]) -> MapEntry | None:
    """Which younger object is the one whose place was just seen empty; the most alike."""
    scored = [(-likeness(vanished, new), new.object_id, new) for new in others]
    able = [
        entry
        for entry in scored
        if entry[0] < 0.0 and entry[1] > vanished.object_id and _came_later(entry[2], vanished)
    ]
    return min(able, key=lambda entry: entry[:2])[2] if able else None


def likeness(a: MapEntry, b: MapEntry) -> float:
    """In [0, 1]; 0 where they cannot be one thing: other labels, sizes or colours."""
    if a.label != b.label or b.looks.appearance is None:
        return 0.0
    diagonals = sorted(float(np.linalg.norm(entry.box.size)) for entry in (a, b))
    size = diagonals[0] / max(diagonals[1], 1e-9)
    colours = a.looks.likeness(b.looks.appearance)
    return size * colours if size >= SAME_SIZE and colours >= SAME_COLOURS else 0.0


def _came_later(new: MapEntry, old: MapEntry) -> bool:
    """What was ever seen while the old one still stood there is another object."""
    return new.first_seen_ns > old.last_seen_ns and not new.stays
