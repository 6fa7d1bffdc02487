"""Edits that make several things one, or one thing several, with what speaks against them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.language import trees
from scenemind.language.english import joined
from scenemind.memory import Edit, MapObject
from scenemind.memory.graph.corrections.separation import find_split_places
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.replies import be, metres, sentence, the
from scenemind.reasoning.symbolic.resolver import Resolver

_NUMBERS = {2: "two", 3: "three", 4: "four"}
# Parts of one thing have less air between them.
_APART_M = 0.5


def merged(
    command: trees.Merge, objects: Sequence[MapObject], at: Resolver
) -> tuple[list[Edit], str]:
    """The edit that makes several objects one, and a sentence that reports it.

    Raises:
        ReasoningError: `invalid_request`: they are called otherwise, or only one is meant.
    """
    ids = tuple(thing.object_id for thing in objects)
    if command.noun and all(at.is_named_otherwise([o], command.noun) for o in objects):
        numbers = joined([str(i) for i in ids])
        way_out = f' If they are one thing, say "merge objects {numbers}".' if len(ids) > 1 else ""
        raise ReasoningError(
            "invalid_request",
            f"What is meant ({joined([the(o) for o in objects])}) is not called"
            f' "{command.noun}", so I changed nothing.{way_out}',
        )
    if len(objects) < 2:
        one = joined([the(o) for o in objects])
        raise ReasoningError(
            "invalid_request",
            f"Only {one} is meant: mark all that are the same, or say their numbers.",
        )
    first, *others = objects
    text = f"Now {joined([the(o) for o in others])} {be(len(others))} part of {the(first)}."
    return [Edit("merge", ids)], text


def is_order_by_numbers(command: trees.Merge) -> bool:
    """Whether the things are numbered, and nothing else is said of them."""
    is_bare = (isinstance(one, trees.ObjectNumber) and not one.noun for one in command.subjects)
    return not command.noun and all(is_bare)


def far_apart(objects: Sequence[MapObject], at: Resolver) -> str:
    """Which of the objects stands far from all others; empty where none does."""
    rows = [at.scene.row_of_id[thing.object_id] for thing in objects]
    for row in rows:
        others = [other for other in rows if other != row]
        gaps = at.scene.gaps_to_m(row)[others]
        if gaps.size and gaps.min() > _APART_M:
            nearest = at.scene.objects[others[int(np.argmin(gaps))]]
            names = f"{the(at.scene.objects[row])} and {the(nearest)}"
            return sentence(f"{names} are {metres(float(gaps.min()))} apart")
    return ""


def check_several_of(thing: MapObject, count: int, noun: str, at: Resolver) -> None:
    """Check that the parts are of the object's kind: "2 years" are no desks.

    Raises:
        ReasoningError: `invalid_request`: it has another name.
    """
    if noun and at.is_named_otherwise([thing], noun):
        raise ReasoningError(
            "invalid_request",
            f'{sentence(the(thing))[:-1]} is not called "{noun}", so I changed nothing. If it is'
            f' several things, say "split object {thing.object_id} in {_NUMBERS[count]}".',
        )


def split(thing: MapObject, count: int) -> tuple[list[Edit], str]:
    """The edit that makes one object several, and a sentence that reports it.

    Raises:
        ReasoningError: `invalid_request`: nothing is seen that parts it.
    """
    if not len(thing.points):
        raise ReasoningError(
            "invalid_request",
            f"The surface of {the(thing)} is not known here: split it where it was mapped.",
        )
    places = find_split_places(thing.points, count)
    if places is None:
        raise ReasoningError(
            "invalid_request",
            f"I see no gap in {the(thing)} that parts it in {_NUMBERS[count]}, so I leave it whole:"
            " look at it from more sides, or split it by a place in each part (the edit `split`).",
        )
    text = f"Now {the(thing)} is {_NUMBERS[count]} things, parted where there is a gap."
    return [Edit("split", (thing.object_id,), places=tuple(places))], text
