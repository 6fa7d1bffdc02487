"""Reader of referring expressions: from chunks to the tree of the target.

The first thing that is spoken of is the target, but for views ("facing the window, ...") and
relations at the front of a clause ("next to the bed is a lamp"). Sentences that go on with "it" or
with the same noun go on about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from scenemind.language.english import find_number
from scenemind.language.lexicon import AWAY, BUILDING, INDEFINITE, SIDE_WORDS, TOWARD
from scenemind.language.measures import CLOSER
from scenemind.language.referring.chunks import ROOMS, Chunk, Kind, chunks_of
from scenemind.language.referring.draft import (
    FRONTED,
    TARGET,
    Draft,
    Link,
    Marks,
    is_called,
)
from scenemind.language.trees import Reading, ViewKind

# "In the middle of the room", "on the left side of the room".
_PLACE_IN_ROOM = {
    "between": "room middle", "left of": "left", "right of": "right", "behind": "back",
    "in front of": "front", "in the corner of": "corner",
}  # fmt: skip
_WALLS = ("wall", "walls", "building")
# Vague relations, which give way to others before one anchor.
_OWNING = ("with", "without", "supports", "contains", "embeds", "hung with", "mounted with")
_OF_NO_WALL = frozenset(("above", "below", "between"))
_BESIDE_IT = ("next to", "besides", "affixed on", "near", "around", "within reach", "facing")
_VAGUE = (*_BESIDE_IT, *_OWNING, "inside", "embedded in", "on", "hanging on", "mounted on")
_OF_VIEWER = (*_BESIDE_IT, "closest", "farthest", "far")
_FROM_VIEWER = {"closest": "front", "farthest": "back"}
_IMPERATIVES = ("choose", "select", "pick")
_RELATIVE = ("that", "those", "which", "who")
_THIS = ("this", "these")
_VIEWERS = ("you", "me", "i", "us", "viewer")


@dataclass(slots=True)
class Clause:
    """State of the reader within one clause.

    Attributes:
        subject: its mention; None until that is named. last: the mention named last.
        separated: whether a comma, an "and" or an "it" came since.
        pending: a relation without its anchor yet. held: others to the same anchor.
        repeated: the previous relation, for "next to the bed and the lamp".
        possessed: whether the last mention came after "with": "a desk with a lamp on top".
        introduced: after "there is". after_be: whether a form of "be" came since the last noun.
        is_choice: after "choose".
        view: viewpoint being read. view_named: with its mention. view_from: "facing it from ...".
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
    is_choice: bool = False
    view: ViewKind | None = None
    view_named: bool = False
    view_from: bool = False


def read(text: str) -> Reading:
    """Tree of an expression; an empty phrase for any other text."""
    return read_chunks(chunks_of(text))


def read_chunks(
    chunks: Sequence[Chunk], marks: Marks | None = None, whole: bool = False
) -> Reading:
    """Tree of the chunks of an expression.

    Args:
        whole: whether each chunk has its place in a phrase, so that none means little.
        marks: of a part of a question, in which "what" has no noun: what marks among its words
            ("@1") stand for, which are places that were read before.
    """
    return _Reader(chunks, marks, whole).read()


class _Reader:
    def __init__(self, chunks: Sequence[Chunk], marks: Marks | None, whole: bool) -> None:
        self._chunks = chunks
        self._whole = whole
        self._at = 0
        self._clause = Clause()
        self._draft = Draft(marks)

    @property
    def _outer(self) -> int:
        """The mention that the clause is about."""
        subject = self._clause.subject
        return self._draft.target if subject is None else subject

    def _anchor(self, relation: Chunk, chunk: Chunk) -> None:
        """Read a noun after a relation."""
        draft = self._draft
        if chunk.traits and not chunk.value and chunk.words[-1] in ("one", "ones"):
            known = "" if draft.target == TARGET else draft.mentions[draft.target].noun
            chunk = replace(chunk, value=known)  # "next to the larger one"
        head = chunk.value.split(" ")[-1]
        following = self._chunk_at(1)
        bare = not chunk.value and not chunk.traits
        if relation.value == "than":
            self._against(chunk)
            return
        if self._whole:
            self._anchor_to(relation, draft.add(chunk))
            return
        looks_only = chunk.traits and not chunk.value and "other" not in chunk.traits
        if looks_only and relation.value in _OWNING:  # "with a round top"
            self._clause.pending = None
        elif chunk.is_mark:
            self._clause.pending = None
            self._draft.merge(chunk, self._outer)
        elif head in ROOMS or looks_only:
            self._in_room(relation, chunk)
        elif relation.value == "in the corner of" and head in ("", *_WALLS):
            self._place("corner")
        elif not (bare and following is not None and following.kind == "relation"):
            before = self._chunk_at(-1)
            if before is not None and before.words[0] in _THIS:
                index = self._pointed(chunk)
            else:
                index = self._draft.target if self._is_target(chunk) else self._draft.add(chunk)
            self._anchor_to(relation, index)

    def _is_target(self, chunk: Chunk) -> bool:
        """Whether an anchor is the target: "the chair is black. There is a lamp near the chair",
        "The chair is black. Behind the chair is a lamp"."""
        is_subject = self._outer == self._draft.target and self._clause.subject is not None
        if chunk.words[0] != "the" or chunk.traits or is_subject or not chunk.value:
            return False
        return self._draft.target != TARGET and self._draft.is_target_again(chunk)

    def _pointed(self, chunk: Chunk) -> int:
        """Read a noun after "this": "a table stands in front of this refrigerator"."""
        draft = self._draft
        if draft.target != TARGET and draft.is_target_again(chunk):
            return draft.target
        for index, mention in enumerate(draft.mentions):
            if index != draft.target and chunk.value and is_called(mention.noun, chunk.value):
                return index
        draft.target = draft.add(chunk)
        return draft.target

    def _anchor_to(self, relation: Chunk, index: int) -> None:
        """Relate what is spoken of to a mention, also by the relations that wait for it."""
        clause = self._clause
        for other in (*clause.held, relation):
            self._relate(other, index)
        clause.held.clear()
        clause.pending, clause.repeated = None, relation
        clause.separated = False
        clause.possessed = relation.value in _OWNING
        # "On the floor behind the sofa": walls and floors are everywhere, the thing lies behind it.
        if index not in (TARGET, self._draft.target):
            draft = self._draft
            is_plain = not self._whole and draft.mentions[index].noun in BUILDING
            is_plain |= index in draft.things
            clause.last = clause.last if is_plain else index

    def _relate(self, relation: Chunk, index: int) -> None:
        negated = self._take_negation()
        at_start = self._clause.subject is None
        subject = self._nearer_subject()
        # "On the wall over the desk": no wall is over a desk, the thing is.
        if subject not in (TARGET, self._outer) and relation.value in _OF_NO_WALL:
            is_wall = self._draft.mentions[subject].noun in BUILDING
            subject = self._outer if is_wall else subject
        if at_start and subject == self._outer:
            subject = FRONTED
        link = Link(subject, relation.value, (index,), negated, self._order_before())
        (self._draft.fronted if at_start else self._draft.links).append(link)

    def _against(self, chunk: Chunk) -> None:
        """Read "... than to the window" after "closer to the door", or the sofa of "on the sofa
        side of the table"."""
        links, second = self._draft.fronted or self._draft.links, self._draft.add(chunk)
        name, ends = links[-1].predicate, (*links[-1].anchors, second)
        if name not in (TOWARD, AWAY):
            name, ends = CLOSER, ends if name == "closest" else ends[::-1]
        links[-1] = replace(links[-1], predicate=name, anchors=ends)
        self._clause.pending, self._clause.last = None, second

    def _is_other_end(self, chunk: Chunk) -> bool:
        """Whether a noun after "and" is the other end of "between a table of books and a shelf";
        it is added."""
        clause, links = self._clause, self._draft.fronted or self._draft.links
        if clause.repeated is None or not self._is_joined():
            return False
        of = next((at for at, k in enumerate(links) if k.predicate == "between"), -1)
        if of < 0 or len(links[of].anchors) > 1 or links[of].anchors[0] < 0:
            return False
        clause.last, clause.separated = self._draft.add(chunk), False
        links[of] = replace(links[of], anchors=(*links[of].anchors, clause.last))
        return True

    def _in_room(self, relation: Chunk, chunk: Chunk) -> None:
        place = _PLACE_IN_ROOM.get(relation.value, "")
        sides = [SIDE_WORDS[t] for t in chunk.traits if t in SIDE_WORDS]
        self._clause.pending, self._clause.view_from = None, False
        negated = self._take_negation()
        for side in [place] if place else sides:
            self._place(side, negated)

    def _place(self, place: str, negated: bool = False) -> None:
        self._clause.pending = None
        before = self._chunk_at(-1)
        # "The cup on the second table from the left".
        is_counted = before is not None and before.kind == "noun" and before.order > 0
        subject = self._nearer_subject() if self._whole or is_counted else self._outer
        negated = negated or self._take_negation()
        placed = Link(subject, place, (), negated, self._order_before())
        at_start = self._clause.subject is None and self._clause.view is None
        (self._draft.fronted if at_start else self._draft.places).append(placed)

    def _nearer_subject(self) -> int:
        """Mention that a relation is about: the last one named, else the clause's subject."""
        last = self._clause.last
        return self._outer if last is None or self._clause.separated else last

    def _mention_of_it(self) -> int:
        """The mention of "it": the target, or the one named before where the target is
        described."""
        draft = self._draft
        held = draft.links[-1] if self._clause.possessed and draft.links else None
        if held is not None and held.anchors == (self._nearer_subject(),):
            return held.subject  # "with a cup on it"
        if self._clause.subject is None or self._nearer_subject() not in (draft.target, TARGET):
            return draft.target
        if draft.view is not None and draft.view[1] is not None:
            return draft.view[1]
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
        """Ordinal right before: 2 in "second closest" and "second from the left"."""
        for chunk in reversed(self._chunks[max(self._at - 4, 0) : self._at]):
            if chunk.kind == "noun" and (chunk.order or chunk.value):
                return chunk.order or 1
            if chunk.kind in ("break", "and"):
                break
        return 1

    def read(self) -> Reading:
        take: dict[Kind, Callable[[Chunk], None]] = {
            "noun": self._noun, "relation": self._relation, "place": self._place_chunk,
            "pronoun": self._pronoun, "other": self._other, "said": self._said,
        }  # fmt: skip
        while self._at < len(self._chunks):
            chunk, clause = self._chunks[self._at], self._clause
            match chunk.kind:
                case "view":
                    clause.view = "facing" if chunk.value == "facing" else "from"
                    clause.view_named = False
                case "be":
                    clause.after_be = True
                case "not":
                    clause.negated = True
                case "and" | "break":
                    clause.separated = True
                    if chunk.kind == "break" and chunk.words[0] != ",":
                        self._end_clause()
                case kind:
                    take[kind](chunk)
            self._at += 1
        self._end_clause()
        return self._draft.reading()

    def _said(self, chunk: Chunk) -> None:
        self._draft.merge(chunk, self._nearer_subject(), negated=self._take_negation())

    def _other(self, chunk: Chunk) -> None:
        word, clause = chunk.words[0], self._clause
        if word in _VIEWERS and clause.pending is not None:
            if clause.pending.value in _OF_VIEWER:
                self._place("back" if clause.pending.value.startswith("far") else "front")
            clause.pending = None
        elif word in ("there", "where"):
            clause.introduced = True
        elif word in _IMPERATIVES:
            self._end_clause()
            self._clause.is_choice = True

    def _pronoun(self, chunk: Chunk) -> None:
        word, clause = chunk.words[0], self._clause
        following = self._chunk_at(1)
        if word in _THIS and following is not None and following.value:
            return
        if clause.pending is not None:
            self._anchor_to(clause.pending, self._mention_of_it())
        elif word in _RELATIVE and clause.last is not None and not clause.separated:
            return
        else:
            self._draft.bind_fronted(self._draft.target)
            clause.view, clause.introduced, clause.after_be = None, False, False
            clause.subject = self._draft.target if self._draft.target != TARGET else None
            clause.last, clause.separated, clause.possessed = None, False, False

    def _place_chunk(self, chunk: Chunk) -> None:
        clause = self._clause
        negated = self._take_negation()
        if clause.possessed and not (clause.separated or clause.view or self._whole):
            return
        for side in chunk.value.split(" "):
            self._place(side, negated)
        clause.separated = False

    def _relation(self, chunk: Chunk) -> None:
        clause = self._clause
        if clause.view is not None and chunk.words[0] in ("facing", "looking"):
            clause.view, clause.view_named, self._draft.view = "facing", False, None
        elif clause.view is not None and chunk.words == ("from",):
            clause.view_from = True
        elif chunk.value != "of":
            self._keep_pending(chunk)

    def _keep_pending(self, chunk: Chunk) -> None:
        """Keep a relation until its anchor comes.

        In "on, next to" the vague one is dropped, in "on and next to" both count.
        """
        clause, pending = self._clause, self._clause.pending
        if chunk.value in ("with", "without") and clause.negated:
            chunk = replace(chunk, value="without" if chunk.value == "with" else "with")
            clause.negated = False
        if pending is not None:
            if chunk.value in _VAGUE and pending.value not in _VAGUE:
                return
            before = self._chunk_at(-1)
            if clause.separated or (before is not None and before.kind == "noun"):
                clause.held.append(pending)
        clause.pending = chunk

    def _noun(self, chunk: Chunk) -> None:
        clause = self._clause
        if clause.pending is not None:
            self._anchor(clause.pending, chunk)
        elif self._is_other_end(chunk):
            return
        elif clause.view is not None and (not clause.view_named or clause.view_from):
            self._view_noun(chunk)
        else:
            self._clause_noun(chunk)
            self._clause.after_be = False

    def _clause_noun(self, chunk: Chunk) -> None:
        clause, draft = self._clause, self._draft
        if clause.negated and draft.target != TARGET and draft.is_target_again(chunk):
            if chunk.traits or chunk.value:
                clause.negated = False
                draft.merge(chunk, self._outer, negated=True)
            clause.subject, clause.last = self._outer, None
        elif chunk.is_mark:
            draft.merge(chunk, self._nearer_subject())
        elif clause.subject is not None and clause.after_be and chunk.traits and not chunk.value:
            draft.merge(chunk, clause.subject)
        elif clause.repeated is not None and self._is_joined() and not chunk.order:
            self._anchor(clause.repeated, chunk)
        else:
            self._main_noun(chunk)

    def _main_noun(self, chunk: Chunk) -> None:
        clause, draft = self._clause, self._draft
        if draft.target == TARGET:
            draft.target = index = draft.add(chunk)
        elif not (clause.after_be and draft.fronted) and (
            self._is_said_of_target() or self._is_target_named_again(chunk)
        ):
            index = draft.target
            draft.merge(chunk, index)
        elif self._is_narrowed(chunk):
            draft.target, place = draft.add(chunk), draft.target
            draft.links.append(Link(draft.target, "next to", (place,)))
            index = draft.target
        else:
            index = draft.add(chunk)
        draft.bind_fronted(index)
        clause.subject = clause.last = index
        clause.separated = False

    def _is_target_named_again(self, chunk: Chunk) -> bool:
        """Whether a noun names the target again; in "there is a chair to the left of it" it does
        not."""
        draft, word = self._draft, chunk.words[0]
        is_some = word in INDEFINITE or find_number(word) is not None
        is_other = is_some and self._clause.introduced and draft.mentions[draft.target].noun != ""
        return not is_other and draft.is_target_again(chunk)

    def _is_narrowed(self, chunk: Chunk) -> bool:
        """Whether a noun is what is wanted at the place that was named first: "you want the bed on
        the right the pillow in the middle"."""
        clause, draft, before = self._clause, self._draft, self._chunk_at(-1)
        is_said = clause.introduced or clause.after_be or clause.separated or draft.fronted
        if not chunk.value or is_said or (before is not None and before.kind == "relation"):
            return False
        seen = draft.view[1] if draft.view is not None else None
        is_chosen = clause.is_choice or (seen is not None and seen < draft.target)
        return is_chosen and not any(is_called(m.noun, chunk.value) for m in draft.mentions)

    def _is_said_of_target(self) -> bool:
        """Whether a noun after "be" is another noun for the target ("it is a blue rectangle")."""
        clause = self._clause
        return clause.after_be and self._outer == self._draft.target and not clause.introduced

    def _is_joined(self) -> bool:
        before, after = self._chunk_at(-1), self._chunk_at(1)
        return before is not None and before.kind == "and" and (after is None or after.kind != "be")

    def _view_noun(self, chunk: Chunk) -> None:
        clause, draft = self._clause, self._draft
        kind = clause.view or "facing"
        if chunk.value.split(" ")[-1] in {"", *ROOMS}:
            draft.set_view(kind, None)
            clause.last = None
        elif clause.view_from:
            clause.view_from = False
            if draft.view is None or draft.view[1] is None:
                draft.set_view("from", draft.add(chunk))
        else:
            clause.subject = clause.last = draft.add(chunk)
            draft.set_view(kind, clause.subject)
        clause.view_named = True

    def _end_clause(self) -> None:
        pending = self._clause.pending
        if pending is not None and pending.value in _FROM_VIEWER:  # "the chair furthest away"
            self._place(_FROM_VIEWER[pending.value])
        self._draft.bind_fronted(self._draft.target)
        self._clause = Clause()
