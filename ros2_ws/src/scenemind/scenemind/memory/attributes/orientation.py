"""How an object stands: upright, leaning or lying, and where its long side points."""

from __future__ import annotations

import math

from scenemind.memory.attributes.form import Form
from scenemind.memory.attributes.sizes import find_kind

# From the vertical, in degrees: up to here it is upright, from there on it lies.
_UPRIGHT_TO, _LYING_FROM = 20.0, 70.0
# A kind that stands tall lies when it is as long as usual, and its height is less than this share
# of that. Two chairs that were taken for one are long, but as high as chairs are; of one that is
# seen in part nothing is known.
_FALLEN = 0.75
# Sides must differ so much before one of them is the long one.
_LONGER = 1.25


def orientation_name(form: Form, label: str) -> str | None:
    """`upright`, `leaning` or `lying`; None where the word says nothing, as of a table or a ball.

    Sheets and sticks tell by themselves, other things by what their kind is like.
    """
    if form.is_long:
        return _posture(_from_vertical_deg(form.axes[0, 2]))
    if form.is_flat:
        return _posture(90.0 - _from_vertical_deg(form.axes[2, 2]))
    kind = find_kind(label)
    if kind is None or not kind.stands_tall or not form.is_known:
        return None
    longest, height = max(form.yaw_box.size), form.box.size[2]
    if height >= _FALLEN * longest:
        return "upright"
    is_whole = longest >= kind.shortest_m
    return "lying" if is_whole and height < _FALLEN * kind.shortest_m else None


def long_side_deg(form: Form) -> int | None:
    """Direction of the longer horizontal side, from the world's x to its y, in [0, 180); None
    where the sides are about equal."""
    x, y, _ = form.yaw_box.size
    if max(x, y) <= _LONGER * min(x, y):
        return None
    turn = form.yaw_box.yaw + (math.pi / 2.0 if y > x else 0.0)
    return round(math.degrees(turn)) % 180


def _from_vertical_deg(z: float) -> float:
    """Between a unit direction with this z and the vertical, in [0, 90]."""
    return math.degrees(math.acos(min(abs(float(z)), 1.0)))


def _posture(tilt_deg: float) -> str:
    if tilt_deg <= _UPRIGHT_TO:
        return "upright"
    return "lying" if tilt_deg >= _LYING_FROM else "leaning"
