"""A second look at what the map is not sure of: "what is this?", asked about crops with context."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from scenemind.frames import FrameError
from scenemind.frames.images import decode_file
from scenemind.memory import NAMED_BY, KeyFrame, MapObject, MemoryAccess, SceneMemoryError
from scenemind.models import ChatMessage, ChatModel
from scenemind.models.structured import BadFormError
from scenemind.reasoning.inventory.replies import NOTHING, clean_name, is_of_kind
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_form, fill_prompt

UNSURE = "unsure"
_PACKAGE = "scenemind.reasoning.inventory"
TOGETHER = 4  # objects in one call
_DOUBTED = 0.6  # confidence below which a label is asked about
_VIEWS = 2
_CONTEXT = 0.8  # of the box's sides, around it, at least so many pixels
_LEAST_CONTEXT_PX = 40.0
_HEIGHT_PX, _LONGEST_PX, _QUALITY = 384, 1024, 90
_YELLOW = (0, 220, 255)


class CropName(BaseModel):
    """What stands in the box of a picture."""

    model_config = ConfigDict(extra="forbid")

    number: int
    name: str


class CropNames(BaseModel):
    """The reply to some pictures."""

    model_config = ConfigDict(extra="forbid")

    things: list[CropName]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says of an object.

    Attributes:
        name: cleaned; `NOTHING`, or `UNSURE`.
        confirms: the name is the label, a synonym, or a kind of it, or the other way round.
    """

    object_id: int
    label: str
    name: str
    confirms: bool


def doubtful(objects: Collection[MapObject]) -> list[MapObject]:
    """The objects whose label is not sure and was not settled by a model or a person, the least
    sure first."""
    found = [
        thing
        for thing in objects
        if (thing.confidence < _DOUBTED or thing.alternatives)
        and NAMED_BY not in thing.attributes
        and thing.label == thing.perceived_label
    ]
    return sorted(found, key=lambda thing: (thing.confidence, thing.object_id))


class _Shown(NamedTuple):
    thing: MapObject
    jpeg: bytes
    frames: tuple[KeyFrame, ...]


def review(
    vision: ChatModel, memory: MemoryAccess, things: Sequence[MapObject], asking: Asking
) -> list[Verdict]:
    """Ask about up to `TOGETHER` objects in one call; none of those without a stored picture.

    Raises:
        ModelError: cancelled, or the model failed.
    """
    shown = [one for thing in things if (one := _show(thing, memory)) is not None]
    if not shown:
        return []
    frames = tuple(frame for one in shown for frame in one.frames)
    asking.progress.report("review", f"{len(shown)} doubtful objects", frames)
    task = fill_prompt(_PACKAGE, "name_crops", count=str(len(shown)))
    jpegs = tuple(one.jpeg for one in shown)
    messages = [ChatMessage("system", task), ChatMessage("user", "The pictures:", jpegs)]
    try:
        reply = ask_form(vision, messages, CropNames, asking, "review", _check_for(len(shown)))
    except BadFormError as error:
        if not isinstance(error.form, CropNames):
            return []
        reply = error.form
    names = {said.number: clean_name(said.name) for said in reply.things}
    found = [(one.thing, names.get(place, "")) for place, one in enumerate(shown, start=1)]
    return [_verdict(thing, name) for thing, name in found if name]


def _check_for(count: int) -> Callable[[CropNames], str | None]:
    def check(reply: CropNames) -> str | None:
        if sorted(said.number for said in reply.things) != list(range(1, count + 1)):
            return f"one name for each picture is wanted, numbers 1 to {count}"
        bad = [said.number for said in reply.things if not clean_name(said.name)]
        return f"no name, for picture {bad[0]}: one to three words are wanted" if bad else None

    return check


def _verdict(thing: MapObject, name: str) -> Verdict:
    confirms = name not in (NOTHING, UNSURE) and is_of_kind(name, thing.label)
    return Verdict(thing.object_id, thing.label, name, confirms)


def _show(thing: MapObject, memory: MemoryAccess) -> _Shown | None:
    """The best views of an object, side by side; None where none is stored."""
    frames, crops = [], []
    for frame in memory.key_frames_of([thing.object_id], _VIEWS):
        if thing.object_id in frame.boxes_px:
            try:
                crops.append(_crop(frame, thing.object_id))
                frames.append(frame)
            except (FrameError, SceneMemoryError):
                continue
    if not crops:
        return None
    picture = np.hstack(crops)
    scale = min(1.0, _LONGEST_PX / picture.shape[1])
    picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return _Shown(thing, data.tobytes(), tuple(frames))


def _crop(frame: KeyFrame, object_id: int) -> NDArray[np.uint8]:
    """(`_HEIGHT_PX`, W, 3) BGR: the object's surroundings with its box.

    Raises:
        FrameError: the image is damaged.
    """
    image = decode_file(frame.jpeg, cv2.IMREAD_COLOR)
    height, width = image.shape[:2]
    x0, y0, x1, y1 = frame.boxes_px[object_id]
    dx, dy = (max(_LEAST_CONTEXT_PX, _CONTEXT * side) for side in (x1 - x0, y1 - y0))
    left, top = max(int(x0 - dx), 0), max(int(y0 - dy), 0)
    right, bottom = min(int(x1 + dx) + 1, width), min(int(y1 + dy) + 1, height)
    scale = _HEIGHT_PX / (bottom - top)
    how = cv2.INTER_CUBIC if scale > 1.0 else cv2.INTER_AREA
    size = (max(1, round(scale * (right - left))), _HEIGHT_PX)
    crop = cv2.resize(image[top:bottom, left:right], size, interpolation=how)
    corners = [
        (round(scale * (x - left)), round(scale * (y - top))) for x, y in ((x0, y0), (x1, y1))
    ]
    cv2.rectangle(crop, *corners, _YELLOW, 1)
    return np.asarray(crop, np.uint8)
