"""A correction, its effect, and the way back: known answers on any map."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MapObject
from scenemind_ros.demo.request import Reply, Request

# What a person may say it is; the first that the map does not have is used.
_NEW_NAMES = ("toolbox", "birdcage", "globe", "projector")
_SMALL_M = 1.0
_SEEN_WELL = 5


def correction_requests(objects: Sequence[MapObject]) -> list[Request]:
    """Rename what perception is least sure of, ask for it by its new name, undo, and ask again.

    Args:
        objects: all of the map, at least one.
    """
    item = _most_doubtful(objects)
    labels = {obj.label for obj in objects}
    new = next(name for name in _NEW_NAMES if name not in labels)
    old = f"{item.label} {item.object_id}"
    found = f"the object {item.object_id}, which was a {item.label}"

    def names_it(reply: Reply) -> bool:
        return reply.object_ids[:1] == (item.object_id,)

    def is_not_there(reply: Reply) -> bool:
        return not reply.text.startswith("Yes") and item.object_id not in reply.object_ids[:1]

    def is_back(reply: Reply) -> bool:
        return names_it(reply) and item.label in reply.text

    return [
        Request("align", "align", f"{old} is a {new}", f"{old} becomes a {new}"),
        Request("ask by the new name", "ask", f"Where is the {new}?", found, names_it),
        Request("ground by the new name", "ground", f"the {new}", found, names_it),
        Request("undo", "undo", "", f"{old} is a {item.label} again"),
        Request("ask for the undone name", "ask", f"Is there a {new}?", "no", is_not_there),
        Request("ask by the old name", "ask", f"Where is {old}?", f"{old} is back", is_back),
    ]


def _most_doubtful(objects: Sequence[MapObject]) -> MapObject:
    """Of the small things that were seen well, so that somebody would want to correct it."""
    small = [
        obj
        for obj in objects
        if max(obj.box.size) <= _SMALL_M and obj.observation_count >= _SEEN_WELL
    ]
    return min(small or objects, key=lambda obj: obj.confidence)
