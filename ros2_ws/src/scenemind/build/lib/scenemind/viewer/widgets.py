"""Parts of the panels: HTML of escaped text, rows of small buttons, stored pictures with boxes.

viser shows HTML as it is: labels and sentences go through `escaped`. Buttons, fields and
notifications show plain text: they take `plain`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.images import decode_color_file
from scenemind.language.quoting import tame
from scenemind.memory import KeyFrame

if TYPE_CHECKING:
    import viser


_LONGEST = 2000
_LONGEST_NAME = 24  # so many capital Ws fit into a button
_NOTHING = "-"
_RGB, _LINE_PX = (255, 0, 140), 4
_WIDTH_PX = 360
_QUALITY = 80
OnChoose: TypeAlias = "Callable[[viser.ClientHandle | None, int], object]"


def escaped(text: str) -> str:
    """Text as HTML: without tags, entities or control characters."""
    return escape(tame(text, _LONGEST), quote=True)


def plain(text: str, limit: int = _LONGEST_NAME) -> str:
    """Text for widgets without HTML: one line, without control or direction characters."""
    return tame(text, limit)


def lines(parts: Iterable[str]) -> str:
    """Parts of HTML, one below the other."""
    return "".join(f"<div>{part}</div>" for part in parts)


def small(html: str) -> str:
    """HTML in small letters."""
    style = "font-size:0.8em;opacity:0.75;padding:0.2em 0.9em;overflow-wrap:anywhere"
    return f'<div style="{style}">{html}</div>'


def panel(html: str) -> str:
    """HTML with a margin, wrapped to the width of the panel."""
    return f'<div style="padding:0.3em 0.9em;overflow-wrap:anywhere">{html}</div>'


def newest_last(parts: Sequence[str], height: str) -> str:
    """Parts of HTML in a window that is scrolled to its end."""
    reversed_parts = "".join(f"<div>{part}</div>" for part in reversed(parts))
    return (
        f'<div style="display:flex;flex-direction:column-reverse;max-height:{height};'
        f'overflow-y:auto;padding:0.2em 0">{reversed_parts}</div>'
    )


def bubble(html: str, is_person: bool) -> str:
    """A turn of the dialogue."""
    place = "margin:0.3em 0.6em 0.3em 3em" if is_person else "margin:0.3em 3em 0.1em 0.6em"
    color = "rgba(34,139,230,0.16)" if is_person else "rgba(128,128,128,0.14)"
    return (
        f'<div style="{place};padding:0.35em 0.7em;border-radius:0.7em;background:{color};'
        f'overflow-wrap:anywhere">{html}</div>'
    )


def table(rows: Iterable[tuple[str, str]]) -> str:
    """A table of two columns of HTML."""
    cell = "padding:0.05em 0.6em 0.05em 0;vertical-align:top"
    made = "".join(
        f'<tr><td style="{cell};opacity:0.65;white-space:nowrap">{name}</td>'
        f'<td style="{cell}">{value}</td></tr>'
        for name, value in rows
    )
    return f'<table style="font-size:0.85em;border-spacing:0">{made}</table>'


def swatch(rgb: Iterable[int]) -> str:
    """A dot in a colour, RGB 0..255."""
    color = ",".join(str(int(value)) for value in rgb)
    return (
        '<span style="display:inline-block;width:0.75em;height:0.75em;border-radius:50%;'
        f'background:rgb({color});margin-right:0.35em"></span>'
    )


def strip(pictures: Sequence[tuple[bytes, str]]) -> str:
    """Pictures side by side.

    Args:
        pictures: (JPEG file, caption as HTML) of each.
    """
    width = 100.0 / max(2, len(pictures))
    cells = "".join(
        f'<figure style="margin:0;width:{width:.0f}%">'
        '<img style="width:100%;border-radius:0.3em;display:block" '
        f'src="data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"/>'
        f'<figcaption style="font-size:0.75em;opacity:0.75">{caption}</figcaption></figure>'
        for jpeg, caption in pictures
    )
    return f'<div style="display:flex;gap:0.4em;padding:0.3em 0.9em">{cells}</div>'


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of buttons.

    Attributes:
        title: text beside the row.
        options: text of a button -> its value.
    """

    title: str
    options: Mapping[str, int]


class ChoiceRows:
    """A fixed number of rows of buttons, made once; those without options are hidden."""

    def __init__(self, gui: viser.GuiApi, count: int, on_choose: OnChoose) -> None:
        """
        Args:
            count: number of rows; further choices are left out.
            on_choose: gets the client that clicked, and the value of the button.
        """
        self._shown: list[Choice] = []
        self._rows = [gui.add_button_group("", [_NOTHING], visible=False) for _ in range(count)]
        for place, row in enumerate(self._rows):
            row.on_click(lambda event, place=place: self._choose(event, place, on_choose))

    def show(self, choices: Sequence[Choice]) -> None:
        """Replace the choices; those without options are left out."""
        self._shown = [choice for choice in choices if choice.options][: len(self._rows)]
        for place, row in enumerate(self._rows):
            row.visible = place < len(self._shown)
            if row.visible:
                row.label = plain(self._shown[place].title)
                row.options = tuple(self._shown[place].options)

    def _choose(
        self,
        event: viser.GuiEvent[viser.GuiButtonGroupHandle],
        place: int,
        on_choose: OnChoose,
    ) -> None:
        # The choices may have changed since the click.
        shown = self._shown
        if place < len(shown) and event.target.value in shown[place].options:
            on_choose(event.client, shown[place].options[event.target.value])


def object_button(label: str, object_id: int) -> str:
    """Text of an object's button, different for each object."""
    return f"{plain(label)} {object_id}"


def thumbnail(frame: KeyFrame, object_ids: Collection[int]) -> bytes | None:
    """A small JPEG of a frame with boxes around these objects; None: the image is damaged."""
    try:
        color = decode_color_file(frame.jpeg)
    except FrameError:
        return None
    boxes = [box for i, box in frame.boxes_px.items() if i in object_ids]
    picture = with_boxes(color, boxes)
    height = round(picture.shape[0] * _WIDTH_PX / picture.shape[1])
    small = cv2.resize(picture, (_WIDTH_PX, max(1, height)), interpolation=cv2.INTER_AREA)
    _, file = cv2.imencode(".jpg", small[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(file.tobytes())


def with_boxes(
    color: NDArray[np.uint8], boxes_px: Collection[tuple[float, float, float, float]]
) -> NDArray[np.uint8]:
    """A copy of (H, W, 3) RGB with the boxes drawn."""
    picture = color.copy()
    for box_px in boxes_px:
        x0, y0, x1, y1 = (round(v) for v in box_px)
        cv2.rectangle(picture, (x0, y0), (x1, y1), _RGB, _LINE_PX)
    return picture
