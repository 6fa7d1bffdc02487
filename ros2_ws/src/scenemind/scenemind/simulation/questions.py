"""Questions about a room whose answers are known by construction.

Only unambiguous ones are asked: see `true_relations` for the margins. Colours are asked only of
plain objects in colours that keep their name in any light.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from scenemind.simulation.question import Question
from scenemind.simulation.relation_questions import is_higher, is_on, on_the_wall
from scenemind.simulation.room import Room, SimObject
from scenemind.simulation.true_relations import (
    find_surely_closest,
    stands_on_floor,
    surely_apart,
    surely_next_to,
    things_on,
)

_STRONG_COLORS = frozenset({"black", "red", "blue", "green", "yellow", "orange", "purple"})
_ABSENT_LABELS = ("bathtub", "bicycle", "toaster")
# The shelf shows books that are no objects of their own, so their number is a matter of taste.
_UNCOUNTABLE_LABELS = frozenset({"book"})


def make_questions(room: Room, seen: Collection[int] | None = None) -> tuple[Question, ...]:
    """All questions that a room is good for, kind by kind.

    Args:
        seen: instance ids that a camera saw well; questions about others are left out.
    """
    of_label: dict[str, list[SimObject]] = defaultdict(list)
    for item in room.objects:
        of_label[item.label].append(item)
    known = {
        label: items
        for label, items in of_label.items()
        if seen is None or all(item.instance_id in seen for item in items)
    }
    unique = [items[0] for items in known.values() if len(items) == 1]
    several = [items for items in known.values() if len(items) > 1]
    makers = (
        _exists(known, of_label),
        _count(several),
        _where(room, unique),
        _on(room, unique, known),
        _color(unique),
        _closest(several, unique),
        _ground_color(several),
        _ground_on(room, several, unique),
        _ground_next_to(several, unique),
        is_on(room, unique),
        is_higher(unique),
        on_the_wall(room, known),
    )
    return tuple(question for questions in makers for question in questions)


def _exists(
    known: dict[str, list[SimObject]], of_label: dict[str, list[SimObject]]
) -> Iterator[Question]:
    for label, items in known.items():
        ids = tuple(item.instance_id for item in items)
        yield Question(f"Is there a {label}?", "exists", ("yes",), ids)
    for label in _ABSENT_LABELS:
        if label not in of_label:
            yield Question(f"Is there a {label}?", "exists", ("no",), ())


def _count(several: list[list[SimObject]]) -> Iterator[Question]:
    for items in several:
        label = items[0].label
        if label not in _UNCOUNTABLE_LABELS:
            ids = tuple(item.instance_id for item in items)
            text = f"How many {_plural(label)} are there?"
            yield Question(text, "count", (str(len(items)),), ids)


def _where(room: Room, unique: list[SimObject]) -> Iterator[Question]:
    for item in unique:
        if item.supported_by is not None:
            support = room.get_object(item.supported_by)
            text = f"Where is the {item.label}?"
            yield Question(text, "where", (support.label,), (item.instance_id,))


def _on(
    room: Room, unique: list[SimObject], known: dict[str, list[SimObject]]
) -> Iterator[Question]:
    for support in unique:
        things = things_on(room, support)
        if things and all(item.label in known for item in things):
            labels = tuple(sorted({item.label for item in things}))
            ids = tuple(item.instance_id for item in things)
            yield Question(f"What is on the {support.label}?", "on", labels, ids)


def _color(unique: list[SimObject]) -> Iterator[Question]:
    for item in unique:
        if _has_strong_color(item):
            text = f"What color is the {item.label}?"
            yield Question(text, "color", (item.color,), (item.instance_id,))


def _closest(several: list[list[SimObject]], unique: list[SimObject]) -> Iterator[Question]:
    for items in several:
        for anchor in (item for item in unique if stands_on_floor(item)):
            closest = find_surely_closest(anchor, items)
            if closest is not None and closest.supported_by != anchor.instance_id:
                label, ids = closest.label, (closest.instance_id,)
                text = f"Which {label} is closest to the {anchor.label}?"
                yield Question(text, "closest", (label,), ids)
                phrase = f"the {label} closest to the {anchor.label}"
                yield Question(phrase, "ground", (label,), ids)


def _ground_color(several: list[list[SimObject]]) -> Iterator[Question]:
    for items in several:
        colors = [item.color for item in items]
        for item in items:
            if _has_strong_color(item) and colors.count(item.color) == 1:
                phrase = f"the {item.color} {item.label}"
                yield Question(phrase, "ground", (item.label,), (item.instance_id,))


def _ground_on(
    room: Room, several: list[list[SimObject]], unique: list[SimObject]
) -> Iterator[Question]:
    for items in several:
        for support in unique:
            on_it = [item for item in items if item in things_on(room, support)]
            if len(on_it) == 1:
                phrase = f"the {on_it[0].label} on the {support.label}"
                yield Question(phrase, "ground", (on_it[0].label,), (on_it[0].instance_id,))


def _ground_next_to(several: list[list[SimObject]], unique: list[SimObject]) -> Iterator[Question]:
    for items in several:
        for anchor in unique:
            beside = [item for item in items if surely_next_to(item, anchor)]
            others = [item for item in items if item not in beside]
            if len(beside) == 1 and all(surely_apart(item, anchor) for item in others):
                phrase = f"the {beside[0].label} next to the {anchor.label}"
                yield Question(phrase, "ground", (beside[0].label,), (beside[0].instance_id,))


def _has_strong_color(item: SimObject) -> bool:
    return item.plain and item.color in _STRONG_COLORS


def _plural(label: str) -> str:
    return label + ("es" if label.endswith(("s", "x", "ch", "sh")) else "s")
