"""Descriptions over perception's view of the objects: corrections are laid over both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from scenemind.memory.attributes.laid_over import LaidOver
from scenemind.memory.descriptions.object_notes import ObjectNotes
from scenemind.memory.types import AttributeSource, Description, MapObject


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
        by_object = {d.object_id: d for d in self._descriptions}
        for object_id, description in by_object.items():
            thing = perceived.get(object_id)
            if thing is not None:
                described[object_id] = self._with(thing, description)
        if len(self._laid) > len(by_object):  # of objects that are no more
            self._laid = {i: laid for i, laid in self._laid.items() if i in by_object}
        return described

    def _with(self, thing: MapObject, description: Description) -> MapObject:
        known = self._laid.get(thing.object_id)
        if known is not None and known[0] is thing and known[1] is description:
            return known[2]
        laid = replace(
            thing,
            # What the camera measured counts; a model's word stands where nothing was measured.
            attributes=LaidOver(description.attributes, thing.attributes),
            attribute_sources=_Sources(thing, description),
        )
        self._laid[thing.object_id] = thing, description, laid
        return laid


class _Sources(Mapping[str, AttributeSource]):
    """Attribute -> "model" for those that nobody measured; looked at when somebody reads it, as
    measured attributes are computed only then."""

    def __init__(self, thing: MapObject, description: Description) -> None:
        self._thing, self._description = thing, description

    def __getitem__(self, name: str) -> AttributeSource:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    @cached_property
    def _all(self) -> dict[str, AttributeSource]:
        measured = self._thing.attributes
        said = (name for name in self._description.attributes if name not in measured)
        return {**self._thing.attribute_sources, **dict.fromkeys(said, "model")}
