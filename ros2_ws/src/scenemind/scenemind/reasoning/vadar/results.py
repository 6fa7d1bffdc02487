"""What a program left in `final_result`, as an answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scenemind.reasoning.vadar.view import BoxPx
from scenemind.words.quoting import tame

_LONGEST_ANSWER = 200
_MOST_ITEMS = 20
_NO_ANSWERS = frozenset(
    ("", "unknown", "none", "n/a", "not sure", "unclear", "cannot be determined")
)
_USABLE = (
    "final_result must be a number, True or False, a str, a box [x0, y0, x1, y1], or a list of"
    " those"
)


@dataclass(frozen=True, slots=True)
class Result:
    """
    Attributes:
        text: in a plain line; empty where the program found no answer.
        boxes_px: that are the answer, or part of it.
        complaint: what is wrong with it, for who wrote the program, without a full stop; empty:
            nothing.
    """

    text: str
    boxes_px: tuple[BoxPx, ...] = ()
    complaint: str = ""


def read_result(value: Any) -> Result:
    """The value of a program's last line."""
    if value is None or (isinstance(value, str) and value.strip(" .!?").lower() in _NO_ANSWERS):
        return Result("")
    box = _find_box(value)
    if box is not None:
        return Result(_text(value), (box,))
    if isinstance(value, (list, tuple)):
        parts = [read_result(item) for item in value[:_MOST_ITEMS]]
        complaint = next((part.complaint for part in parts if part.complaint), "")
        text = ", ".join(part.text for part in parts if part.text)
        boxes = tuple(box for part in parts for box in part.boxes_px)
        return Result(tame(text, _LONGEST_ANSWER), boxes, complaint)
    if isinstance(value, float) and not math.isfinite(value):
        return Result("", complaint=f"final_result is {value}")
    if isinstance(value, (bool, int, float, str)):
        return Result(tame(_text(value), _LONGEST_ANSWER))
    return Result("", complaint=f"{_USABLE}, not {type(value).__name__}")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(round(value)) if value.is_integer() else f"{value:.3g}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(f'{v:.0f}' for v in value)})"
    return str(value)


def _find_box(value: Any) -> BoxPx | None:
    """Four numbers that make a rectangle."""
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        return None
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value):
        return None
    x0, y0, x1, y1 = map(float, value)
    is_box = x0 < x1 and y0 < y1 and all(map(math.isfinite, (x0, y0, x1, y1)))
    return (x0, y0, x1, y1) if is_box else None
