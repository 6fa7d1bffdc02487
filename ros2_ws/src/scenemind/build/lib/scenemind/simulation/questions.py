"""Questions about a room whose answers are known by construction."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from scenemind.simulation.changes import Change
from scenemind.simulation.room import (
    Room,
    SimObject,
    find_surely_closest,
    stands_on_floor,
    surely_apart,
    surely_higher,
    surely_next_to,
    things_on,
)

QuestionKind = Literal[
    "exists",
    "count",
    "where",
    "on",
    "color",
    "closest",
    "ground",
    "verify",
    "wall",
    "changed",
]
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# Objects that hang on a wall; a door or window is part of it.
_HANGING = frozenset({"picture", "mirror", "clock"})
_STRONG_COLORS = frozenset({"black", "red", "blue", "green", "yellow", "orange", "purple"})
_ABSENT_LABELS = ("bathtub", "bicycle", "toaster")
# A shelf is drawn with books that are no objects: their number is ambiguous.
_UNCOUNTABLE_LABELS = frozenset({"book"})


@dataclass(frozen=True, slots=True)
class Question:
    """A question or referring expression with its answer.

    Attributes:
        text: the sentence; for `ground` a phrase that refers to one object.
        kind: of the question.
        expected: words of a right answer: "yes", "4", "dining table", "red", all labels of "on".
        target_ids: instance ids of the objects that are asked about; empty for absent ones.
    """

    text: str
    kind: QuestionKind
    expected: tuple[str, ...]
    target_ids: tuple[int, ...]

    def is_answered_by(self, text: str, instance_ids: Sequence[int] = ()) -> bool:
        """Whether a reply is right.

        Args:
            text: the sentence; "Not for sure:" before it does not count.
            instance_ids: instance ids of the objects that it names, best first (see
                `MatchTable.instance_of`); "closest" and "ground" are judged by them alone.
        """
        words = re.findall(r"[a-z0-9]+", re.sub(r"^not for sure[^:]*: ", "", text.lower()))
        if self.kind in ("closest", "ground"):
            return tuple(instance_ids[:1]) == self.target_ids
        if self.kind in ("exists", "verify"):
            return words[:1] == list(self.expected)
        if self.kind == "count":
            return _first_number(words) == int(self.expected[0])
        sentence = f" {' '.join(words)} "
        return all(f" {word} " in sentence for word in self.expected)


def _first_number(words: list[str]) -> int | None:
    for word in words:
        if word.isdigit():
            return int(word)
        if word in _NUMBERS:
            return _NUMBERS.index(word)
    return None


def is_on(room: Room, unique: Sequence[SimObject]) -> Iterator[Question]:
    """Questions about an object and its support, and about the same object and another one."""
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
    """Questions about two objects, one of which is above the other's top."""
    for item in unique:
        lower = [other for other in unique if surely_higher(item, other)]
        for first, second in permutations((item, *lower[:1])) if lower else ():
            answer = "yes" if first == item else "no"
            text = f"Is the {first.label} higher than the {second.label}?"
            yield Question(text, "verify", (answer,), (first.instance_id,))


def on_the_wall(room: Room, known: Mapping[str, list[SimObject]]) -> Iterator[Question]:
    """A question about the objects that hang on the walls."""
    hanging = [o for o in room.objects if o.on_wall and o.label in _HANGING]
    if hanging and all(item.label in known for item in hanging):
        labels = tuple(sorted({item.label for item in hanging}))
        ids = tuple(item.instance_id for item in hanging)
        yield Question("What is hanging on the wall?", "wall", labels, ids)


def make_questions(room: Room, seen: Collection[int] | None = None) -> tuple[Question, ...]:
    """All questions about a room, by kind.

    Args:
        seen: instance ids of the objects that the camera saw well; others are not asked about.
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


def make_change_questions(changes: Sequence[Change], since: str = "") -> Iterator[Question]:
    """Questions about moved and removed objects; none where there are no changes.

    Args:
        since: a time before all changes, in words ("since 10:05"); empty: the last visit.
    """
    for kind in ("moved", "removed"):
        labels = tuple(sorted({c.before.label for c in changes if c.kind == kind}))
        ids = tuple(sorted(c.instance_id for c in changes if c.kind == kind))
        if labels:
            yield Question(f"What was {kind}{since and ' '}{since}?", "changed", labels, ids)
