"""What an answer rests on: frames, and objects of the map."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot, SceneMemoryError
from scenemind.reasoning.memtree_qa.frame_answer import FrameAnswer
from scenemind.reasoning.object_words import ObjectWords
from scenemind.words.quoting import quoted

_log = logging.getLogger(__name__)


def with_all_boxes(frame: KeyFrame, memory: MemoryAccess) -> KeyFrame:
    """The frame with the boxes of all objects in it."""
    try:
        every = memory.key_frame(frame.frame_number).boxes_px
    except SceneMemoryError as error:  # its image went since it was chosen, and is still at hand
        _log.info("frame %d is shown with fewer boxes: %s", frame.frame_number, error)
        return frame
    return replace(frame, boxes_px=every)


def with_boxes_of(object_ids: Collection[int], frame: KeyFrame) -> KeyFrame:
    """The frame without the boxes of other objects."""
    boxes = {i: box for i, box in frame.boxes_px.items() if i in object_ids}
    return replace(frame, boxes_px=boxes)


def used_frames(form: FrameAnswer, frames: Sequence[KeyFrame]) -> list[KeyFrame]:
    """Those that the model names; all where it names none that there is."""
    numbers = [n for n in dict.fromkeys(form.pictures) if 1 <= n <= len(frames)]
    return [frames[n - 1] for n in numbers] or list(frames)


def objects_of(
    form: FrameAnswer,
    frames: Sequence[KeyFrame],
    told: AbstractSet[int],
    snapshot: MemorySnapshot,
) -> tuple[tuple[MapObject, ...], list[str]]:
    """What the answer speaks of; and words that mean nothing that the model was told of, or many
    things of which no picture shows one.

    Args:
        told: ids of the objects that the model was told of.
    """
    words = ObjectWords(snapshot.objects)
    here = {object_id for frame in frames for object_id in frame.boxes_px}
    meant: dict[int, MapObject] = {}
    unclear = []
    for word in form.objects:
        ids = words.find(word, here) or ()
        if ids and told >= set(ids):
            meant.update((object_id, snapshot.objects[object_id]) for object_id in ids)
        else:
            unclear.append(quoted(str(word)))
    return tuple(meant.values()), unclear
