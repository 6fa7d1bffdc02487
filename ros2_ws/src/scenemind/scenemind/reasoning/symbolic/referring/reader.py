"""From an expression's chunks to its description.

The first thing that is spoken of is the one that is meant, but for views ("facing the window, ...")
and relations at the front of a clause ("next to the bed is a lamp"). Sentences that go on with "it"
or with the same noun go on about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scenemind.reasoning.symbolic.referring import phrases
from scenemind.reasoning.symbolic.referring.anchoring import Anchoring, Clause
from scenemind.reasoning.symbolic.referring.chunks import Chunk, Kind, chunks_of
from scenemind.reasoning.symbolic.referring.description import Description
from scenemind.reasoning.symbolic.referring.draft import TARGET

# Of two relations before one anchor, these say less.
_VAGUE = ("next to", "near", "in", "on", "with")
_OF_VIEWER = ("closest", "farthest", "near", "next to", "far")
_IMPERATIVES = ("choose", "select", "pick")
_VIEWERS = ("you", "me", "i", "us", "viewer")


def read(text: str) -> Description:
    """What an expression says; any text has a description, if an empty one."""
    return _Reader(chunks_of(text)).read()


class _Reader(Anchoring):
    def read(self) -> Description:
        take: dict[Kind, Callable[[Chunk], None]] = {
            "noun": self._noun, "relation": self._relation, "place": self._said_place,
            "view": self._view, "be": self._be, "pronoun": self._pronoun, "not": self._not,
            "and": self._and, "break": self._break, "other": self._other,
        }  # fmt: skip
        while self._at < len(self._chunks):
            chunk = self._chunks[self._at]
            take[chunk.kind](chunk)
            self._at += 1
        self._end_clause()
        return self._draft.description()

    def _break(self, chunk: Chunk) -> None:
        self._clause.separated = True
        if chunk.words[0] != ",":
            self._end_clause()

    def _and(self, _: Chunk) -> None:
        self._clause.separated = True

    def _not(self, _: Chunk) -> None:
        self._clause.negated = True

    def _be(self, _: Chunk) -> None:
        self._clause.after_be = True

    def _other(self, chunk: Chunk) -> None:
        word, clause = chunk.words[0], self._clause
        if word in _VIEWERS and clause.pending is not None:
            if clause.pending.value in _OF_VIEWER:
                self._place("back" if clause.pending.value.startswith("far") else "front")
            clause.pending = None
        elif word in ("there", "where"):
            clause.introduced = True
        elif word == "find":
            self._end_clause()
        elif word in _IMPERATIVES:
            self._end_clause()
            self._clause.retargeted = self._draft.target != TARGET
        elif word in ("you", "want"):
            clause.view, clause.after_be = None, False
            clause.retargeted |= word == "want" and self._draft.target != TARGET

    def _pronoun(self, chunk: Chunk) -> None:
        word, clause = chunk.words[0], self._clause
        following = self._chunk_at(1)
        if word in ("this", "these") and following is not None and following.value:
            clause.pointed = clause.pending is not None
        elif clause.pending is not None:
            self._draft.is_topic = True
            self._anchor_of_pronoun(clause.pending)
        elif word in ("that", "those") and clause.last is not None and not clause.separated:
            return
        elif word in ("its", "their") and following is not None and following.kind == "noun":
            clause.introduced = True
        else:
            self._draft.is_topic |= word in ("it", "they")
            self._draft.bind_fronted(self._draft.target)
            clause.view, clause.introduced, clause.after_be = None, False, False
            clause.subject = self._draft.target if self._draft.target != TARGET else None
            clause.last, clause.separated, clause.possessed = None, False, False

    def _view(self, chunk: Chunk) -> None:
        self._clause.view_named = False
        self._clause.view = "facing" if chunk.value == "facing" else "from"

    def _said_place(self, chunk: Chunk) -> None:
        clause = self._clause
        order, negated = self._order_before(), self._take_negation()
        if clause.possessed and not clause.separated and clause.view is None:
            return
        for side in chunk.value.split(" "):
            self._place(side, negated, order)
        clause.separated = False

    def _relation(self, chunk: Chunk) -> None:
        clause = self._clause
        if clause.view is not None and chunk.words[0] in ("facing", "looking"):
            clause.view, clause.view_named, self._draft.view = "facing", False, None
        elif clause.view is not None and chunk.words == ("from",):
            clause.view_from = True
        elif chunk.value != "of":
            self._hold(chunk)

    def _hold(self, chunk: Chunk) -> None:
        """Until its anchor comes: "on" gives way in "on, next to" and joins in "on and next to"."""
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
        elif clause.view is not None and (not clause.view_named or clause.view_from):
            self._view_noun(chunk)
        else:
            if clause.view is not None:
                self._end_clause()
            self._clause_noun(chunk)
            self._clause.after_be = False

    def _clause_noun(self, chunk: Chunk) -> None:
        clause, draft = self._clause, self._draft
        if clause.negated and draft.target != TARGET and draft.is_target_again(chunk):
            clause.negated = False
            draft.deny(chunk, self._outer)
        elif clause.subject is not None and clause.after_be and chunk.traits and not chunk.value:
            draft.merge(chunk, clause.subject)
        elif clause.repeated is not None and self._is_joined():
            self._anchor(clause.repeated, chunk)
        else:
            self._main_noun(chunk)

    def _main_noun(self, chunk: Chunk) -> None:
        clause, draft = self._clause, self._draft
        if clause.retargeted and chunk.value:
            clause.retargeted = False
            if not draft.is_target_again(chunk):
                draft.target = TARGET
        if draft.target == TARGET:
            draft.target = index = draft.add(chunk)
            draft.before = draft.fronted[0].anchors[0] if draft.fronted else None
        elif self._is_said_of_target() or (
            draft.is_target_again(chunk) and not (clause.after_be and draft.fronted_places)
        ):
            index = draft.target
            draft.merge(chunk, index)
        else:
            index = draft.add(chunk)
        draft.bind_fronted(index)
        clause.subject = clause.last = index
        clause.separated = False

    def _is_said_of_target(self) -> bool:
        """ "It is a blue rectangle": another noun for the same thing."""
        clause, draft = self._clause, self._draft
        fronted = draft.fronted or draft.fronted_places
        return (
            clause.after_be
            and self._outer == draft.target
            and not clause.introduced
            and not fronted
        )

    def _is_joined(self) -> bool:
        before, after = self._chunk_at(-1), self._chunk_at(1)
        return before is not None and before.kind == "and" and (after is None or after.kind != "be")

    def _view_noun(self, chunk: Chunk) -> None:
        clause, draft = self._clause, self._draft
        kind = clause.view or "facing"
        if chunk.value.split(" ")[-1] in {"", *phrases.ROOMS}:
            draft.set_view(kind, None)
            clause.last = None
        elif clause.view_from:
            clause.view_from = False
            if draft.view is None or draft.view.mention is None:
                draft.set_view("from", draft.add(chunk))
        else:
            clause.subject = clause.last = draft.add(chunk)
            draft.set_view(kind, clause.subject)
        clause.view_named = True

    def _end_clause(self) -> None:
        if self._draft.fronted or self._draft.fronted_places:
            self._draft.bind_fronted(self._draft.target)
        self._clause = Clause()
