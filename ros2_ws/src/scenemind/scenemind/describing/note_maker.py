"""What a description and an image vector have in common: a note about an object, by a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from scenemind.memory import Description, Embedding, MapObject, Memory


class NoteMaker(Protocol):
    """Makes one note at a time, on the thread that calls, and puts it into the memory."""

    @property
    def name(self) -> str:
        """Of the notes, for people: `descriptions by gpt-x`."""
        ...

    def due(self, objects: Iterable[MapObject]) -> list[MapObject]:
        """Those of the objects that need a new note, most urgent first."""
        ...

    def make(
        self, thing: MapObject, objects: Mapping[int, MapObject]
    ) -> Description | Embedding | None:
        """A note on an object, which is in the memory when this returns.

        Args:
            objects: all that are there.

        Returns:
            None where no stored frame shows it well enough, or it went meanwhile.

        Raises:
            ModelError, PerceptionError: no usable answer.
            SceneMemoryError: the disk failed.
        """
        ...


def urgency(thing: MapObject, is_known: bool) -> tuple[bool, int, int]:
    """To sort by: new objects first, then those that were seen most."""
    return is_known, -thing.observation_count, thing.object_id


def is_still_there(thing: MapObject, memory: Memory) -> bool:
    """Whether its id still means the same: a memory that was emptied counts from 1 again."""
    now = memory.snapshot().objects.get(thing.object_id)
    return now is not None and now.first_seen_ns == thing.first_seen_ns
