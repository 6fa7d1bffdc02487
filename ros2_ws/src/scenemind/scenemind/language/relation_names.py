"""Names of spatial relations, their spellings and their inverses.

The set is that of SynergAI (appendix, Table A.1) and LLM-TPC (supplement, 1.1.4); their spellings
and Sr3D's are forms of one canonical name each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RelationCategory = Literal["vertical", "horizontal", "allocentric"]
_HOURS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_SPELLING = str.maketrans({"\u2019": "'", "-": " ", "_": " "})


@dataclass(frozen=True, slots=True)
class RelationName:
    """One relation, read as "subject name object".

    Attributes:
        name: the canonical spelling.
        inverse: what is then true of object and subject; the same name for a symmetric relation,
            None where nothing is ("a is the closest to b" says nothing of b).
        stored: kept by the scene graph; else computed when asked for.
        one_way: a stored relation whose inverse is answered and not stored.
        forms: other spellings, of the papers and of people.
    """

    name: str
    category: RelationCategory
    inverse: str | None
    stored: bool
    one_way: bool
    forms: tuple[str, ...] = ()


def _carried(name: str, inverse: str, *forms: str) -> RelationName:
    return RelationName(name, "vertical", inverse, stored=True, one_way=True, forms=forms)


def _carries(name: str, inverse: str, *forms: str) -> RelationName:
    return RelationName(name, "vertical", inverse, stored=False, one_way=False, forms=forms)


def _stored(name: str, category: RelationCategory, inverse: str, *forms: str) -> RelationName:
    return RelationName(name, category, inverse, stored=True, one_way=False, forms=forms)


def _asked(name: str, category: RelationCategory, inverse: str | None, *forms: str) -> RelationName:
    return RelationName(name, category, inverse, stored=False, one_way=False, forms=forms)


def _oclock(hour: int) -> RelationName:
    opposite = (hour + 5) % 12 + 1
    word = _HOURS[hour - 1]
    forms = (f"{word} o'clock", f"{hour} oclock", f"{word} oclock", f"{hour} o clock")
    return _asked(f"{hour} o'clock", "allocentric", f"{opposite} o'clock", *forms)


_TABLE = (
    _carried("on", "supports", "on top of", "upon", "atop", "supported by", "standing on"),
    _carried("inside", "contains", "in", "inside of", "within"),
    _carried("embedded in", "embeds", "embedded"),
    _carried("hanging on", "hung with", "hanging from", "hung on", "hang on"),
    _carried("mounted on", "mounted with", "mounted to"),
    _carried("affixed on", "affixed with", "affixed to", "attached to", "fixed on"),
    _carries("supports", "on", "support", "supporting"),
    _carries("contains", "inside", "containing"),
    _carries("embeds", "embedded in", "embed"),
    _carries("hung with", "hanging on"),
    _carries("mounted with", "mounted on"),
    _carries("affixed with", "affixed on"),
    _stored("above", "vertical", "below", "over"),
    _stored("below", "vertical", "above", "under", "beneath", "underneath"),
    _asked("higher than", "vertical", "lower than", "higher"),
    _asked("lower than", "vertical", "higher than", "lower"),
    _stored("next to", "horizontal", "next to", "adjacent to", "by"),
    _stored("besides", "horizontal", "besides", "beside", "alongside", "side by side with"),
    _stored("near", "horizontal", "near", "close to", "nearby", "near to"),
    _asked("far", "horizontal", "far", "far from", "far away from"),
    _asked("closest", "horizontal", None, "closest to", "nearest", "nearest to"),
    _asked(
        "farthest",
        "horizontal",
        None,
        *("farthest from", "furthest", "furthest from", "farthest away from"),
    ),
    _asked("within reach", "horizontal", "within reach", "within reach of"),
    _asked("around", "horizontal", "around"),
    _asked("between", "horizontal", None, "in between", "in the middle of"),
    _asked("left of", "allocentric", "right of", "left", "to the left of", "on the left of"),
    _asked("right of", "allocentric", "left of", "right", "to the right of", "on the right of"),
    _asked(
        "in front of",
        "allocentric",
        "behind",
        *("front", "in front", "infront", "is in front of", "forward", "forwards"),
    ),
    _asked(
        "behind",
        "allocentric",
        "in front of",
        *("back", "at the back of", "backward", "backwards"),
    ),
    *(_oclock(hour) for hour in range(1, 13)),
)


# Canonical name -> the relation.
RELATION_NAMES = {relation.name: relation for relation in _TABLE}


# Those that the scene graph keeps, in the order in which they are stated.
STORED = tuple(relation.name for relation in _TABLE if relation.stored)


# Those that say what carries, contains or embeds the subject: stored one way.
CARRYING = tuple(relation.name for relation in _TABLE if relation.one_way)


# Of those that are stated both ways: what is true the other way round.
INVERSE = {
    relation.name: relation.inverse
    for relation in _TABLE
    if relation.inverse is not None
    and not relation.one_way
    and not RELATION_NAMES[relation.inverse].one_way
}


_BY_FORM = {form: r for r in _TABLE for form in (r.name, *r.forms)}


def find_relation(text: str) -> RelationName | None:
    """The relation of this name or spelling; None where there is none."""
    return _BY_FORM.get(" ".join(text.lower().translate(_SPELLING).split()))
