"""Objects that a sentence mentions, or that a person points at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.language.vocabulary import Vocabulary
from scenemind.memory.types import KeyFrame, MapObject, MemorySnapshot

_LONGEST_NAME = 3  # words, as in "potted house plant"
_SURE_MENTION = (
    0.7  # the word itself, a synonym, its kind or what it is mixed up with; no misspelling
)
# Between names that are one list, such as "the cup or the glass".
_IN_A_LIST = frozenset(("and", "or", "the", "a", "an", "any", "my", "your"))


@dataclass(frozen=True, slots=True)
class MentionedObjects:
    """Ids of the objects that a text mentions, most confident first.

    Attributes:
        subjects: objects mentioned first, and those in one list with them: questions mostly begin
            with the wanted object ("where is the cup on the table?").
        others: objects mentioned beside these.
    """

    subjects: tuple[int, ...]
    others: tuple[int, ...]


class MentionedLabels(NamedTuple):
    """Labels that a text mentions: its subjects, as of `MentionedObjects`, and the others."""

    subjects: frozenset[str]
    others: frozenset[str]


class _Name(NamedTuple):
    """The words from `first` up to, but not including, `after`, and the labels that they match."""

    first: int
    after: int
    labels: frozenset[str]
    score: float


def mentioned_objects(snapshot: MemorySnapshot, text: str) -> MentionedObjects:
    """The objects that a text mentions by a word for their label; see `mentioned_labels`."""
    named = mentioned_labels({thing.label for thing in snapshot.objects.values()}, text)
    return MentionedObjects(_called(named.subjects, snapshot), _called(named.others, snapshot))


def mentioned_labels(labels: Collection[str], text: str) -> MentionedLabels:
    """Those of the labels for which a text has a word; a longer name takes precedence over names
    within it ("coffee table" is no table)."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    subjects: set[str] = set()
    others: set[str] = set()
    end = None
    for name in _names(words, set(labels)):
        if end is None or (not others and _IN_A_LIST.issuperset(words[end : name.first])):
            subjects |= name.labels
        else:
            others |= name.labels
        end = name.after
    return MentionedLabels(frozenset(subjects), frozenset(others - subjects))


def objects_named(snapshot: MemorySnapshot, text: str) -> list[int]:
    """Ids of all mentioned objects, most confident first."""
    named = mentioned_objects(snapshot, text)
    ids = [*named.subjects, *named.others]
    return sorted(ids, key=lambda i: (-snapshot.objects[i].confidence, i))


def _names(words: Sequence[str], labels: set[str]) -> list[_Name]:
    """Names in their order; of overlapping ones the one of best score, and of equal ones the
    longest."""
    vocabulary = Vocabulary.load()
    found = []
    for first in range(len(words)):
        for after in range(first + 1, min(first + _LONGEST_NAME, len(words)) + 1):
            matches = vocabulary.match(" ".join(words[first:after]), labels)
            named = frozenset(match.label for match in matches if match.score >= _SURE_MENTION)
            if named:
                found.append(_Name(first, after, named, matches[0].score))
    kept: list[_Name] = []
    for name in sorted(found, key=lambda name: (-name.score, name.first - name.after)):
        if all(name.after <= other.first or other.after <= name.first for other in kept):
            kept.append(name)
    return sorted(kept, key=lambda name: name.first)


def _called(labels: Collection[str], snapshot: MemorySnapshot) -> tuple[int, ...]:
    things = [thing for thing in snapshot.objects.values() if thing.label in labels]
    surest_first = sorted(things, key=lambda thing: -thing.confidence)
    return tuple(thing.object_id for thing in surest_first)


def find_object_on_ray(
    objects: Sequence[MapObject], origin: ArrayLike, direction: ArrayLike
) -> tuple[MapObject, NDArray[np.float64]] | None:
    """The nearest object whose box a ray enters, and the point (3,) where it enters.

    Slab test of the ray against the axis-aligned hulls of all boxes at once. Boxes around the
    origin are skipped: a person does not point at a box around themselves.

    Args:
        origin: (3,) world, metres.
        direction: (3,) world, any finite length but zero.
    """
    if not objects:
        return None
    start = np.asarray(origin, dtype=np.float64)
    way = np.asarray(direction, dtype=np.float64)
    way = way / np.abs(way).max()  # whose squares are finite
    way = way / np.linalg.norm(way)
    bounds = np.array([thing.box.bounds() for thing in objects])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # infinitely far is far
        to_planes = (bounds - start) / way
    # 0/0: the ray runs within a side's plane, so that side never ends it.
    entries = np.nan_to_num(to_planes.min(axis=1), nan=-np.inf).max(axis=1)
    exits = np.nan_to_num(to_planes.max(axis=1), nan=np.inf).min(axis=1)
    distances = np.where((entries > 0.0) & (entries <= exits), entries, np.inf)
    nearest = int(distances.argmin())
    if not np.isfinite(distances[nearest]):
        return None
    return objects[nearest], start + distances[nearest] * way


def find_object_in_view(key_frame: KeyFrame, u_px: float, v_px: float) -> int | None:
    """The id of the smallest detected box around a pixel: the cup rather than its table."""
    areas = {
        object_id: (x1 - x0) * (y1 - y0)
        for object_id, (x0, y0, x1, y1) in key_frame.boxes_px.items()
        if x0 <= u_px <= x1 and y0 <= v_px <= y1
    }
    return min(areas, key=areas.__getitem__) if areas else None
