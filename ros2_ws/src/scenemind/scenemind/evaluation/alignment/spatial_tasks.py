"""Tasks about where things stand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenemind.evaluation.alignment.draft import Draft, Draw, shuffled
from scenemind.geometry import Pose
from scenemind.memory import MapObject

# Clearly beside each other as seen from this far in front of their middle.
_FROM_M, _BESIDE_M, _LEVEL_M, _EYES_M = 3.0, (0.8, 3.0), 1.0, 1.6


def on_what(draw: Draw) -> Draft | None:
    """ "What is the item above the blue box?": it is taken for another thing."""
    for thing, carrier in _carried(draw):
        if draw.planting.mislabel(thing):
            return Draft(draw.ask("on_what", thing.label, anchor=carrier.label))
    return None


def supporting(draw: Draw) -> Draft | None:
    """ "What is item supporting the monitor?": that one is taken for another thing."""
    for thing, carrier in _carried(draw):
        if draw.planting.mislabel(carrier):
            return Draft(draw.ask("supporting", carrier.label, noun=thing.label))
    return None


def is_on(draw: Draw) -> Draft | None:
    """ "Is the red backpack placed on the black table?": it is seen hovering."""
    for thing, carrier in _carried(draw):
        draw.planting.lift(thing, carrier)
        return Draft(draw.ask("is_on", "yes", noun=thing.label, anchor=carrier.label))
    return None


def on_what_unknown(draw: Draw) -> Draft | None:
    """ "What is the item that is above the stove?": both are taken for other things."""
    for thing, carrier in _carried(draw):
        if draw.planting.mislabel(carrier) and draw.planting.mislabel(thing):
            return Draft(draw.ask("on_what", thing.label, anchor=carrier.label))
    return None


def is_on_unknown(draw: Draw) -> Draft | None:
    """As `is_on`, of things that are taken for others."""
    for thing, carrier in _carried(draw):
        if draw.planting.mislabel(thing):
            if draw.rng.random() < 0.5:
                draw.planting.mislabel(carrier)
            draw.planting.lift(thing, carrier)
            return Draft(draw.ask("is_on", "yes", noun=thing.label, anchor=carrier.label))
    return None


def on_beside(draw: Draw) -> Draft | None:
    """ "What is the item above the desk and beside the laptop?": two are taken for others."""
    unique = {thing.object_id for thing in draw.scene.unique}
    for thing, beside, carrier in shuffled(draw, list(draw.scene.on_together())):
        if not unique.issuperset((thing.object_id, beside.object_id, carrier.object_id)):
            continue
        if draw.planting.mislabel(thing) and draw.planting.mislabel(beside):
            words = {"anchor": carrier.label, "other": beside.label}
            return Draft(draw.ask("on_beside", thing.label, **words))
    return on_what_unknown(draw)


def is_beside(draw: Draw) -> Draft | None:
    """ "Is the hanger located to the left of the ironing board?": both are taken for others."""
    things = shuffled(draw, draw.scene.unique)
    for first, second in zip(things[::2], things[1::2], strict=False):
        viewpoint = _opposite(first, second)
        if viewpoint is None:
            continue
        if draw.planting.mislabel(first) and draw.planting.mislabel(second):
            side = draw.rng.choice(("is_left", "is_right"))
            answer = "yes" if side == "is_left" else "no"
            return Draft(draw.ask(side, answer, noun=first.label, other=second.label), viewpoint)
    return None


def _carried(draw: Draw) -> Iterator[tuple[MapObject, MapObject]]:
    """A thing and what it stands on, both named so that nobody can mistake them."""
    unique = {thing.object_id: thing for thing in draw.scene.unique}
    for thing_id, carrier_id in shuffled(draw, list(draw.scene.carried.items())):
        if thing_id in unique and carrier_id in unique:
            yield unique[thing_id], unique[carrier_id]


def _opposite(left: MapObject, right: MapObject) -> Pose | None:
    """`world_T_head` of somebody who looks at the middle between two things and has one clearly on
    either hand; None: they are too close, too far, or one higher than the other."""
    across = np.subtract(right.box.center, left.box.center)
    if abs(across[2]) > _LEVEL_M:
        return None
    across[2] = 0.0
    apart_m = float(np.linalg.norm(across))
    if not _BESIDE_M[0] <= apart_m - _widths_m(left, right, across) <= _BESIDE_M[1]:
        return None
    y_axis = -across / apart_m  # to the left
    x_axis = np.array((y_axis[1], -y_axis[0], 0.0))
    middle = (np.add(left.box.center, right.box.center)) / 2.0
    place = middle - _FROM_M * x_axis
    place[2] = _EYES_M
    return Pose(np.column_stack((x_axis, y_axis, (0.0, 0.0, 1.0))), place)


def _widths_m(first: MapObject, second: MapObject, across: np.ndarray) -> float:
    """How much of the way between their middles lies within their boxes, at most."""
    way = np.abs(across) / np.linalg.norm(across)
    return float(sum(way @ np.asarray(o.box.size) for o in (first, second))) / 2.0
