"""The frames of picked locations (paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import KeyFrame, MemoryAccess
from scenemind.reasoning.memtree_qa.location_choice import Pick
from scenemind.reasoning.memtree_qa.shown_tree import ShownTree


def picked_frames(
    memory: MemoryAccess,
    picks: Sequence[Pick],
    locations: ShownTree,
    count: int,
    objects_once: bool,
) -> list[KeyFrame]:
    """One frame a location, best first; for a pick without a stored image one of another location,
    which shows the picked objects best or else anything.

    Args:
        locations: the picked ones, and all that may take the place of one.
        count: at most so many.
        objects_once: the tree told of each object only at the first location that saw it, so that
            the pick of a location is one of its objects, wherever they are seen best.
    """
    found: dict[int, KeyFrame] = {}
    for pick in picks:
        listed = locations[pick.location_id].object_ids.intersection(pick.keys)
        there = None if objects_once and listed else [pick.location_id]
        # The best frames may be at locations that other picks have taken.
        frames = memory.select_key_frames(pick.keys, pick.cues, len(found) + 1, there)
        _take_first(frames, found)
    missing = min(count, len(locations)) - len(found)
    if missing > 0:
        keys, cues = [i for p in picks for i in p.keys], [i for p in picks for i in p.cues]
        others = [i for i in locations if i not in {*found, *(p.location_id for p in picks)}]
        more = memory.select_key_frames(keys, cues, missing, others)
        found.update((frame.location_id, frame) for frame in more)
    return sorted(found.values(), key=lambda frame: -frame.score)


def _take_first(frames: Sequence[KeyFrame], found: dict[int, KeyFrame]) -> None:
    frame = next((frame for frame in frames if frame.location_id not in found), None)
    if frame is not None:
        found[frame.location_id] = frame
