"""What a query depends on beside its words, told by the images."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenemind.geometry import Pose
from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query
from scenemind.reasoning.vlm_grounder.album import Album, image_id
from scenemind.reasoning.vlm_grounder.query_analysis import LONGEST_SAID
from scenemind.words.quoting import quoted

_MOST_IMAGES = 3  # of each thing that is pointed at
# An image tells how a person sees a place that it was taken from about there.
_NEAR_M, _ALIKE_COS = 1.5, 0.7


def circumstances(query: Query, snapshot: MemorySnapshot, album: Album) -> str:
    """The person's situation, what they point at and where they stand, a line each; empty where
    nothing is known.

    Raises:
        ReasoningError: all that was marked is gone.
    """
    return "\n".join(_lines(query, snapshot, album))


def _lines(query: Query, snapshot: MemorySnapshot, album: Album) -> Iterator[str]:
    if query.situation.strip():
        yield f"The person's situation, in their words: {quoted(query.situation, LONGEST_SAID)}"
    if query.marked_object_ids:
        marked = [i for i in query.marked_object_ids if i in snapshot.objects]
        if not marked:
            raise ReasoningError("not_found", "The marked object is not in the memory any more.")
        for object_id in marked:
            where = _seen_in(object_id, album)
            label = quoted(snapshot.objects[object_id].label)
            yield f"The person points at {label}{f', which is {where}' if where else ''}."
    if query.viewpoint is not None:
        place = _find_same_view(query.viewpoint, album)
        if place is not None:
            yield f"The person stands and looks as the camera did for image {image_id(place)}."


def _seen_in(object_id: int, album: Album) -> str:
    """ "in image 00002 at 30 % from the left and 60 % from the top"; the largest first."""
    shown = [
        (_area(frame.boxes_px[object_id]), place)
        for place, frame in enumerate(album.frames)
        if object_id in frame.boxes_px
    ]
    best = sorted(shown, reverse=True)[:_MOST_IMAGES]
    return "; ".join(_where(object_id, place, album.frames[place]) for _, place in best)


def _where(object_id: int, place: int, frame: KeyFrame) -> str:
    x0, y0, x1, y1 = frame.boxes_px[object_id]
    across, down = (x0 + x1) / 2 / frame.camera.width, (y0 + y1) / 2 / frame.camera.height
    return f"in image {image_id(place)} at {across:.0%} from the left and {down:.0%} from the top"


def _area(box_px: tuple[float, float, float, float]) -> float:
    x0, y0, x1, y1 = box_px
    return (x1 - x0) * (y1 - y0)


def _find_same_view(viewpoint: Pose, album: Album) -> int | None:
    """The image that was taken nearest to where one stands, looking about the same way."""
    ahead = viewpoint.rotation[:, 0]
    near = [
        (float(np.linalg.norm(frame.world_T_camera.translation - viewpoint.translation)), place)
        for place, frame in enumerate(album.frames)
        if float(frame.world_T_camera.rotation[:, 2] @ ahead) > _ALIKE_COS
    ]
    away_m, place = min(near, default=(np.inf, 0))
    return place if away_m <= _NEAR_M else None
