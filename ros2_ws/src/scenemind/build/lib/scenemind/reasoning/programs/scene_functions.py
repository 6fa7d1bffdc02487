"""The host functions of the scene API: ids and words in, ids and words out.

The error for a wrong name lists the right ones, since the author of the program reads it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

import cv2
import numpy as np
from rapidfuzz import fuzz, process

from scenemind.language.english import normal, word_set
from scenemind.language.quoting import quoted, tame
from scenemind.language.vocabulary import LabelIndex, Thesaurus, Vocabulary
from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.finding.object_index import words_in
from scenemind.memory.graph.relation_query import (
    OCLOCK,
    Related,
    RelationContext,
    RelationQuery,
    query_relation,
    query_relation_agent,
    relate,
    relate_agent,
)
from scenemind.memory.graph.relations import RELATION_NAMES, find_relation
from scenemind.reasoning.frame_choice import Wanted
from scenemind.reasoning.programs.looks import Looks
from scenemind.reasoning.sandbox import ApiError

ATTRIBUTES = ("lwh", "distance", "angle", "color", "shape", "material")
_OF_SCENE = ("color", "shape", "material", "state")
_NO_PLACE = (
    "where you stand is not known, so nothing can be asked that depends on it: use relate() and"
    " query_relation() with an object in place of yourself"
)
_HOURS = "1 o'clock, ..., 12 o'clock"
_SPELLINGS = {form: r.name for r in RELATION_NAMES.values() for form in (r.name, *r.forms)}
_ALIKE = 70.0  # of 100
_NAMED_CATEGORIES, _SUGGESTED = 100, 3


class SceneFunctions:
    """The host functions for one scene and viewpoint.

    Attributes:
        by_name: functions by their names in the prelude.
        kinds: what programs filtered for, in their words -> the categories that it means; none
            where the map has nothing of it.
        partly_seen: questions of looks whose pictures did not show all of it.
    """

    def __init__(
        self,
        things: Sequence[MapObject],
        names: Mapping[int, str],
        context: RelationContext,
        looks: Looks | None = None,
    ) -> None:
        """
        Args:
            names: id -> category, of all things.
            looks: None: programs cannot look at pictures.
        """
        self._things = {thing.object_id: thing for thing in things}
        self._names = names
        self._context = context
        self._looks = looks
        self._spoken_of: list[int] = []
        self._from_here: list[int] = []
        self.kinds: dict[str, tuple[str, ...]] = {}
        self.partly_seen: list[str] = []
        self.by_name: Mapping[str, Callable[..., Any]] = {
            "_categories": self._categories,
            "_relate": self._relate,
            "_relate_agent": self._relate_agent,
            "_query_relation": self._query_relation,
            "_query_relation_agent": self._query_relation_agent,
            "_query_attribute": self._query_attribute,
            "_look": self._look,
        }

    def take_spoken_of(self) -> tuple[int, ...]:
        """See `SceneApi`."""
        latest_first = tuple(dict.fromkeys(reversed(self._spoken_of)))
        self._spoken_of.clear()
        return latest_first

    def take_from_here(self) -> list[str]:
        """The objects that were placed relative to the viewer since this was called last, the
        latest first: each with its distance and signed angle."""
        ids = list(dict.fromkeys(reversed(self._from_here)))
        self._from_here.clear()
        return [
            f"{self._names[i]} {i}: {self.distances_m[i]:.1f} m, {self.angles_deg[i]:+.0f} deg"
            for i in ids
        ]

    @cached_property
    def angles_deg(self) -> dict[int, float]:
        """Id -> angle of its centre from straight ahead, clockwise, in (-180, 180]; empty where
        the viewpoint is not known."""
        viewer = self._context.viewpoint
        if viewer is None:
            return {}
        centers = np.array([thing.box.center[:2] for thing in self._things.values()])
        way = centers.reshape(-1, 2) - viewer.position[:2]
        angles = np.degrees(np.arctan2(way @ viewer.right, way @ viewer.ahead))
        return dict(zip(self._things, angles.round(1).tolist(), strict=True))

    @cached_property
    def distances_m(self) -> dict[int, float]:
        """Id -> distance from the viewpoint; empty where that is not known."""
        if self._context.viewpoint is None:
            return {}
        query = RelationQuery([*self._things.values()], None, self._context)
        return dict(zip(self._things, query.distances_m().round(3).tolist(), strict=True))

    def _categories(self, category: Any) -> list[str]:
        """Categories that a word means: itself in another spelling, synonyms, else subclasses."""
        word = word_of(category, "filter(object_set, category): category")
        known = sorted(set(self._names.values()))
        found = self._called(word, known)
        self.kinds[tame(word)] = tuple(found)
        if found:
            return found
        near = Vocabulary.load().suggest(word, known, _SUGGESTED)
        raise ApiError(
            f"filter(object_set, category): category must be one of"
            f" {_listed(known)}, not {quoted(word)}{_did_you_mean(near)}"
        )

    @staticmethod
    def _called(word: str, known: Sequence[str]) -> list[str]:
        wanted = normal(word)
        names = {wanted} | Thesaurus.load().synonyms(wanted)
        if same := [name for name in known if normal(name) in names]:
            return same
        return [match.label for match in Vocabulary.load().strict(wanted, LabelIndex(known))]

    def _look(self, question: Any, ids: Any, words: Any, places: Any) -> str:
        call = "look(question, about)"
        asked = word_of(question, f"{call}: question")
        if not asked.strip():
            raise ApiError(f"{call}: question must say what is to be looked for")
        if self._looks is None:
            raise ApiError(f"{call}: no vision model is configured, so nothing can be looked at")
        things = things_of(ids, self._things)
        kinds = words_of(words, f"{call}: about")
        points = [thing.box.center for thing in things]
        points += [_point(place if isinstance(place, Sequence) else ()) for place in places]
        self._spoken_of += [thing.object_id for thing in things]
        looked = self._looks.look(
            asked, Wanted((*(t.object_id for t in things), *kinds), places=tuple(points))
        )
        if not looked.complete:
            self.partly_seen.append(tame(asked))
        return looked.answer

    def _relate(self, ids: Any, anchors: Any, relation: Any) -> list[int]:
        with _teaching("relate(object_set, reference_object, relation)"):
            name = _relation(relation)
            ends = things_of(anchors, self._things)
            if len(ends) not in (1, 2):
                raise ApiError("reference_object must be one object, or two of them for between")
            anchor = (ends[0], ends[1]) if len(ends) == 2 else ends[0]
            return self._ids(relate(things_of(ids, self._things), anchor, name, self._context))

    def _relate_agent(self, ids: Any, relation: Any) -> list[int]:
        with _teaching("relate_agent(object_set, relation)"):
            name = _relation(relation)
            self._check_place()
            found = self._ids(relate_agent(things_of(ids, self._things), name, self._context))
            self._from_here += reversed(found)
            return found

    def _query_relation(self, thing_id: Any, anchor_id: Any, relations: Any) -> list[str]:
        with _teaching("query_relation(object, reference_object, candidate_relations)"):
            candidates = self._candidates(relations)
            thing, anchor = (thing_of(i, self._things) for i in (thing_id, anchor_id))
            self._spoken_of.append(thing.object_id)
            return query_relation(thing, anchor, candidates, self._context)

    def _query_relation_agent(self, thing_id: Any, relations: Any) -> list[str]:
        with _teaching("query_relation_agent(object, candidate_relations)"):
            candidates = self._candidates(relations)
            self._check_place()
            thing = thing_of(thing_id, self._things)
            self._spoken_of.append(thing.object_id)
            self._from_here.append(thing.object_id)
            return query_relation_agent(thing, candidates, self._context)

    def _query_attribute(self, thing_id: Any, attribute: Any, values: Any) -> str | float:
        name = word_of(attribute, "attribute_type")
        if name in ("distance", "angle"):
            self._check_place()
            of_things = self.distances_m if name == "distance" else self.angles_deg
            return of_things[thing_of(thing_id, self._things).object_id]
        if name not in _OF_SCENE:
            near = process.extract(name.lower(), ATTRIBUTES, score_cutoff=_ALIKE)
            raise ApiError(
                "query_attribute(object, attribute_type, candidate_attribute_values):"
                f" attribute_type must be one of {', '.join(ATTRIBUTES)}, not {quoted(name)}"
                f"{_did_you_mean([known for known, _, _ in near])};"
                " object.xyz is the position, and query_state() tells states"
            )
        thing = thing_of(thing_id, self._things)
        candidates = words_of(values, "candidates")
        self._spoken_of.append(thing.object_id)
        if candidates:
            return best_candidate(thing, name, candidates)
        return tame(thing.attributes.get(name, "")) or UNKNOWN

    def _candidates(self, relations: Any) -> list[str]:
        words = words_of(relations, "candidate_relations")
        for word in words:
            _relation(word, OCLOCK)
        return words

    def _ids(self, found: Sequence[Related]) -> list[int]:
        ids = [related.thing.object_id for related in found]
        self._spoken_of += reversed(ids)
        return ids

    def _check_place(self) -> None:
        if self._context.viewpoint is None:
            raise ApiError(_NO_PLACE)


@contextmanager
def _teaching(call: str) -> Iterator[None]:
    """Turns errors of the memory into `ApiError`s with the name of the call."""
    try:
        yield
    except SceneMemoryError as error:
        raise ApiError(f"{call}: {error}") from error


def _relation(relation: Any, also: str = "") -> str:
    """
    Raises:
        ApiError: there is no such relation.
    """
    word = word_of(relation, "relation")
    if find_relation(word) is not None or (also and word == also):
        return word
    near = process.extract(word.lower(), list(_SPELLINGS), scorer=fuzz.WRatio, score_cutoff=_ALIKE)
    names = dict.fromkeys(_SPELLINGS[form] for form, _, _ in near)
    known = [name for name in RELATION_NAMES if not name.endswith(OCLOCK)]
    raise ApiError(
        f"relation must be one of {', '.join(known)}, {_HOURS}, not {quoted(word)}"
        f"{_did_you_mean(list(names)[:_SUGGESTED])}"
    )


def _listed(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > _NAMED_CATEGORIES else ""
    return f"[{', '.join(map(quoted, names[:_NAMED_CATEGORIES]))}{more}]"


def _did_you_mean(names: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(map(quoted, names))}?" if names else ""


_LONGEST = 200  # characters of a word
_MOST_WORDS = 100


def word_of(value: Any, name: str) -> str:
    """A word from a program.

    Raises:
        ApiError: it is no word, or so long that it is none.
    """
    if not isinstance(value, str):
        raise ApiError(f"{name} must be a str, got {type(value).__name__}")
    if len(value) > _LONGEST:
        raise ApiError(
            f"{name} must have at most {_LONGEST} characters, {quoted(value, 20)} has {len(value)}"
        )
    return value


def words_of(values: Any, name: str) -> list[str]:
    """A list of words from a program.

    Raises:
        ApiError: they are no words, or too many.
    """
    if not isinstance(values, list):
        raise ApiError(f"{name} must be a list of str, got {type(values).__name__}")
    if len(values) > _MOST_WORDS:
        raise ApiError(f"{name} must have at most {_MOST_WORDS} members, got {len(values)}")
    return [word_of(value, f"every member of {name}") for value in values]


def thing_of(thing_id: Any, things: Mapping[int, MapObject]) -> MapObject:
    """The object of an id from a program.

    Raises:
        ApiError: there is no such object: programs can make up, or change, objects of their own.
    """
    thing = things.get(thing_id) if isinstance(thing_id, int) else None
    if thing is None:
        raise ApiError("there is no such object in the scene: take objects from scene()")
    return thing


def _point(place: Sequence[Any]) -> tuple[float, float, float]:
    """
    Raises:
        ApiError: it is no point.
    """
    numbers = [v for v in place if isinstance(v, (int, float)) and math.isfinite(v)]
    if len(numbers) == len(place) == 3:
        return numbers[0], numbers[1], numbers[2]
    raise ApiError("look(question, about): a place is [x, y, z] in meters")


def things_of(ids: Any, things: Mapping[int, MapObject]) -> list[MapObject]:
    """The objects of ids, each once.

    Raises:
        ApiError: one of them is not there.
    """
    if not isinstance(ids, Sequence):
        raise ApiError(f"objects must be given in a set, got {type(ids).__name__}")
    found = [thing_of(thing_id, things) for thing_id in ids]
    return list({thing.object_id: thing for thing in found}.values())


UNKNOWN = "unknown"
_DENIALS = word_set("not no never without")
# Colours that differ more are no names for one surface (CIELAB, as in "brown" and "orange").
_SAME_SURFACE = 40.0
# Width by length.
_SQUARE = 0.85


def best_candidate(thing: MapObject, name: str, candidates: Sequence[str]) -> str:
    """The candidate that agrees with an attribute of an object, in the same or in other words; of
    colours the most similar one. The attribute's own value where none agrees, and "unknown" where
    it has none.

    Without the attribute, other attributes that a model or a person gave count.

    Args:
        name: such as color, shape, material, state.
        candidates: at least one.
    """
    value = tame(thing.attributes.get(name, "")).lower()
    scores = [_said(value, candidate) for candidate in candidates]
    if max(scores) == 0.0 and name == "color" and value:
        nearest = min(candidates, key=lambda candidate: color_distance(value, candidate))
        return nearest if color_distance(value, nearest) <= _SAME_SURFACE else value
    if max(scores) == 0.0 and not value:
        others = [thing.attributes.get(key, "") for key in sorted(thing.attribute_sources)]
        scores = [max((_said(o, c) for o in others), default=0.0) for c in candidates]
    if max(scores) == 0.0:
        return value or UNKNOWN
    best = [c for c, score in zip(candidates, scores, strict=True) if score == max(scores)]
    if name == "shape":  # one word for both
        best.sort(key=lambda candidate: ("square" in candidate.lower()) != _is_square(thing))
    return best[0]


def _is_square(thing: MapObject) -> bool:
    """Whether an object is square, seen from above."""
    length, width, _ = thing.yaw_box.size
    return min(length, width) >= _SQUARE * max(length, width)


def _said(value: str, candidate: str) -> float:
    """Share of a candidate's words in a value, a little less for synonyms, in [0, 1]."""
    said, wanted = set(words_in(value)), words_in(candidate)
    if not wanted or said & _DENIALS:
        return 0.0
    return sum(_said_word(word, said) for word in wanted) / len(wanted)


def _said_word(word: str, said: set[str]) -> float:
    if word in said:
        return 1.0
    return 0.9 if Thesaurus.load().attribute_words(word) & said else 0.0


# A typical surface of each name, sRGB.
_TYPICAL = {
    "black": (25, 25, 25), "dark grey": (70, 70, 70), "grey": (128, 128, 128),
    "light grey": (190, 190, 190), "white": (245, 245, 245), "silver": (180, 182, 185),
    "dark red": (110, 20, 20), "red": (200, 35, 35), "maroon": (110, 25, 35),
    "pink": (240, 150, 175), "orange": (235, 130, 40), "gold": (205, 165, 60),
    "dark brown": (65, 42, 28), "brown": (120, 78, 48), "light brown": (170, 125, 85),
    "beige": (215, 195, 165), "tan": (200, 170, 130), "cream": (240, 228, 200),
    "yellow": (240, 215, 60), "dark green": (25, 75, 35), "green": (50, 140, 60),
    "light green": (150, 215, 140), "turquoise": (60, 190, 185), "teal": (20, 125, 125),
    "dark blue": (25, 35, 95), "navy": (20, 25, 85), "blue": (50, 90, 190),
    "light blue": (145, 190, 230), "dark purple": (65, 25, 85), "purple": (125, 60, 150),
    "light purple": (190, 155, 215),
}  # fmt: skip
_SPELLED = (("gray", "grey"), ("violet", "purple"), ("cyan", "turquoise"), ("wooden", "brown"))


def color_distance(one: str, other: str) -> float:
    """Distance in CIELAB (CIE 1976) between the closest two of the colours that each text names
    ("black and red"); infinite where one names no known colour."""
    pairs = [(a, b) for a in _named(one) for b in _named(other)]
    return min((math.dist(_lab(a), _lab(b)) for a, b in pairs), default=math.inf)


def _named(text: str) -> list[str]:
    text = text.lower()
    for spelled, usual in _SPELLED:
        text = text.replace(spelled, usual)
    parts = (part.strip() for part in text.split(" and "))
    return [part if part in _TYPICAL else part.split(" ")[-1] for part in parts if _is_known(part)]


def _is_known(part: str) -> bool:
    return part in _TYPICAL or part.split(" ")[-1] in _TYPICAL


@cache
def _lab(name: str) -> tuple[float, float, float]:
    rgb = np.array([[_TYPICAL[name]]], np.float32) / np.float32(255.0)
    lightness, a, b = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)[0, 0].tolist()
    return lightness, a, b
