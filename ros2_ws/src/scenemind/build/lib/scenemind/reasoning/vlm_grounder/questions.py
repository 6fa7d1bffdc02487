"""Questions and feedback to the vision model (VLM-Grounder, Table 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scenemind.geometry import Pose
from scenemind.language.english import joined
from scenemind.language.quoting import quoted
from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.vlm_grounder.album import Album, Id, image_id, listed
from scenemind.reasoning.vlm_grounder.query_analysis import LONGEST_SAID, named_some
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis
from scenemind.reasoning.vlm_grounder.view_preselection import ViewSelection

_PROMPTS = "scenemind.reasoning.vlm_grounder"
MOST_IMAGES = 6
"""Most images that are shown in full for a query that wants all objects."""
_MOST_MARKED_IMAGES = 3  # of each object that the person points at
# An image shows what the person sees if it was taken this near, in about the same direction.
_NEAR_M, _ALIKE_COS = 1.5, 0.7


def system_prompt() -> str:
    """The paper's `grounding_system_prompt`."""
    return read_prompt(_PROMPTS, "system")


def ask_for_image(
    query: Query,
    analysis: QueryAnalysis,
    snapshot: MemorySnapshot,
    album: Album,
    selection: ViewSelection,
) -> str:
    """The task, which comes with the sheets (the paper's `input_prompt`).

    Raises:
        ReasoningError: all marked objects are gone.
    """
    if analysis.wants_all:
        wanted = fill_prompt(_PROMPTS, "wanted_all", most=str(MOST_IMAGES))
    else:
        wanted = read_prompt(_PROMPTS, "wanted_one")
    policy = read_prompt(_PROMPTS, f"policy_{query.policy}")
    return fill_prompt(
        _PROMPTS,
        "choose_image",
        shown=_what_is_shown(album, selection),
        wanted=f"{policy}\n\n{wanted}",
        circumstances=circumstances(query, snapshot, album),
        query=quoted(query.text, LONGEST_SAID),
        target_class=quoted(analysis.target_class),
        attributes=_facts(analysis.attributes),
        conditions=_facts(analysis.conditions),
        count=str(len(album)),
        sheets="1 sheet" if len(album.sheets) == 1 else f"{len(album.sheets)} sheets",
    )


def _what_is_shown(album: Album, selection: ViewSelection) -> str:
    """What the sheets hold of all that is stored, and by whose word."""
    stored = len(selection.index)
    if selection.by:
        without = stored - len(np.unique(selection.candidates.rows))
        rest = dict(zip(selection.rows.tolist(), selection.rest.tolist(), strict=True))
        others = sum(rest[row] for row in album.rows)
        return fill_prompt(
            _PROMPTS,
            "shown_class",
            showing=str(len(album) - others),
            labels=named_some(selection.labels),
            rest=str(others),
            without=str(without),
        )
    if len(album) == stored:
        return "They are all that is stored."
    return fill_prompt(_PROMPTS, "shown_all", count=str(len(album)), stored=str(stored))


def ask_for_object(place: int, count: int, *, wants_all: bool) -> str:
    """The choice of a marked candidate, or of another object by its box, which comes with the image
    (`bbox_select_prompt`)."""
    candidates = "1 candidate" if count == 1 else f"{count} candidates"
    marked = (
        fill_prompt(_PROMPTS, "marked", candidates=candidates)
        if count
        else read_prompt(_PROMPTS, "marked_none")
    )
    if wants_all:
        wanted = read_prompt(_PROMPTS, "object_all")
    else:
        wanted = read_prompt(_PROMPTS, "object_one")
    return fill_prompt(
        _PROMPTS, "choose_object", image_id=image_id(place), marked=marked, wanted=wanted
    )


def image_invalid(written: Sequence[Id]) -> str:
    """The feedback "image-invalid": no image has this id."""
    return fill_prompt(_PROMPTS, "image_invalid", image_id=listed(written))


def object_not_existing(places: Sequence[int]) -> str:
    """The feedback "object-not-existing": the model pointed at nothing in these images."""
    return fill_prompt(_PROMPTS, "object_not_existing", image_id=joined([*map(image_id, places)]))


def object_id_invalid(written: Sequence[Id], count: int) -> str:
    """The feedback "object-ID-invalid": no candidate has this id."""
    known = "no ID" if count == 0 else "the ID 0" if count == 1 else f"the IDs 0 to {count - 1}"
    return (
        f"there is no object with the ID {listed(written)} in the image: it shows {known}; an"
        " object without a mark has the ID -1 and a box"
    )


NO_BOX = (
    "it gives neither an ID nor a box: if the image shows the object, give its box, and if it does"
    " not, say the same again"
)
BAD_BOX = (
    "a box must be [left, top, right, bottom] in thousandths of the image's width and height, with"
    " left < right and top < bottom, and none of them beyond 0 to 1000"
)


def _facts(facts: Sequence[str]) -> str:
    return ", ".join(map(quoted, facts)) or "none"


def circumstances(query: Query, snapshot: MemorySnapshot, album: Album) -> str:
    """The person's situation, marked objects and viewpoint in terms of the images, a line each; may
    be empty.

    Raises:
        ReasoningError: all marked objects are gone.
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
    """Text of an object's places in the images, the largest view first, such as "in image 00002 at
    30 % from the left and 60 % from the top"."""
    shown = [
        (_area(frame.boxes_px[object_id]), place)
        for place, frame in enumerate(album.frames)
        if object_id in frame.boxes_px
    ]
    best = sorted(shown, reverse=True)[:_MOST_MARKED_IMAGES]
    return "; ".join(_where(object_id, place, album.frames[place]) for _, place in best)


def _where(object_id: int, place: int, frame: KeyFrame) -> str:
    x0, y0, x1, y1 = frame.boxes_px[object_id]
    across, down = (x0 + x1) / 2 / frame.camera.width, (y0 + y1) / 2 / frame.camera.height
    return f"in image {image_id(place)} at {across:.0%} from the left and {down:.0%} from the top"


def _area(box_px: tuple[float, float, float, float]) -> float:
    x0, y0, x1, y1 = box_px
    return (x1 - x0) * (y1 - y0)


def _find_same_view(viewpoint: Pose, album: Album) -> int | None:
    """The image that was taken nearest to the viewpoint, in about the same direction."""
    ahead = viewpoint.rotation[:, 0]
    near = [
        (float(np.linalg.norm(frame.world_T_camera.translation - viewpoint.translation)), place)
        for place, frame in enumerate(album.frames)
        if float(frame.world_T_camera.rotation[:, 2] @ ahead) > _ALIKE_COS
    ]
    away_m, place = min(near, default=(np.inf, 0))
    return place if away_m <= _NEAR_M else None
