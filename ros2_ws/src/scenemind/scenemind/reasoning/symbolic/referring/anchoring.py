"""Relations waiting for what they relate to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scenemind.reasoning.symbolic.referring import phrases
from scenemind.reasoning.symbolic.referring.chunks import Chunk
from scenemind.reasoning.symbolic.referring.description import Link, Placed, ViewKind
from scenemind.reasoning.symbolic.referring.draft import TARGET, Draft

# "In the middle of the room", "on the left side of the room".
_PLACE_IN_ROOM = {
    "between": "room middle", "left of": "left", "right of": "right", "behind": "back",
    "in front of": "front", "corner of": "corner",
}  # fmt: skip
_AT = ("in", "near", "next to", "closest")
_NO_THINGS = ("color", "colour", "shape", "nature")


@dataclass(slots=True)
class Clause:
    """What is known within one clause.

    Attributes:
        subject: whom it speaks of; None before that is said. last: the thing named last.
        separated: a comma, an "and" or an "it" came since.
        pending: a relation without its anchor yet. held: others to the same anchor.
        repeated: the relation before, for "next to the bed and the lamp".
        possessed: what was named last came with "with": "a desk with a lamp on top".
        introduced: "there is" something. after_be: a form of "be" came since the last noun.
        pointed: "this" came right before. retargeted: what is named next is to be chosen.
        view: a view is being said. view_named: with its thing. view_from: "facing it from ...".
    """

    subject: int | None = None
    last: int | None = None
    separated: bool = False
    negated: bool = False
    pending: Chunk | None = None
    held: list[Chunk] = field(default_factory=list)
    repeated: Chunk | None = None
    possessed: bool = False
    introduced: bool = False
    after_be: bool = False
    pointed: bool = False
    retargeted: bool = False
    view: ViewKind | None = None
    view_named: bool = False
    view_from: bool = False


class Anchoring:
    """Reads what relations relate to."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._at = 0
        self._clause = Clause()
        self._draft = Draft()

    @property
    def _outer(self) -> int:
        """Whom the clause speaks of."""
        subject = self._clause.subject
        return self._draft.target if subject is None else subject

    def _anchor(self, relation: Chunk, chunk: Chunk) -> None:
        """A noun after a relation."""
        head = chunk.value.split(" ")[-1]
        following = self._chunk_at(1)
        bare = not chunk.value and not chunk.traits
        looks_only = chunk.traits and not chunk.value and "other" not in chunk.traits
        if head in phrases.ROOMS or looks_only:
            self._in_room(relation, chunk)
        elif relation.value == "corner of":
            self._place("corner")
        elif head in _NO_THINGS:
            self._clause.pending = None
        elif not (bare and following is not None and following.kind == "relation"):
            index = self._pointed(chunk) if self._clause.pointed else self._draft.add(chunk)
            for other in (*self._clause.held, relation):
                self._relate(other, index)
            self._after_anchor(relation, index)

    def _pointed(self, chunk: Chunk) -> int:
        """ "A table stands in front of this refrigerator" speaks of the refrigerator."""
        draft = self._draft
        self._clause.pointed = False
        if draft.target != TARGET and draft.is_target_again(chunk):
            return draft.target
        draft.target = draft.add(chunk)
        return draft.target

    def _after_anchor(self, relation: Chunk, index: int) -> None:
        clause = self._clause
        clause.held.clear()
        clause.pending, clause.repeated = None, relation
        clause.separated = False
        clause.possessed = relation.value in ("with", "without")
        if index not in (TARGET, self._draft.target):
            clause.last = index
        if relation.value == "between":
            self._second_end(index)

    def _anchor_of_pronoun(self, relation: Chunk) -> None:
        index = self._meant_by_it()
        for other in (*self._clause.held, relation):
            self._relate(other, index)
        self._after_anchor(relation, index)

    def _relate(self, relation: Chunk, index: int) -> None:
        negated = self._take_negation()
        link = Link(self._subjects(), relation.value, (index,), negated, self._order_before())
        at_start = self._clause.subject is None
        (self._draft.fronted if at_start else self._draft.links).append(link)

    def _second_end(self, first: int) -> None:
        """ "... and the lamp" after "between the bed"."""
        joint, noun = self._chunk_at(1), self._chunk_at(2)
        if joint is None or joint.kind != "and" or noun is None or noun.kind != "noun":
            return
        second = self._draft.add(noun)
        links = self._draft.fronted or self._draft.links
        links[-1] = replace(links[-1], anchors=(first, second))
        self._clause.last = second
        self._at += 2

    def _in_room(self, relation: Chunk, chunk: Chunk) -> None:
        place = _PLACE_IN_ROOM.get(relation.value, "")
        sides = [phrases.SIDE_WORDS[t] for t in chunk.traits if t in phrases.SIDE_WORDS]
        self._clause.pending = None
        if place or sides:
            self._place(place or sides[0])

    def _place(self, place: str, negated: bool = False, order: int = 0) -> None:
        self._clause.pending = None
        placed = Placed(
            self._outer, place, order or self._order_before(), negated or self._take_negation()
        )
        at_start = self._clause.subject is None and self._clause.view is None
        (self._draft.fronted_places if at_start else self._draft.places).append(placed)

    def _subjects(self) -> tuple[int, ...]:
        """The thing named last and the one that is spoken of: either may be meant."""
        last = self._clause.last
        if last is None or last == self._outer or self._clause.separated:
            return (self._outer,)
        return (last, self._outer)

    def _meant_by_it(self) -> int:
        """The target; where that is what is being described, the thing named before."""
        draft = self._draft
        if self._clause.subject is None or self._subjects()[0] not in (draft.target, TARGET):
            return draft.target
        if draft.view is not None and draft.view.mention is not None:
            return draft.view.mention
        others = [
            a for link in draft.links for a in link.anchors if a not in (draft.target, TARGET)
        ]
        return others[-1] if others else draft.target

    def _take_negation(self) -> bool:
        negated, self._clause.negated = self._clause.negated, False
        return negated

    def _chunk_at(self, offset: int) -> Chunk | None:
        at = self._at + offset
        return self._chunks[at] if 0 <= at < len(self._chunks) else None

    def _order_before(self) -> int:
        """2 of "second closest" and "second from the left": said right before."""
        for offset in (-1, -2):
            chunk = self._chunk_at(offset)
            if chunk is not None and chunk.kind == "noun" and chunk.order > 1:
                return chunk.order
        return 1
