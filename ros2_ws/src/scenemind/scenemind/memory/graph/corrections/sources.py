"""Which of perception's objects stand behind those that people see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scenemind.memory.types import Correction


@dataclass(frozen=True, slots=True)
class Sources:
    """Ids that are in neither mapping stand for themselves.

    Attributes:
        shown_as: id of an object that was merged -> id of what it is part of now.
        of: id of a merged thing or of a part -> ids of the objects that perception has there.
    """

    shown_as: Mapping[int, int] = field(default_factory=dict)
    of: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def wholes_of(self, object_id: int) -> tuple[int, ...]:
        """Perception's objects that an object is made of; not one of which it is only a part."""
        behind = self.of.get(object_id, (object_id,))
        return tuple(i for i in behind if self.shown_as.get(i, i) == object_id)

    @classmethod
    def from_entries(cls, entries: Iterable[Correction]) -> Sources:
        """Args: entries: those that stand, oldest first."""
        shown_as: dict[int, int] = {}
        of: dict[int, tuple[int, ...]] = {}
        for entry in entries:
            first, *others = entry.edit.object_ids
            if entry.edit.kind == "merge":
                joined = [source for i in entry.edit.object_ids for source in of.get(i, (i,))]
                of[first] = tuple(dict.fromkeys(joined))
                for gone in others:
                    of.pop(gone, None)
                    shown_as |= {i: first for i, to in shown_as.items() if to == gone}
                    shown_as[gone] = first
            elif entry.edit.kind == "split":
                of |= dict.fromkeys(entry.edit.new_ids, of.get(first, (first,)))
        return cls(shown_as, of)
