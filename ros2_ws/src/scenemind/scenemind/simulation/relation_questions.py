"""Questions whether something stands in a relation, and what the walls carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from scenemind.simulation.question import Question
from scenemind.simulation.room import Room, SimObject
from scenemind.simulation.true_relations import stands_on_floor, surely_higher

# What people say hangs there; a door or window is part of the wall.
_HANGING = frozenset({"picture", "mirror", "clock"})


def is_on(room: Room, unique: Sequence[SimObject]) -> Iterator[Question]:
    """Of a thing and what carries it, and of the same thing and what does not."""
    for item in unique:
        if item.supported_by is None:
            continue
        carrier = room.get_object(item.supported_by)
        others = [o for o in unique if stands_on_floor(o) and o != carrier]
        for support, answer in ((carrier, "yes"), *((o, "no") for o in others[:1])):
            if support in unique:
                text = f"Is the {item.label} on the {support.label}?"
                yield Question(text, "verify", (answer,), (item.instance_id,))


def is_higher(unique: Sequence[SimObject]) -> Iterator[Question]:
    """Of two things, one of which is above the other's top."""
    for item in unique:
        lower = [other for other in unique if surely_higher(item, other)]
        for first, second in permutations((item, *lower[:1])) if lower else ():
            answer = "yes" if first == item else "no"
            text = f"Is the {first.label} higher than the {second.label}?"
            yield Question(text, "verify", (answer,), (first.instance_id,))


def on_the_wall(room: Room, known: Mapping[str, list[SimObject]]) -> Iterator[Question]:
    """What hangs on any of the walls."""
    hanging = [o for o in room.objects if o.on_wall and o.label in _HANGING]
    if hanging and all(item.label in known for item in hanging):
        labels = tuple(sorted({item.label for item in hanging}))
        ids = tuple(item.instance_id for item in hanging)
        yield Question("What is hanging on the wall?", "wall", labels, ids)
