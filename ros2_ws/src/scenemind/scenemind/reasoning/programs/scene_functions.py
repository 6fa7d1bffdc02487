"""The functions of this process that a program's calls end in: ids and words in, ids and words out.

A wrong name is answered with the right ones, since who wrote the program reads the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from rapidfuzz import fuzz, process

from scenemind.memory import MapObject, SceneMemoryError
from scenemind.memory.graph.relate import (
    OCLOCK,
    Related,
    query_relation,
    query_relation_agent,
    relate,
    relate_agent,
)
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery
from scenemind.memory.graph.relations import RELATION_NAMES, find_relation
from scenemind.reasoning.programs.arguments import thing_of, things_of, word_of, words_of
from scenemind.reasoning.programs.attribute_choice import UNKNOWN, best_candidate
from scenemind.reasoning.sandbox import ApiError
from scenemind.words.english import normal
from scenemind.words.label_index import LabelIndex
from scenemind.words.quoting import quoted, tame
from scenemind.words.thesaurus import Thesaurus
from scenemind.words.vocabulary import Vocabulary

ATTRIBUTES = ("lwh", "distance", "color", "shape", "material")
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
    """Of one scene, seen from one place.

    Attributes:
        by_name: as the prelude calls them.
    """

    def __init__(
        self, things: Sequence[MapObject], names: Mapping[int, str], context: RelationContext
    ) -> None:
        """
        Args:
            names: id -> category, of all things.
        """
        self._things = {thing.object_id: thing for thing in things}
        self._names = names
        self._context = context
        self._spoken_of: list[int] = []
        self.by_name: Mapping[str, Callable[..., Any]] = {
            "_categories": self._categories,
            "_relate": self._relate,
            "_relate_agent": self._relate_agent,
            "_query_relation": self._query_relation,
            "_query_relation_agent": self._query_relation_agent,
            "_query_attribute": self._query_attribute,
        }

    def take_spoken_of(self) -> tuple[int, ...]:
        """See `SceneApi`."""
        latest_first = tuple(dict.fromkeys(reversed(self._spoken_of)))
        self._spoken_of.clear()
        return latest_first

    @cached_property
    def distances_m(self) -> dict[int, float]:
        """Id -> distance from the viewpoint; empty where that is not known."""
        if self._context.viewpoint is None:
            return {}
        query = RelationQuery([*self._things.values()], None, self._context)
        return dict(zip(self._things, query.distances_m().round(3).tolist(), strict=True))

    def _categories(self, category: Any) -> list[str]:
        """Those that a word names: itself in another spelling or a synonym, else kinds of it."""
        word = word_of(category, "filter(object_set, category): category")
        known = sorted(set(self._names.values()))
        wanted = normal(word)
        names = {wanted} | Thesaurus.load().synonyms(wanted)
        if same := [name for name in known if normal(name) in names]:
            return same
        if kinds := Vocabulary.load().strict(wanted, LabelIndex(known)):
            return [match.label for match in kinds]
        near = Vocabulary.load().suggest(word, known, _SUGGESTED)
        raise ApiError(
            f"filter(object_set, category): category must be one of"
            f" {_listed(known)}, not {quoted(word)}{_did_you_mean(near)}"
        )

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
            return self._ids(relate_agent(things_of(ids, self._things), name, self._context))

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
            return query_relation_agent(thing, candidates, self._context)

    def _query_attribute(self, thing_id: Any, attribute: Any, values: Any) -> str | float:
        name = word_of(attribute, "attribute_type")
        if name == "distance":
            self._check_place()
            return self.distances_m[thing_of(thing_id, self._things).object_id]
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
    """What the memory says of a call is for who wrote it."""
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
