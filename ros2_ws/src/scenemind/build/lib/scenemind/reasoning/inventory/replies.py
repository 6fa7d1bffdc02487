"""The form of a model's reply to a picture, and what of it can be used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from scenemind.geometry import iou_matrix_2d
from scenemind.language.quoting import tame
from scenemind.language.vocabulary import Vocabulary
from scenemind.reasoning.inventory.pictures import Drawn, Mark
from scenemind.reasoning.vlm_grounder.targets import BoxPx

NOTHING = "nothing"
"""Name in `Sighting.wrong` of a mark that holds no thing at all."""
MOST_THINGS = 25  # that a reply may name in one picture
_LONGEST_NAME, _MOST_WORDS = 40, 5
_NAME = re.compile(r"[^\W_][\w' -]*")
_OUTSIDE = 0.02  # of the picture's side, by which a box may leave it
_LEAST_PX, _MOST_SHARE = 8.0, 0.9  # across, and of the picture
_SAME_BOX = 0.7  # IoU with a mark: that is the known thing once more
_NAMED_PROBLEMS = 4


class NamedBox(BaseModel):
    """A thing in the picture; the box in its pixels."""

    model_config = ConfigDict(extra="forbid")

    name: str
    box: list[float]


class WrongName(BaseModel):
    """A mark with a wrong name, and the right one."""

    model_config = ConfigDict(extra="forbid")

    number: int
    name: str


class Sighting(BaseModel):
    """The reply to a picture."""

    model_config = ConfigDict(extra="forbid")

    things: list[NamedBox]
    wrong: list[WrongName]


class Seen(NamedTuple):
    """A thing that a reply names, with its box in pixels of the stored frame."""

    name: str
    box_px: BoxPx


def clean_name(text: str) -> str:
    """A name as labels are written; empty where it is none: too long, or more than a name."""
    if len(text) > _LONGEST_NAME:
        return ""
    name = tame(text, _LONGEST_NAME).lower().strip(" .")
    return name if _NAME.fullmatch(name) and len(name.split()) <= _MOST_WORDS else ""


def is_of_kind(name: str, label: str) -> bool:
    """Whether two names are of the same kind of thing: the same word, synonyms, or one a kind of
    the other."""
    pairs = ((name, label), (label, name))
    return any(match.sure for a, b in pairs for match in Vocabulary.load().match(a, (b,)))


def make_check(drawn: Drawn, marks: Sequence[Mark]) -> Callable[[Sighting], str | None]:
    """A check of replies to a picture: its problems in words, or None."""

    def check(reply: Sighting) -> str | None:
        problems = [
            f"{thing.name[:_LONGEST_NAME]!r}: {why}"
            for thing in reply.things
            if (why := _problem(thing, drawn))
        ]
        problems += [
            f"there is no box with the number {wrong.number}, or {wrong.name[:20]!r} is no name"
            for wrong in reply.wrong
            if not (0 < wrong.number <= len(marks) and clean_name(wrong.name))
        ]
        return "; ".join(problems[:_NAMED_PROBLEMS]) or None

    return check


def usable(
    reply: Sighting, drawn: Drawn, marks: Sequence[Mark]
) -> tuple[list[Seen], list[tuple[Mark, str]]]:
    """What a reply names that is not marked, and the marks that it renames; what `make_check`
    objects to is left out."""
    renamed = [
        (marks[wrong.number - 1], name)
        for wrong in reply.wrong
        if 0 < wrong.number <= len(marks) and (name := clean_name(wrong.name))
    ]
    nothing = [mark for mark, name in renamed if name == NOTHING]
    believed = [mark.box_px for mark in marks if mark not in nothing]
    known = np.array(believed, np.float32).reshape(-1, 4)
    seen = []
    for thing in reply.things[:MOST_THINGS]:
        if _problem(thing, drawn):
            continue
        size = (drawn.width, drawn.height) * 2
        x0, y0, x1, y1 = (
            min(max(side, 0.0), most) / drawn.scale
            for side, most in zip(thing.box, size, strict=True)
        )
        box_px = (x0, y0, x1, y1)
        if iou_matrix_2d(np.array([box_px], np.float32), known).max(initial=0.0) < _SAME_BOX:
            seen.append(Seen(clean_name(thing.name), box_px))
    return seen, renamed


def _problem(thing: NamedBox, drawn: Drawn) -> str:
    """What is wrong with a thing of a reply; empty: nothing."""
    if not clean_name(thing.name):
        return f"a name has one to {_MOST_WORDS} words of letters"
    if len(thing.box) != 4 or not np.isfinite(thing.box).all():
        return "a box has four numbers x0, y0, x1, y1"
    x0, y0, x1, y1 = thing.box
    off_x, off_y = _OUTSIDE * drawn.width, _OUTSIDE * drawn.height
    if min(x0 + off_x, y0 + off_y) < 0 or x1 > drawn.width + off_x or y1 > drawn.height + off_y:
        return f"its box leaves the picture of {drawn.width} x {drawn.height} pixels"
    if x1 - x0 < _LEAST_PX or y1 - y0 < _LEAST_PX:
        return "its box is smaller than 8 pixels, or its corners are exchanged"
    if (x1 - x0) * (y1 - y0) > _MOST_SHARE * drawn.width * drawn.height:
        return "its box is the whole picture"
    return ""
