"""A grounding in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MapObject
from scenemind.reasoning.types import MEASURED, SAME_AS
from scenemind.words.english import joined, with_article
from scenemind.words.quoting import tame


def sentence_on(objects: Sequence[MapObject]) -> str:
    """Which things they are and where; a thing with two boxes once.

    Args:
        objects: as of a `GroundReply`.
    """
    known = {str(thing.object_id) for thing in objects}
    things = [thing for thing in objects if thing.attributes.get(SAME_AS) not in known]
    return f"That is {joined([_told(thing) for thing in things])}."


def _told(thing: MapObject) -> str:
    x, y, z = thing.box.center
    label = tame(thing.label)
    name = with_article(label) if thing.object_id == MEASURED else f"{label} {thing.object_id}"
    return f"{name} at x {x:.2f}, y {y:.2f}, z {z:.2f} m"
