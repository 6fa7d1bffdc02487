"""Draft of an expression: the things that it mentions, the links between them, and its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from scenemind.language.english import normal
from scenemind.language.lexicon import INDEFINITE, LOOKS, RANKS, SIDE_WORDS, SUPERLATIVES, VIEWERS
from scenemind.language.referring.chunks import ROWS, Chunk
from scenemind.language.relation_names import RELATION_NAMES
from scenemind.language.trees import (
    Condition,
    HasAttribute,
    NounPhrase,
    Rank,
    Reading,
    Reference,
    Related,
    Superlative,
    View,
    Viewer,
    ViewKind,
    noun_phrases,
)
from scenemind.language.verbalization import is_many
from scenemind.language.vocabulary import Thesaurus

# Index of the target before its mention is known.
TARGET = -1
# Subject of a fronted relation before it is known.
FRONTED = -2
# Bound on the time; real expressions have fewer.
_MOST_LINKS = 24
_MOST_DEPTH = 3
_PLACES: dict[str, Superlative] = {
    "left": "leftmost",
    "right": "rightmost",
    "front": "frontmost",
    "back": "rearmost",
    "top": "highest",
    "bottom": "lowest",
    "middle": "middle",
    "upper": "highest",
    "lower": "lowest",
}
# The top of a group is that of a plan where all are level, but of rows their height.
_ON_PLAN: dict[str, Superlative] = {**_PLACES, "top": "topmost", "bottom": "bottommost"}
_IN_ROOM = {"corner": "in the corner of", "room middle": "in the middle of"}
_ALONE = "alone"
_COMPARING: dict[str, Superlative] = {"closest": "closest", "farthest": "farthest"}
_OTHERS = {"closest": "farthest", "farthest": "closest"}
_OWNING = ("with", "without", "supports")
# Before a side "farthest" means how far to it: "the furthest left chair".
_FARTHEST = [word for word, name in SUPERLATIVES.items() if name == "farthest"]
_NEAREST = [word for word, name in SUPERLATIVES.items() if name == "closest"]
_SIDES = {**SIDE_WORDS, **dict.fromkeys(_NEAREST, "front"), **dict.fromkeys(_FARTHEST, "back")}
_SIDES |= {side: side for side in ("upper", "lower")}  # of two tables on the floor, too
# What is true of the anchor where a relation is true of its subject.
INVERSE = {
    **{name: relation.inverse or name for name, relation in RELATION_NAMES.items()},
    "closest": "near",
    "farthest": "far",
}
Marks = Callable[[str], tuple[Condition, ...]]
"""Conditions that a mark such as "@1" stands for among the words of an expression."""


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between mentions, by their indices; or the place of one in the room or in its
    group: "on the left", "in the corner".

    Attributes:
        predicate: a value of `lexicon.FREE_RELATIONS`; of a place a side, "corner", "room middle"
            or "alone".
        anchors: two for "between", none for a place, else one.
        order: 2 for "second closest", "the second from the left".
    """

    subject: int
    predicate: str
    anchors: tuple[int, ...] = ()
    negated: bool = False
    order: int = 1


@dataclass(slots=True)
class Draft:
    """What is known of the expression so far.

    Attributes:
        marks: what marks among the words stand for.
        fronted: links and places before their subject: "in the corner is a lamp".
        orders: 2 for a mention said with "second"; 1 for the first row.
        things: mentions that are no noun phrases.
    """

    marks: Marks | None = None
    mentions: list[NounPhrase] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    places: list[Link] = field(default_factory=list)
    view: tuple[ViewKind, int | None] | None = None
    target: int = TARGET
    fronted: list[Link] = field(default_factory=list)
    orders: dict[int, int] = field(default_factory=dict)
    things: dict[int, Reference] = field(default_factory=dict)

    def add(self, chunk: Chunk) -> int:
        """Index of a new mention."""
        self.mentions.append(mention_of(chunk, self.marks))
        index = len(self.mentions) - 1
        is_named = self.mentions[index] == NounPhrase(chunk.value, chunk.definite)
        is_viewer = chunk.value in VIEWERS and is_named  # but no robot of several
        if chunk.thing is not None:
            self.things[index] = chunk.thing
        elif is_viewer and chunk.words[0] not in INDEFINITE:
            self.things[index] = Viewer()
        self._place_by_traits(chunk, index)
        return index

    def merge(self, chunk: Chunk, index: int, *, negated: bool = False) -> None:
        """Add looks to a mention, and a noun if it had none.

        Args:
            negated: they are what it is not: "it is not black", "not the middle one".
        """
        if index == TARGET:
            index = self.target = len(self.mentions)
            self.mentions.append(NounPhrase(""))
        known, more = self.mentions[index], mention_of(chunk, self.marks)
        if negated:
            looks = tuple(replace(look, negated=True) for look in more.conditions)
            ranks = tuple(replace(rank, negated=True) for rank in more.ranks)
            more = replace(more, noun="", conditions=looks, ranks=ranks)
        is_one_of_them = bool(chunk.value) and not (chunk.plural or negated)
        self.mentions[index] = replace(
            known,
            noun=known.noun or more.noun,
            count=None if is_one_of_them else known.count,
            conditions=tuple(dict.fromkeys((*known.conditions, *more.conditions))),
            ranks=tuple(dict.fromkeys((*known.ranks, *more.ranks))),
            unread=tuple(dict.fromkeys((*known.unread, *more.unread))),
        )
        self._place_by_traits(chunk, index, negated=negated)

    def is_target_again(self, chunk: Chunk) -> bool:
        """Whether a noun chunk refers to the target again ("the chair")."""
        known = self.mentions[self.target].noun
        return not chunk.value or not known or is_called(known, chunk.value)

    def bind_fronted(self, index: int) -> None:
        """Attach fronted relations and places to a mention."""
        for link in self.fronted:
            if link.anchors:
                is_of_it = link.subject == FRONTED
                self.links.append(replace(link, subject=index) if is_of_it else link)
            elif index == self.target:
                self.places.append(replace(link, subject=index))
        self.fronted.clear()

    def set_view(self, kind: ViewKind, mention: int | None) -> None:
        """Set the viewpoint; one with a mention replaces one without."""
        if self.view is None or mention is not None:
            self.view = kind, mention

    def reading(self) -> Reading:
        """The finished tree; its target is an empty phrase where nothing was named, and nouns that
        nothing joins to it are left unread."""
        if self.target == TARGET and self.view is not None and self.view[1] is not None:
            self.target, self.view = self.view[1], None  # "look at the lamp"
        if self.target == TARGET:
            self.target = len(self.mentions)
            self.mentions.append(NounPhrase(""))
        if self.marks is None:
            self._name_the_nameless()
        self.links = list(map(self._with_target, self.links[:_MOST_LINKS]))
        self.places = list(map(self._with_target, self.places))
        self._order()
        view, whole = None, [self._phrase(self.target)]
        if self.view is not None:
            kind, index = self.view
            view = View(kind, None if index is None else self._phrase(index, (self.target,)))
            whole += [view.reference] if isinstance(view.reference, NounPhrase) else []
        read = {"", *(each.noun for phrase in whole for each in noun_phrases(phrase))}
        left = dict.fromkeys(thing.noun for thing in self.mentions if thing.noun not in read)
        return Reading(replace(whole[0], unread=(*whole[0].unread, *left)), view)

    def _phrase(self, index: int, above: tuple[int, ...] = ()) -> NounPhrase:
        """A mention with what is said of it, but for its links to mentions `above`."""
        said = self.mentions[index]
        conditions, ranks = list(said.conditions), list(said.ranks)
        placed = [at for at in self.places if at.subject == index]
        linked = list(self._links(index, above)) if len(above) <= _MOST_DEPTH else []
        for link in linked:
            if isinstance(link, Related) and said.definite and link.predicate == "far":
                ranks.append(Rank("farthest", 1, link.anchors[0]))  # one of several is meant
            elif isinstance(link, Related):
                conditions.append(link)
        for at in placed:
            if at.predicate in _IN_ROOM:
                room = NounPhrase("room", definite=True)
                conditions.append(Related(_IN_ROOM[at.predicate], (room,), at.negated))
            elif at.predicate == _ALONE:
                others = NounPhrase(said.noun, other=True)
                conditions.append(Related("far", (others,), at.negated))
        ends = [at for at in placed if at.predicate in _PLACES]
        sides = _ON_PLAN if self.marks is None and said.noun not in ROWS else _PLACES
        ranks[:0] = [Rank(sides[at.predicate], at.order, negated=at.negated) for at in ends]
        ranks[:0] = [link for link in linked if isinstance(link, Rank)]
        return replace(
            said, conditions=tuple(dict.fromkeys(conditions)), ranks=tuple(dict.fromkeys(ranks))
        )

    def _links(self, index: int, above: tuple[int, ...]) -> Iterator[Related | Rank]:
        """Relations of a mention to others, and of others to it, which are turned around.

        "Without a chair under it" is one relation, not two.
        """
        inside = (*above, index)
        turned = [k for k in self.links if k.anchors == (index,) and k.subject not in inside]
        of_others = {link.subject for link in turned}
        absent = {
            link.anchors[0]
            for link in self.links
            if link.subject == index and link.negated != (link.predicate == "without")
        }
        for link in self.links:
            if link.subject == index and not set(link.anchors) & set(inside):
                if link.predicate in _OWNING and link.anchors[0] in of_others:
                    continue
                anchors = (self.things.get(at) or self._phrase(at, inside) for at in link.anchors)
                yield _relation(link, tuple(anchors))
            elif link in turned:
                inverse = INVERSE.get(link.predicate, link.predicate)
                negated = link.negated != (link.subject in absent)
                yield Related(inverse, (self._phrase(link.subject, inside),), negated)

    def _order(self) -> None:
        """Count rows from the front and the target from the left, where nothing says from where:
        "the third row", "the second chair"."""
        said = {at.subject for at in self.places}
        said |= {link.subject for link in self.links if link.predicate in _COMPARING}
        for index, order in self.orders.items():
            is_row = self.mentions[index].noun in ROWS
            if index not in said and (is_row or index == self.target):
                self.places.append(Link(index, "front" if is_row else "left", order=order))

    def _with_target(self, link: Link) -> Link:
        """A link to the target, which is known now."""
        ends = (self.target if end == TARGET else end for end in (link.subject, *link.anchors))
        subject, *anchors = ends
        return replace(link, subject=subject, anchors=tuple(dict.fromkeys(anchors)))

    def _name_the_nameless(self) -> None:
        """Give a noun to "the one on the left" after "facing the two windows", and to "another
        one"."""
        target = self.mentions[self.target]
        if not target.noun:
            named = [m for m in self.mentions if is_many(m) and m.noun not in ("", "walls")]
            if self.view is not None and self.view[1] is not None:
                named.append(self.mentions[self.view[1]])
            if named:
                target = self.mentions[self.target] = replace(target, noun=named[0].noun)
        for index, mention in enumerate(self.mentions):
            if mention.other and not mention.noun:
                self.mentions[index] = replace(mention, noun=target.noun)

    def _place_by_traits(self, chunk: Chunk, index: int, *, negated: bool = False) -> None:
        """Add places said before the noun: "the left chair", "the second shelf from the top"."""
        said = [trait for trait in chunk.traits if trait in _SIDES]
        if any(trait in SIDE_WORDS for trait in said):
            said = [trait for trait in said if trait not in _FARTHEST]
        sides = [_SIDES[trait] for trait in said]
        is_counted = chunk.order > 1 or (chunk.order and not sides and chunk.value in ROWS)
        if is_counted and not any(map(_is_superlative, chunk.traits)):  # "the second largest"
            self.orders[index] = chunk.order
        self.places.extend(Link(index, side, (), negated, chunk.order or 1) for side in sides)


def mention_of(chunk: Chunk, marks: Marks | None) -> NounPhrase:
    """A noun chunk with its looks and what its marks stand for, without its places."""
    no_looks = {"other", "far", *_SIDES}
    words = [word for word in chunk.traits if word not in no_looks and word[0] != "@"]
    looks = [_look(word, chunk.order or 1) for word in words]
    marked = [c for word in chunk.traits if marks and word[0] == "@" for c in marks(word)]
    said = (*looks, *marked, *chunk.conditions)
    return NounPhrase(
        chunk.value,
        chunk.definite,
        count=chunk.number,
        conditions=tuple(part for part in said if not isinstance(part, Rank | str)),
        ranks=tuple(part for part in said if isinstance(part, Rank)),
        other="other" in chunk.traits,
        unread=tuple(part for part in said if isinstance(part, str)),
        of_speaker=chunk.of_speaker,
        bound=chunk.bound,
    )


def _look(word: str, order: int) -> HasAttribute | Rank | str:
    """A word on looks as a condition or a superlative; the word itself for any other."""
    if word in RANKS:
        return Rank(RANKS[word], order if _is_superlative(word) else 1)
    return HasAttribute(*LOOKS[word]) if word in LOOKS else word


def _is_superlative(word: str) -> bool:
    """Whether a word counts things by a measure: "largest", but not "larger"."""
    return word in RANKS and word.endswith("est")


def is_called(noun: str, other: str) -> bool:
    """Whether two nouns share a head or are synonyms ("trash can" and "bin")."""
    if _head(noun) == _head(other):
        return True
    return normal(other) in Thesaurus.load().synonyms(normal(noun))


def _head(noun: str) -> str:
    return normal(noun).split(" ")[-1]


def _relation(link: Link, anchors: tuple[Reference, ...]) -> Related | Rank:
    name = link.predicate
    if name in _COMPARING:
        superlative = _COMPARING[_OTHERS[name] if link.negated else name]
        return Rank(superlative, link.order, anchors[0])
    if name == "without":
        return Related("with", anchors, not link.negated)
    return Related(name, anchors, link.negated)
