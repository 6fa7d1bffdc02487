"""Images of one query as the vision model sees them: on sheets, and with marked candidates
(VLM-Grounder, sections 3.1 and 3.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict

from scenemind.config import VlmGrounderConfig
from scenemind.frames.images import decode_file
from scenemind.language.english import joined
from scenemind.language.quoting import tame
from scenemind.memory import KeyFrame
from scenemind.reasoning.query import Picture
from scenemind.reasoning.vlm_grounder.stitching import Layout, draw_sheets, plan_sheets
from scenemind.reasoning.vlm_grounder.targets import BoxPx


@dataclass(frozen=True, slots=True, eq=False)
class Album:
    """The images of one query on sheets.

    Attributes:
        rows: rows of the frame index, one an image.
        frames: the images, in the same order.
        sheets: JPEG files.
        titles: content of each sheet.
        layouts: number of sheets of each layout, in words.
    """

    rows: tuple[int, ...]
    frames: tuple[KeyFrame, ...]
    sheets: tuple[bytes, ...]
    titles: tuple[str, ...]
    layouts: str

    @classmethod
    def of(
        cls,
        shown: Sequence[tuple[int, KeyFrame]],
        layouts: Sequence[Layout],
        config: VlmGrounderConfig,
    ) -> Album:
        """Stitch images (section 3.2); their IDs are 00000, 00001, ... in their order.

        Args:
            shown: rows with their images, at least one.
            layouts: by growing size, from `layouts_of`.
        """
        frames = tuple(frame for _, frame in shown)
        plans = plan_sheets(len(frames), config.sheets, layouts)
        ids = [image_id(place) for place in range(len(frames))]
        jpegs = [frame.jpeg for frame in frames]
        sheets = draw_sheets(jpegs, ids, plans, config.longest_px)
        titles = [
            f"Sheet {number} of {len(plans)}: images {ids[plan.first]} to"
            f" {ids[plan.first + plan.count - 1]}"
            for number, plan in enumerate(plans, start=1)
        ]
        counts = Counter(str(plan.layout) for plan in plans)
        told = ", ".join(f"{count} of {layout}" for layout, count in counts.items())
        return cls(tuple(row for row, _ in shown), frames, sheets, tuple(titles), told)

    def __len__(self) -> int:
        return len(self.frames)

    def find(self, written: Id) -> int | None:
        """The position of an image by its ID; None for an unknown ID."""
        place = find_number(written)
        return place if place is not None and place < len(self.frames) else None

    def summary(self) -> str:
        """The numbers of images and sheets, in words."""
        images = "1 image" if len(self) == 1 else f"{len(self)} images"
        return f"{images} on sheets: {self.layouts}"

    def pictures(self) -> tuple[Picture, ...]:
        """The sheets, for reports."""
        return tuple(map(Picture, self.titles, self.sheets))


def image_id(place: int) -> str:
    """The ID of an image as drawn on it: five digits."""
    return f"{place:05d}"


_FONT = cv2.FONT_HERSHEY_SIMPLEX
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)
_TEXT_SHARE = 1 / 26  # of the picture's shorter side
_LEAST_TEXT_PX = 12
_MARGIN_SHARE = 0.35  # of the height of digits
_QUALITY = 92
Place = tuple[int, int, int, int]


def marked_picture(jpeg: bytes, boxes_px: Sequence[BoxPx], longest_px: int) -> bytes:
    """The image with the number of each box, from 0, at its centre, in white on black: the visual
    prompt of section 3.1. A mark that would cover another one is moved below it.

    Args:
        jpeg: JPEG file. boxes_px: in its pixels.
        longest_px: of the marked picture; it is never made larger.

    Raises:
        FrameError: it is no picture, or a damaged one.
    """
    image = decode_file(jpeg, cv2.IMREAD_COLOR)
    scale = min(1.0, longest_px / max(image.shape[:2]))
    if scale < 1.0:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    text_px = max(_LEAST_TEXT_PX, round(_TEXT_SHARE * min(image.shape[:2])))
    taken: list[Place] = []
    for number, (x0, y0, x1, y1) in enumerate(boxes_px):
        center = round(scale * (x0 + x1) / 2), round(scale * (y0 + y1) / 2)
        _mark(image, str(number), center, text_px, taken)
    _, data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return data.tobytes()


def _mark(
    image: NDArray[np.uint8], text: str, center: tuple[int, int], text_px: int, taken: list[Place]
) -> None:
    thickness = max(1, text_px // 10)
    size = cv2.getFontScaleFromHeight(_FONT, text_px, thickness)
    (width, height), _ = cv2.getTextSize(text, _FONT, size, thickness)
    margin = round(_MARGIN_SHARE * text_px)
    place = _free_place(center, (width + 2 * margin, height + 2 * margin), image.shape, taken)
    left, top, right, bottom = place
    cv2.rectangle(image, (left, top), (right - 1, bottom - 1), _BLACK, -1)
    at = left + margin, bottom - margin
    cv2.putText(image, text, at, _FONT, size, _WHITE, thickness, cv2.LINE_AA)
    taken.append(place)


def _free_place(
    center: tuple[int, int], size: tuple[int, int], shape: tuple[int, ...], taken: Sequence[Place]
) -> Place:
    """A place around the centre and within the image, below other marks as long as there is
    room."""
    width, height = size
    left = min(max(center[0] - width // 2, 0), max(shape[1] - width, 0))
    lowest = max(shape[0] - height, 0)
    top = min(max(center[1] - height // 2, 0), lowest)
    while hidden := [p for p in taken if _overlap((left, top, left + width, top + height), p)]:
        below = max(place[3] for place in hidden)
        if below > lowest:
            break
        top = below
    return left, top, left + width, top + height


def _overlap(a: Place, b: Place) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


Id = int | str
"""Image id in the form of a model's reply: "00003", 3 or "image 3"."""


def _listed(written: Any) -> Any:
    """A list for a single id."""
    return [written] if isinstance(written, (int, str)) else written


Ids = Annotated[list[Id], BeforeValidator(_listed)]
"""A list; of one, models leave the brackets out now and then."""
_NUMBER = re.compile(r"\A\D{0,20}(\d{1,9})\D{0,20}\Z")
_NONE = frozenset(("", "-1", "none", "null", "n/a", "no", "unknown"))
_LONGEST_ID, _MOST_LISTED = 40, 12


class ImageChoice(BaseModel):
    """The form of a reply with one image (Table 6)."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    target_image_id: Id
    reference_image_ids: Ids

    @property
    def targets(self) -> list[Id]:
        """The target ids; empty where the model says that no image shows the target."""
        return named([self.target_image_id])


class ImagesChoice(BaseModel):
    """The form of a reply with the images of several objects."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    target_image_ids: Ids
    reference_image_ids: Ids

    @property
    def targets(self) -> list[Id]:
        """The target ids; empty where the model says that no image shows the target."""
        return named(self.target_image_ids)


class ObjectChoice(BaseModel):
    """The form of a reply with one of the marked objects (Table 6)."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    object_id: Id

    @property
    def chosen(self) -> list[Id]:
        """The chosen ids; empty where the model says that none is the target."""
        return named([self.object_id])


class ObjectsChoice(BaseModel):
    """The form of a reply with several of the marked objects."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    object_ids: Ids

    @property
    def chosen(self) -> list[Id]:
        """The chosen ids; empty where the model says that none is the target."""
        return named(self.object_ids)


def named(ids: Sequence[Id]) -> list[Id]:
    """Ids, each once, without words for "none"."""
    return [i for i in dict.fromkeys(ids) if str(i).strip().lower() not in _NONE]


def find_number(written: Id) -> int | None:
    """The number in an id; None where it has none, or several."""
    found = _NUMBER.match(str(written).strip())
    return int(found[1]) if found and not str(written).lstrip().startswith("-") else None


def listed(ids: Sequence[Id]) -> str:
    """Ids as the model wrote them, for a sentence."""
    more = [f"{len(ids) - _MOST_LISTED} more"] if len(ids) > _MOST_LISTED else []
    words = [tame(str(i), _LONGEST_ID) for i in ids[:_MOST_LISTED]]
    return joined([*words, *more]) or "none"
