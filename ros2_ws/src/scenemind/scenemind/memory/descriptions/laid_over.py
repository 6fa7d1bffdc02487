"""Descriptions over perception's view of the objects: corrections are laid over both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scenemind.memory.descriptions.object_notes import ObjectNotes
from scenemind.memory.types import Description, MapObject


class DescribedObjects:
    """Objects with what a model said of them. Not thread-safe: its owner holds a lock."""

    def __init__(self, descriptions: ObjectNotes[Description]) -> None:
        self._descriptions = descriptions
        self._laid: dict[int, tuple[MapObject, Description, MapObject]] = {}

    def lay_over(self, perceived: Mapping[int, MapObject]) -> Mapping[int, MapObject]:
        """The objects with their descriptions; the same values as long as neither changed."""
        if not self._descriptions:
            return perceived
        described = dict(perceived)
        for description in self._descriptions:
            thing = perceived.get(description.object_id)
            if thing is not None:
                described[thing.object_id] = self._with(thing, description)
        return described

    def _with(self, thing: MapObject, description: Description) -> MapObject:
        known = self._laid.get(thing.object_id)
        if known is not None and known[0] is thing and known[1] is description:
            return known[2]
        laid = _with_attributes(thing, description)
        self._laid[thing.object_id] = thing, description, laid
        return laid


def _with_attributes(thing: MapObject, description: Description) -> MapObject:
    """What the camera measured counts; a model's word stands where nothing was measured."""
    said = {n: v for n, v in description.attributes.items() if n not in thing.attributes}
    return replace(
        thing,
        attributes={**thing.attributes, **said},
        attribute_sources={**thing.attribute_sources, **dict.fromkeys(said, "model")},
    )
