"""What a location shows: its tracklets summed up by map object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scenemind.memory.types import LocationNode

NO_OBJECT = -1


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """The tracklets of a location without their details: a map object once, however many fed it.

    Attributes:
        revisit_of: the location's first visit; None when it is one itself.
        object_ids: ascending; `NO_OBJECT` for each tracklet that fed no map object.
        labels: the label under which each was seen there, sorted among those without an object.
    """

    location_id: int
    revisit_of: int | None
    object_ids: tuple[int, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(
        cls, location_id: int, revisit_of: int | None, seen: Iterable[tuple[int, str]]
    ) -> Contents:
        """Args: seen: object id and label of each tracklet."""
        seen = list(seen)
        label_of = {object_id: label for object_id, label in seen if object_id != NO_OBJECT}
        loose = sorted([label for object_id, label in seen if object_id == NO_OBJECT])
        ids = sorted(label_of)
        return cls(
            location_id,
            revisit_of,
            (*[NO_OBJECT] * len(loose), *ids),
            (*loose, *[label_of[object_id] for object_id in ids]),
        )


def with_wholes(contents: Contents, shown_as: Mapping[int, int]) -> Contents:
    """The same, where objects that are parts of others are shown as these."""
    seen = zip(contents.object_ids, contents.labels, strict=True)
    return Contents.of(
        contents.location_id,
        contents.revisit_of,
        ((shown_as.get(object_id, object_id), label) for object_id, label in seen),
    )


def contents_of(node: LocationNode) -> Contents:
    return Contents.of(
        node.location_id,
        node.revisit_of,
        ((NO_OBJECT if t.object_id is None else t.object_id, t.label) for t in node.tracklets),
    )
