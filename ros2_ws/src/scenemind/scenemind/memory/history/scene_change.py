"""What can be different between two moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory.history.views import CameraViews
from scenemind.memory.types import MapObject

ChangeKind = Literal["added", "removed", "moved", "renamed", "missing", "new"]
KINDS: tuple[ChangeKind, ...] = ("added", "removed", "moved", "renamed", "missing", "new")
# So many views of a place show what is there, from somewhere.
_ENOUGH_VIEWS = 3


@dataclass(frozen=True, slots=True)
class SceneChange:
    """One thing that is different.

    Attributes:
        kind: "removed": the camera looked through its place; "missing": its place was in the
            picture and it was not seen there; "new": it is known now, and its place had not been
            in the picture before: it may always have been there.
        object_id: in the later map; of what is removed or missing, in the earlier one. Within one
            memory that is the same.
        label: as it is called now.
        before, after: where it was and is, axis-aligned, world; None: nowhere that is known.
        between_ns: it happened after the first stamp, when it was last seen as it was, and before
            the second one, when it was seen as it is; None: not known.
        earlier_id: id that a thing had when it was seen elsewhere, or in the earlier map; None: it
            was not there.
        old_label: what it was called before, if that is what changed.
    """

    kind: ChangeKind
    object_id: int
    label: str
    before: Box3D | None
    after: Box3D | None
    between_ns: tuple[int, int] | None = None
    earlier_id: int | None = None
    old_label: str = ""

    @property
    def distance_m(self) -> float | None:
        """How far its centre has moved; None where it was or is nowhere."""
        if self.before is None or self.after is None:
            return None
        return float(np.linalg.norm(np.subtract(self.after.center, self.before.center)))


@dataclass(frozen=True, slots=True)
class SceneChanges:
    """All that is different.

    Attributes:
        changes: ordered by kind, as in `KINDS`, then by id.
        unchanged: how many objects were seen to be where they were.
        unseen: ids, in the earlier map, of objects of which nobody looked whether they are there.
    """

    changes: tuple[SceneChange, ...]
    unchanged: int
    unseen: tuple[int, ...]

    @classmethod
    def of(
        cls, changes: Iterable[SceneChange], unchanged: int, unseen: Iterable[int]
    ) -> SceneChanges:
        """In order."""
        ordered = sorted(changes, key=lambda c: (KINDS.index(c.kind), c.object_id))
        return cls(tuple(ordered), unchanged, tuple(sorted(unseen)))

    def of_kind(self, kind: ChangeKind) -> tuple[SceneChange, ...]:
        """By id."""
        return tuple(change for change in self.changes if change.kind == kind)

    def counts(self) -> dict[ChangeKind, int]:
        """Kind -> how many, all kinds."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in KINDS}


def looked_at(things: Sequence[MapObject], views: CameraViews) -> list[bool]:
    """Of which things the camera had the places in the picture."""
    centers = np.array([thing.box.center for thing in things], np.float64).reshape(-1, 3)
    return (views.count(centers) >= _ENOUGH_VIEWS).tolist()
