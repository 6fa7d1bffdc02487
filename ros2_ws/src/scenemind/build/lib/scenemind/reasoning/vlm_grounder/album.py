"""Images of one query as the vision model sees them: on sheets, and with marked candidates
(VLM-Grounder, sections 3.1 and 3.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict

from scenemind.config import VlmGrounderConfig
from scenemind.frames.images import decode_file
from scenemind.geometry import PinholeCamera
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
        sheet_of: the sheet of each image.
        titles: content of each sheet.
        layouts: number of sheets of each layout, in words.
    """

    rows: tuple[int, ...]
    frames: tuple[KeyFrame, ...]
    sheets: tuple[bytes, ...]
    sheet_of: tuple[int, ...]
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
        sheet_of = [number for number, plan in enumerate(plans) for _ in range(plan.count)]
        rows = tuple(row for row, _ in shown)
        return cls(rows, frames, sheets, tuple(sheet_of), tuple(titles), told)

    def __len__(self) -> int:
        return len(self.frames)

    def find(self, written: Id) -> int | None:
        """The position of an image by its ID; None for an unknown ID."""
        place = find_number(written)
        return place if place is not None and place < len(self.frames) else None

    def sheets_with(self, written: Sequence[Id]) -> list[int]:
        """The sheets that hold images with these IDs; unknown IDs are left out."""
        places = (self.find(i) for i in written)
        return sorted({self.sheet_of[place] for place in places if place is not None})

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
# Neighbouring boxes differ in colour, and white digits are legible on each.
_MARKS_BGR = ((200, 60, 0), (0, 0, 210), (0, 120, 0), (160, 0, 160), (0, 90, 200), (110, 110, 0))
_TEXT_SHARE = 1 / 30  # of the picture's shorter side
_LEAST_TEXT_PX = 11
_MARGIN_SHARE = 0.3  # of the height of digits
_RULED, _TICKS = 1000, 10
_QUALITY = 92
Place = tuple[int, int, int, int]


def marked_picture(jpeg: bytes, boxes_px: Sequence[BoxPx], longest_px: int) -> bytes:
    """The image with a thin line around each box and its number, from 0, at a corner outside of it
    where there is room: the visual prompt of section 3.1, which there covers the objects' centres.
    Rulers above and left of the image count thousandths.

    Args:
        jpeg: JPEG file. boxes_px: in its pixels.
        longest_px: of the image; it is never made larger.

    Raises:
        FrameError: it is no picture, or a damaged one.
    """
    image = decode_file(jpeg, cv2.IMREAD_COLOR)
    scale = min(1.0, longest_px / max(image.shape[:2]))
    if scale < 1.0:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = image.shape[:2]
    text_px = max(_LEAST_TEXT_PX, round(_TEXT_SHARE * min(height, width)))
    line_px = max(1, text_px // 10)
    boxes = [_around(box_px, scale, line_px, (width, height)) for box_px in boxes_px]
    for number, (x0, y0, x1, y1) in enumerate(boxes):
        color = _MARKS_BGR[number % len(_MARKS_BGR)]
        cv2.rectangle(image, (x0, y0), (x1, y1), color, line_px)
    taken: list[Place] = []
    for number in range(len(boxes)):
        taken.append(_number(image, number, boxes, taken, text_px))
    _, data = cv2.imencode(".jpg", _ruled(image, text_px), (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return data.tobytes()


def _around(box_px: BoxPx, scale: float, line_px: int, size: tuple[int, int]) -> Place:
    """The line around a box: just outside of it, within the image."""
    x0, x1 = sorted((box_px[0], box_px[2]))
    y0, y1 = sorted((box_px[1], box_px[3]))
    low = (round(scale * value) - line_px for value in (x0, y0))
    high = (round(scale * value) + line_px for value in (x1, y1))
    corners = [
        (min(max(value, 0), side - 1) for value, side in zip(ends, size, strict=True))
        for ends in (low, high)
    ]
    (left, top), (right, bottom) = corners
    return left, top, right, bottom


def _number(
    image: NDArray[np.uint8],
    number: int,
    boxes: Sequence[Place],
    taken: Sequence[Place],
    text_px: int,
) -> Place:
    """Write the number of a box where it hides least, and return the place."""
    thickness = max(1, text_px // 10)
    font = cv2.getFontScaleFromHeight(_FONT, text_px, thickness)
    (text_width, _), _ = cv2.getTextSize(str(number), _FONT, font, thickness)
    margin = round(_MARGIN_SHARE * text_px)
    size = text_width + 2 * margin, text_px + 2 * margin
    place = min(
        _corners(boxes[number], size, image.shape),
        key=lambda corner: _hidden(corner, number, boxes, taken),
    )
    left, top, right, bottom = place
    color = _MARKS_BGR[number % len(_MARKS_BGR)]
    cv2.rectangle(image, (left, top), (right - 1, bottom - 1), color, -1)
    at = left + margin, bottom - margin
    cv2.putText(image, str(number), at, _FONT, font, _WHITE, thickness, cv2.LINE_AA)
    return place


def _corners(box: Place, size: tuple[int, int], shape: tuple[int, ...]) -> list[Place]:
    """Places for a number at the corners of a box: above, below and beside it, then inside, all
    within the image."""
    (x0, y0, x1, y1), (width, height) = box, size
    outside = [(x, y) for y in (y0 - height, y1 + 1) for x in (x0, x1 - width)]
    outside += [(x, y) for x in (x0 - width, x1 + 1) for y in (y0, y1 - height)]
    inside = [(x, y) for y in (y0 + 1, y1 - height) for x in (x0 + 1, x1 - width)]
    lefts_tops = (
        (min(max(x, 0), max(shape[1] - width, 0)), min(max(y, 0), max(shape[0] - height, 0)))
        for x, y in outside + inside
    )
    return [(left, top, left + width, top + height) for left, top in lefts_tops]


def _hidden(
    place: Place, number: int, boxes: Sequence[Place], taken: Sequence[Place]
) -> tuple[int, int, int]:
    """What a number would hide there: other numbers, its own object, other objects, in pixels."""
    others = (box for n, box in enumerate(boxes) if n != number)
    return (
        sum(_overlap_px(place, other) for other in taken),
        _overlap_px(place, boxes[number]),
        sum(_overlap_px(place, other) for other in others),
    )


def _overlap_px(a: Place, b: Place) -> int:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0) * max(height, 0)


def _ruled(image: NDArray[np.uint8], text_px: int) -> NDArray[np.uint8]:
    """The image with rulers in a white margin above and left of it: nothing of it is hidden."""
    size_px = max(8, round(0.8 * text_px))
    font = cv2.getFontScaleFromHeight(_FONT, size_px, 1)
    (wide, _), _ = cv2.getTextSize(str(_RULED), _FONT, font, 1)
    top, left = 2 * size_px, wide + size_px
    height, width = image.shape[:2]
    ruled = cv2.copyMakeBorder(image, top, 0, left, 0, cv2.BORDER_CONSTANT, value=_WHITE)
    for tick in range(_TICKS + 1):
        text = str(tick * _RULED // _TICKS)
        (text_width, _), _ = cv2.getTextSize(text, _FONT, font, 1)
        x = left + tick * (width - 1) // _TICKS
        y = top + tick * (height - 1) // _TICKS
        cv2.line(ruled, (x, top - size_px // 2), (x, top - 1), _BLACK, 1)
        cv2.line(ruled, (left - size_px // 2, y), (left - 1, y), _BLACK, 1)
        across = min(x - text_width // 2, left + width - text_width)
        cv2.putText(
            ruled, text, (across, round(1.3 * size_px)), _FONT, font, _BLACK, 1, cv2.LINE_AA
        )
        if tick:  # 0 stands above
            down = min(y + size_px // 2, top + height - 1)
            at = max(0, left - size_px // 2 - text_width - 2), down
            cv2.putText(ruled, text, at, _FONT, font, _BLACK, 1, cv2.LINE_AA)
    return np.asarray(ruled, np.uint8)


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


Thousandths = Annotated[list[float], BeforeValidator(lambda written: written or [])]
"""Places in an image, in thousandths of its width and height; empty for none."""


class ImageChoice(BaseModel):
    """The form of a reply with one image (Table 6), and where in it the target is."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    target_image_id: Id
    target_place: Thousandths
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
    """The form of a reply with one of the marked objects (Table 6), or with the box of another."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    object_id: Id
    box: Thousandths

    @property
    def chosen(self) -> list[Id]:
        """The chosen ids; empty where the model says that none is the target."""
        return named([self.object_id])

    @property
    def drawn(self) -> list[list[float]]:
        """Boxes of targets without a mark."""
        return [self.box] if self.box and not self.chosen else []


class ObjectsChoice(BaseModel):
    """The form of a reply with several of the marked objects, and boxes of others."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    object_ids: Ids
    boxes: list[list[float]]

    @property
    def chosen(self) -> list[Id]:
        """The chosen ids; empty where the model says that none is the target."""
        return named(self.object_ids)

    @property
    def drawn(self) -> list[list[float]]:
        """Boxes of targets without a mark."""
        return self.boxes


_LEAST_SIDE = 4.0  # thousandths
_MISREAD = 0.03  # of an image's sides
_BEYOND = 20.0  # that a box may reach out of the image, by mistake


def find_box_px(thousandths: Sequence[float], camera: PinholeCamera) -> BoxPx | None:
    """A drawn box in pixels; None where it is none, or not in the image."""
    if len(thousandths) != 4 or not all(map(isfinite, thousandths)):
        return None
    if min(thousandths) < -_BEYOND or max(thousandths) > _RULED + _BEYOND:
        return None
    x0, y0, x1, y1 = (min(max(value, 0.0), _RULED) / _RULED for value in thousandths)
    if min(x1 - x0, y1 - y0) * _RULED < _LEAST_SIDE:
        return None
    return (x0 * camera.width, y0 * camera.height, x1 * camera.width, y1 * camera.height)


def is_at(place: Sequence[float], box_px: BoxPx, camera: PinholeCamera) -> bool:
    """Whether a place that a model read off a small image (x, y, in thousandths) is in a box."""
    if len(place) != 2 or not all(map(isfinite, place)):
        return False
    x, y = place[0] * camera.width / _RULED, place[1] * camera.height / _RULED
    slack_x, slack_y = _MISREAD * camera.width, _MISREAD * camera.height
    x0, y0, x1, y1 = box_px
    return x0 - slack_x <= x <= x1 + slack_x and y0 - slack_y <= y <= y1 + slack_y


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
