"""Places that objects have left."""

from __future__ import annotations

from dataclasses import dataclass

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot


@dataclass(frozen=True, slots=True)
class EarlierPlace:
    """Where an object was before it moved or went.

    Attributes:
        object_id, label: the object, coloured by its label.
        box: axis-aligned, world.
        text: what happened, for people.
    """

    object_id: int
    label: str
    box: Box3D
    text: str


def earlier_places(snapshot: MemorySnapshot) -> list[EarlierPlace]:
    """Of objects that moved and of objects that are gone, by id; oldest first."""
    moved = [_left(obj, "was here before it moved") for obj in snapshot.objects.values()]
    gone = [_left(obj, "was here and is gone") for obj in snapshot.gone.values()]
    return [place for places in (*moved, *gone) for place in places]


def _left(obj: MapObject, what: str) -> list[EarlierPlace]:
    text = f"{obj.label} {obj.object_id} {what}"
    return [EarlierPlace(obj.object_id, obj.label, stay.box, text) for stay in obj.stays]
