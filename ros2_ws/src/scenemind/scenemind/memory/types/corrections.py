"""What people say of the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenemind.geometry import Box3D

EditKind = Literal[
    "rename",
    "set_attribute",
    "add_relation",
    "delete_relation",
    "merge",
    "split",
    "delete_object",
    "confirm",
]


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing a person wants changed.

    Attributes:
        object_ids: the objects it touches; for relations exactly (subject, object), one of which
            may be a floor, wall or ceiling; for `merge` the one that stays first.
        key: attribute name or predicate; else empty.
        value: the new label or attribute value; else empty.
        places: for `split`: a point (x, y, z), world, in each of the parts.
        new_ids: for `split`: ids of all parts but the first, which keeps its id. The memory gives
            them.
    """

    kind: EditKind
    object_ids: tuple[int, ...]
    key: str = ""
    value: str = ""
    places: tuple[tuple[float, float, float], ...] = ()
    new_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectAnchor:
    """An object as it was when somebody spoke of it, to find it again on a rebuilt map.

    Attributes:
        label: what perception called it.
        box: where it was, world.
    """

    object_id: int
    label: str
    box: Box3D


@dataclass(frozen=True, slots=True)
class Correction:
    """An entry of the corrections journal: an edit with who, when and why.

    Attributes:
        correction_id: position in the journal, from 1.
        by: who said it. reason: their words.
        stamp_ns: wall-clock time of the entry (not of a frame).
        undone_ns: wall-clock time at which it was taken back; 0: it stands. Kept for the record.
        anchors: the objects that it speaks of, as they were.
    """

    correction_id: int
    edit: Edit
    by: str
    reason: str
    stamp_ns: int
    undone_ns: int = 0
    anchors: tuple[ObjectAnchor, ...] = ()

    @property
    def undone(self) -> bool:
        """Taken back."""
        return self.undone_ns != 0
