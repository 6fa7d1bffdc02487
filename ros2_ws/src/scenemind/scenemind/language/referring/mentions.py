"""Mentions of things in an expression, the links between them, and the tree that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from scenemind.language.lexicon import LOOKS, RANKS, VIEWERS
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

_MOST_DEPTH = 3
_PLACES: dict[str, Superlative] = {
    "left": "leftmost",
    "right": "rightmost",
    "front": "frontmost",
    "back": "rearmost",
    "top": "highest",
    "bottom": "lowest",
    "middle": "middle",
}
_IN_ROOM = {"corner": "in the corner of", "room middle": "in the middle of"}
_ALONE = "alone"
_COMPARING: dict[str, Superlative] = {"closest": "closest", "farthest": "farthest"}
_OTHERS = {"closest": "farthest", "farthest": "closest"}
_OWNING = ("with", "without")
# What is true of the anchor where a relation is true of its subject.
_INVERSE = {
    **{name: relation.inverse or name for name, relation in RELATION_NAMES.items()},
    "closest": "near",
    "farthest": "far",
}


Marks = Callable[[str], tuple[Condition, ...]]
"""Conditions that a mark such as "@1" stands for among the words of an expression."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that is mentioned.

    Attributes:
        noun: as said; empty for "one" or "object".
        traits: words for its look ("black", "round", "large", "largest").
        without: words for looks that it does not have.
        plural: whether it is several things. other: said with "another" or "other".
    """

    noun: str
    traits: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    plural: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between mentions, by their indices.

    Attributes:
        predicate: a value of `lexicon.FREE_RELATIONS`.
        anchors: two for "between", else one.
        order: 2 for "second closest".
    """

    subject: int
    predicate: str
    anchors: tuple[int, ...]
    negated: bool = False
    order: int = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """Place of a mention in the room or in its group: "on the left", "in the corner".

    Attributes:
        place: a side, "corner", "room middle" or "alone".
        order: 2 for "the second from the left".
    """

    subject: int
    place: str
    order: int = 1
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Mentions:
    """All that an expression mentions.

    Attributes:
        target: index of the mention that is to be found.
        view: kind of viewpoint, and its mention; None for the room.
        marks: what the marks among the words stand for.
    """

    things: Sequence[Mention]
    target: int
    links: Sequence[Link]
    places: Sequence[Placed]
    view: tuple[ViewKind, int | None] | None
    marks: Marks | None = None

    def reading(self) -> Reading:
        """The tree of the target; nouns that nothing joins to it are left unread."""
        view = None
        if self.view is not None:
            kind, index = self.view
            seen = None if index is None else self._phrase(index, (self.target,))
            view = View(kind, seen)
        phrase = self._phrase(self.target)
        seen_from = view.reference if view is not None else None
        whole = [phrase] if seen_from is None else [phrase, seen_from]
        read = {each.noun for reference in whole for each in noun_phrases(reference)}
        left = dict.fromkeys(thing.noun for thing in self.things if thing.noun not in read)
        return Reading(replace(phrase, unread=(*phrase.unread, *filter(None, left))), view)

    def _phrase(self, index: int, above: tuple[int, ...] = ()) -> NounPhrase:
        """A mention with what is said of it, but for its links to mentions `above`."""
        said = self.things[index]
        words = [(word, False) for word in said.traits] + [(word, True) for word in said.without]
        looks = [_look(word, negated) for word, negated in words]
        conditions: list[Condition] = [look for look in looks if isinstance(look, HasAttribute)]
        if self.marks is not None:
            conditions += [c for word in said.traits if word[0] == "@" for c in self.marks(word)]
        ranks: list[Rank] = []
        if len(above) <= _MOST_DEPTH:
            found = list(self._links(index, above))
            conditions += [said for said in found if isinstance(said, Related)]
            ranks += [said for said in found if isinstance(said, Rank)]
        for at in self.places:
            if at.subject == index and at.place in _IN_ROOM:
                room = NounPhrase("room", definite=True)
                conditions.append(Related(_IN_ROOM[at.place], (room,), at.negated))
            elif at.subject == index and at.place == _ALONE:
                others = NounPhrase(said.noun, other=True)
                conditions.append(Related("far", (others,), at.negated))
            elif at.subject == index:
                ranks.append(Rank(_PLACES[at.place], at.order, negated=at.negated))
        ranks += [look for look in looks if isinstance(look, Rank)]
        unread = tuple(look for look in looks if isinstance(look, str) and look[0] != "@")
        return NounPhrase(
            said.noun,
            conditions=tuple(dict.fromkeys(conditions)),
            ranks=tuple(dict.fromkeys(ranks)),
            other=said.other,
            unread=unread,
        )

    def _anchor(self, index: int, above: tuple[int, ...]) -> NounPhrase | Viewer:
        is_asker = self.things[index].noun in VIEWERS
        return Viewer() if is_asker else self._phrase(index, above)

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
                yield _relation(link, tuple(self._anchor(at, inside) for at in link.anchors))
            elif link in turned:
                inverse = _INVERSE.get(link.predicate, link.predicate)
                negated = link.negated != (link.subject in absent)
                yield Related(inverse, (self._phrase(link.subject, inside),), negated)


def _relation(link: Link, anchors: tuple[Reference, ...]) -> Related | Rank:
    name = link.predicate
    if name in _COMPARING:
        superlative = _COMPARING[_OTHERS[name] if link.negated else name]
        return Rank(superlative, link.order, anchors[0])
    if name == "without":
        return Related("with", anchors, not link.negated)
    return Related(name, anchors, link.negated)


def _look(word: str, negated: bool) -> HasAttribute | Rank | str:
    """A word on looks as a condition or a superlative; the word itself for any other."""
    if word in RANKS:
        return Rank(RANKS[word], negated=negated)
    if word in LOOKS:
        key, value = LOOKS[word]
        return HasAttribute(key, value, negated)
    return word
