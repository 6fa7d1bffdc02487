"""The grammar of what stands for objects.

    reference   := viewer | marked | number | noun phrase
    noun phrase := determiner? count? (ordinal? superlative | colour | size)* noun condition*
    condition   := ("and" | "," | "that is")? "not"? (relation reference | clock | colour | size)
    clock       := "at" ("my" hour | hour ("of" reference)?)

A condition belongs to the nearest noun ("the cup on the table next to the sofa" speaks of a table
next to the sofa); after a comma or an "and" it belongs to the outermost.
"""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.nouns import Nouns
from scenemind.reasoning.symbolic.syntax import (
    Condition,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Rank,
    Reference,
    Related,
    Viewer,
)
from scenemind.words.english import find_number, find_ordinal

_MAX_DEPTH = 4
_NUMBERED = ("object", "objects", "number", "numbers", "id", "object number", "object id")
_MARKED = frozenset(("marked", "selected", "highlighted"))


class Parser(Nouns):
    """Reads references and conditions from the front."""

    def reference(self, depth: int = 0) -> Reference:
        """Whatever stands for objects here.

        Raises:
            ReasoningError: nothing that does.
        """
        if depth > _MAX_DEPTH:
            raise self.fail()
        if self.take_of(lexicon.VIEWERS) or self.take("the robot"):
            return Viewer()
        marked = self._find_marked()
        if marked is not None:
            return marked
        pointed = self.peek() in lexicon.POINTERS
        phrase = self._noun_phrase(depth)
        if pointed and isinstance(phrase, NounPhrase) and phrase == _bare(phrase):
            return Marked(phrase.noun)
        return phrase

    def condition(self, depth: int = 0, adjectives: bool = False) -> Condition | Rank:
        """What is said of objects after their noun.

        Args:
            adjectives: a bare colour or size counts too ("how many chairs are black").

        Raises:
            ReasoningError: nothing of the kind.
        """
        negated = bool(self.take("not"))
        attribute = self._find_said(adjectives or negated)
        if attribute is not None:
            return replace(attribute, negated=negated)
        seen = self._find_clock(depth) or self._find_own_side()
        if seen is not None:
            return replace(seen, negated=negated)
        end_of_row = None if negated else self.find_side() or self.find_superlative(adjectives)
        if end_of_row is not None:
            return end_of_row
        name, length = lexicon.longest(lexicon.RELATIONS, self.words, self.at)
        _, after_posture = lexicon.longest(lexicon.RELATIONS, self.words, self.at + 1)
        if not length or (self.at_posture() and after_posture >= length):  # "standing on top of"
            self.skip_posture()
            name, length = lexicon.longest(lexicon.RELATIONS, self.words, self.at)
        if not length or (depth and self.peek(length) in ("it", "them")):
            raise self.fail()
        self.at += length
        if name in lexicon.COMPARING:
            self.take("to", "from")
            return _compared(name, self.reference(depth + 1))
        return self._related(name, depth + 1, negated)

    def with_conditions(self, phrase: Reference, adjectives: bool = False) -> Reference:
        """The phrase with all conditions that follow; they describe noun phrases only."""
        while isinstance(phrase, NounPhrase):
            extended = self._find_extended(phrase, 0, adjectives)
            if extended is None:
                break
            phrase = extended
        return phrase

    def _find_said(self, adjectives: bool) -> HasAttribute | None:
        said = self.find_attribute() if adjectives else None
        if said is None and (adjectives or self.peek() in ("to", "good")):
            said = self.find_quality()
        return said

    def _find_clock(self, depth: int) -> Related | None:
        start = self.at
        self.take("at", "in")
        own = self.take("my", "your", "our")
        if not own:
            self.take("the")
        hour = self.find_hour()
        if not hour:
            self.at = start
            return None
        if own or not self.take("of", "from"):
            return Related(hour, (Viewer(),))
        return Related(hour, (self.reference(depth + 1),))

    def _find_own_side(self) -> Related | None:
        if self.take(
            "within my reach", "within your reach", "within our reach", "within arm reach"
        ):
            return Related("within reach", (Viewer(),))
        side = self.find_own_side()
        return Related(side, (Viewer(),)) if side else None

    def _related(self, predicate: str, depth: int, negated: bool) -> Related:
        if self.done and predicate in lexicon.OF_VIEWER:
            return Related(predicate, (Viewer(),), negated)
        first = self.reference(depth)
        if predicate == "between" and self.take("and"):
            return Related(predicate, (first, self.reference(depth)), negated)
        if predicate == "supports":
            self.take("on it", "on top of it", "on top", "on them")
            if self.take("in it", "inside it", "inside", "in them"):
                return Related("contains", (first,), negated)
        return Related(predicate, (first,), negated)

    def _find_marked(self) -> Marked | None:
        start = self.at
        if self.take("it", "them", "they"):
            return Marked()
        self.take("the")
        if self.take_of(_MARKED):
            noun = self.noun_words()
            return Marked("" if len(noun) == 1 and noun[0] in lexicon.ANYTHING else " ".join(noun))
        self.at = start
        ends_after = not self.peek(2) or self.peek(2) in lexicon.NOUN_END | {","}
        if self.peek() in lexicon.POINTERS and self.peek(1) == "one" and ends_after:
            self.at += 2
            return Marked()
        if self.peek() == "both" and self.peek(1) in lexicon.BE:
            self.at += 1
            return Marked()
        ends = not self.peek(1) or self.peek(1) in lexicon.NOUN_END | {","}
        ends = ends or (not self.peek(2) and self.peek(1) in (*lexicon.COLOURS, *lexicon.SIZES))
        _, relation = lexicon.longest(lexicon.RELATIONS, self.words, self.at + 1)
        if self.peek() in lexicon.POINTERS and (ends or relation):
            self.at += 1
            return Marked()
        return None

    def _noun_phrase(self, depth: int) -> NounPhrase | ObjectNumber:
        phrase = self._determined()
        phrase = self._modified(phrase)
        noun = self.noun_words()
        number = self.peek()
        if noun and number.isascii() and number.removeprefix("-").isdigit():
            self.at += 1
            bare = " ".join(noun) in _NUMBERED
            return ObjectNumber(int(number[:9]), "" if bare else " ".join(noun))
        if not noun:
            raise self.fail()
        anything = len(noun) == 1 and noun[0] in lexicon.ANYTHING
        phrase = replace(phrase, noun="" if anything else " ".join(noun))
        phrase = self._anchored_rank(phrase, depth)
        while True:
            extended = self._find_extended(phrase, depth, adjectives=False)
            if extended is None:
                return phrase
            phrase = extended

    def _determined(self) -> NounPhrase:
        definite = both = False
        while True:
            if self.take_of(lexicon.DEFINITE):
                definite = True
            elif self.take("both of", "both"):
                both = definite = True
            elif not self.take_of(lexicon.INDEFINITE) and not self.take("of the"):
                break
        count = find_number(self.peek())
        if count is not None and self.peek(1):
            self.at += 1
        else:
            count = 2 if both else None
        return NounPhrase("", definite, count)

    def _modified(self, phrase: NounPhrase) -> NounPhrase:
        """With the words before the noun; a colour that nothing follows is the noun (an orange)."""
        while True:
            start, order = self.at, find_ordinal(self.peek())
            if order is not None:
                self.at += 1
            rank = lexicon.SUPERLATIVES.get(self.peek())
            if rank is not None:
                self.at += 1
                phrase = replace(phrase, rank=Rank(rank, order or 1))
                continue
            if order is not None and self.starts_noun():
                phrase = replace(phrase, rank=Rank("leftmost", order))
                continue
            self.at = start
            attribute = self.find_attribute() or self.find_side_adjective()
            if attribute is None or not self.starts_noun():
                self.at = start
                return phrase
            if isinstance(attribute, Rank):
                phrase = replace(phrase, rank=attribute)
            else:
                phrase = replace(phrase, conditions=(*phrase.conditions, attribute))

    def _anchored_rank(self, phrase: NounPhrase, depth: int) -> NounPhrase:
        """ "the closest chair to the door", "the second chair from the right"."""
        rank = phrase.rank
        if rank is None:
            return phrase
        if rank.superlative in ("closest", "farthest") and self.take("to", "from"):
            return replace(phrase, rank=replace(rank, anchor=self.reference(depth + 1)))
        side = self.find_side() if rank.superlative == "leftmost" else None
        return phrase if side is None else replace(phrase, rank=replace(side, order=rank.order))

    def _find_extended(self, phrase: NounPhrase, depth: int, adjectives: bool) -> NounPhrase | None:
        """With one more condition; None (and no move) where none follows."""
        start = self.at
        if depth and self.peek() in (",", "and"):
            return None
        joined = self.take(",", "and")
        self.take("and")
        if self.take("that", "which", "who"):
            if not self.take_of(lexicon.BE) and not self.at_relation():
                self.at = start
                return None
            adjectives = True
        elif joined:
            adjectives = adjectives or joined == "and"
        try:
            condition = self.condition(depth, adjectives)
        except ReasoningError:
            self.at = start
            return None
        if phrase.definite and isinstance(condition, Related):
            condition = _one_far_away(condition)
        if isinstance(condition, Rank):
            if phrase.rank is not None and phrase.rank.superlative != "leftmost":
                self.at = start
                return None
            order = phrase.rank.order if phrase.rank else 1
            return replace(phrase, rank=replace(condition, order=order))
        return replace(phrase, conditions=(*phrase.conditions, condition))


def _compared(name: str, anchor: Reference) -> Rank:
    return Rank("closest" if name == "closest" else "farthest", 1, anchor)


def _one_far_away(condition: Related) -> Related | Rank:
    """ "The chair far from the door" tells it from chairs that are closer."""
    if condition.predicate != "far" or condition.negated:
        return condition
    return _compared("farthest", condition.anchors[0])


def _bare(phrase: NounPhrase) -> NounPhrase:
    return NounPhrase(phrase.noun, definite=phrase.definite)
