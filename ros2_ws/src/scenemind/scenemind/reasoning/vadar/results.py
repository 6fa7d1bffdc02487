"""What a program left in `final_result`, as an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scenemind.reasoning.vadar.view import BoxPx
from scenemind.words.quoting import tame

_LONGEST_ANSWER = 200
_MOST_ITEMS = 20
_FARTHEST_PX = 1e6
# Of numbers: from here on digits behind the point say nothing; and no answer is as large.
_LARGE, _HUGE = 1e3, 1e15
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


def box_text(box: BoxPx) -> str:
    """ "(120, 33, 180, 90)", in pixels."""
    return f"({', '.join(map(_number_text, box))})"


def read_result(value: Any, name_of: Callable[[BoxPx], str] = box_text) -> Result:
    """The value of a program's last line.

    Args:
        name_of: what people call what is in a box; one name is said once.
    """
    if value is None or (isinstance(value, str) and value.strip(" .!?").lower() in _NO_ANSWERS):
        return Result("")
    box = _find_box(value)
    if box is not None:
        return Result(tame(name_of(box), _LONGEST_ANSWER), (box,))
    if isinstance(value, (list, tuple)):
        return _joined([read_result(item, name_of) for item in value[:_MOST_ITEMS]])
    if isinstance(value, bool):
        return Result("yes" if value else "no")
    if isinstance(value, (int, float)):
        is_number = abs(value) < _HUGE  # NaN is not either
        complaint = "" if is_number else "final_result is no number of a usual size"
        return Result(_number_text(value) if is_number else "", complaint=complaint)
    if isinstance(value, str):
        return Result(tame(value, _LONGEST_ANSWER))
    return Result("", complaint=f"{_USABLE}, not {type(value).__name__}")


def _joined(parts: Sequence[Result]) -> Result:
    texts: list[str] = []
    for part in parts:
        if part.text and not (part.boxes_px and part.text in texts):
            texts.append(part.text)
    complaint = next((part.complaint for part in parts if part.complaint), "")
    boxes = tuple(box for part in parts for box in part.boxes_px)
    return Result(tame(", ".join(texts), _LONGEST_ANSWER), boxes, complaint)


def _number_text(value: float) -> str:
    """Without an exponent where people would write none."""
    if value == round(value) or abs(value) >= _LARGE:
        return str(round(value))
    return f"{value:.3g}"


def _find_box(value: Any) -> BoxPx | None:
    """Four numbers that make a rectangle."""
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        return None
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value):
        return None
    if not all(abs(v) < _FARTHEST_PX for v in value):
        return None
    x0, y0, x1, y1 = map(float, value)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None
