"""Reader of phrases word by word: references, conditions, nouns, values of attributes.

    reference   := viewer | marked | number | noun phrase
    noun phrase := determiner? count? (ordinal? superlative | colour | size)* noun condition*
    condition   := ("and" | "," | "that is")? "not"? (relation reference | clock | colour | size)
    clock       := "at" ("my" hour | hour ("of" reference)?)

A condition belongs to the nearest noun ("the cup on the table next to the sofa" speaks of a table
next to the sofa); after a comma or an "and" it belongs to the outermost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from scenemind.language import lexicon
from scenemind.language.english import find_number, find_ordinal, normal, plural
from scenemind.language.relation_names import find_relation
from scenemind.language.tokens import Cursor, NotUnderstoodError
from scenemind.language.trees import (
    Among,
    Attribute,
    Condition,
    Described,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Rank,
    Reference,
    Related,
    Superlative,
    Viewer,
)

_LONGEST_USE = 3  # words of "to sit on"
_LONGEST_NAME = 3  # words of a material or an owner
# A quality that something else follows is a part of a name ("round table").
_AFTER_QUALITY = ("", "and", ",", "but", "it", "this", "that", "instead", "rather")
_MAX_DEPTH = 4
# First words of "apart from the chairs".
_EXCEPTING = frozenset(("except", "apart", "aside", "besides"))
_ALL = frozenset(("all", "every", "each", "everything", "anything", "nothing"))
_NUMBERED = ("object", "objects", "number", "numbers", "id", "object number", "object id")
_MARKED = frozenset(("marked", "selected", "highlighted"))
_SIDES: dict[str, Superlative] = {"left": "leftmost", "right": "rightmost"}
_AFTER_NOUN = lexicon.NOUN_END | {"", ","}


class Parser(Cursor):
    """Reader of modifiers, nouns, references and conditions; a failed `find_*` does not move."""

    def take_name(self, table: lexicon.PhraseTable) -> Any:
        """Move over the longest phrase of a table that stands here; its name, empty for none."""
        name, length = table.longest(self.words, self.at)
        self.at += length
        return name

    def find_attribute(self) -> HasAttribute | None:
        """Find "dark red", "black and red" or "small"."""
        key: Attribute = "color"
        value = self._colours()
        if not value and self.peek() in lexicon.SIZES:
            key, value = "size", lexicon.SIZES[self.peek()]
            self.at += 1
        self._skip_name(key)
        return HasAttribute(key, value) if value else None

    def find_quality(self) -> HasAttribute | None:
        """Find "empty" of "is empty", or "to sit on" of "something to sit on"."""
        start = self.at
        self.take("good", "useful", "suitable")
        if self.take("to") and self.peek() in lexicon.USES:
            use = tuple(takewhile(lambda word: word not in _EXCEPTING, self.words[self.at :]))
            if len(use) <= _LONGEST_USE and lexicon.DEFINITE.isdisjoint(use):
                self.at += len(use)
                return HasAttribute("affordance", " ".join(use))
        self.at = start
        if key := self.take_name(lexicon.ATTRIBUTE_VERBS):
            return self._named(key)
        if self.take("mine"):
            return HasAttribute("owner", lexicon.SPEAKER)
        if self.take_name(lexicon.MATERIALS):
            return HasAttribute("material", " ".join(self.words[start : self.at]))
        self.take("switched", "turned")
        word = self.peek()
        if word in lexicon.QUALITIES:
            self.at += 1
            self._skip_name(lexicon.QUALITIES[word])
            if self.peek() in _AFTER_QUALITY:
                return HasAttribute(lexicon.QUALITIES[word], word)
        self.at = start
        return None

    def _skip_name(self, key: Attribute) -> None:
        """Move over "in colour"."""
        if self.peek() == "in" and lexicon.ATTRIBUTE_NAMES.get(self.peek(1)) == key:
            self.at += 2

    def _named(self, key: Attribute) -> HasAttribute | None:
        """An attribute whose value is the next one to three words ("stainless steel")."""
        start = self.at
        while self.at - start < _LONGEST_NAME and self._is_of_name():
            self.at += 1
        said = " ".join(self.words[start : self.at])
        return HasAttribute(key, said) if said else None

    def _is_of_name(self) -> bool:
        word = self.peek()
        ends = lexicon.NOUN_END | lexicon.ANYTHING | {"same"}
        return word[:1].isalpha() and word not in ends and not self.at_relation()

    def _colours(self) -> str:
        """One colour, or several joined by "and"; empty for none."""
        said: list[str] = []
        joint = 0  # the word "and", where it stands here
        while length := self._colour_length(joint):
            self.at += joint
            *shade, colour = self.words[self.at : self.at + length]
            said.append(" ".join((*shade, lexicon.COLOURS[colour])))
            self.at += length
            if self.peek() != "and":
                break
            joint = 1
        return " and ".join(said)

    def _colour_length(self, offset: int) -> int:
        """Number of words that name a colour at an offset; 0 for none."""
        shaded = self.peek(offset) in lexicon.SHADES
        return 1 + shaded if self.peek(offset + shaded) in lexicon.COLOURS else 0

    def _find_side_of_row(self) -> Rank | None:
        """Find "on the left" or "from the right": an end of a row, not a relation to a thing."""
        start = self.at
        side = self.take_name(lexicon.ROW_SIDES)
        if side and (self.at_relation() or self.peek() in (*_AFTER_NOUN, "and")):
            return Rank(side)
        self.at = start
        return None

    def at_relation(self) -> bool:
        """Whether a relation stands here, with or without a word of posture before it."""
        return bool(lexicon.RELATIONS.longest(self.words, self.at)[1]) or self.at_posture()

    def at_posture(self) -> bool:
        """Whether a word of posture stands here, before a relation or at the end."""
        before_relation = lexicon.RELATIONS.longest(self.words, self.at + 1)[1] > 0
        return self.peek() in lexicon.POSTURES and (before_relation or not self.peek(1))

    def skip_posture(self) -> None:
        """Move over "standing" in "standing on the table"."""
        if self.at_posture():
            self.at += 1

    def noun_words(self) -> list[str]:
        """Move over the words of a noun, up to a relation, a number or another part of speech."""
        noun: list[str] = []
        while self.starts_noun(inside=bool(noun)):
            if noun and self.peek().isdigit():
                break
            noun.append(self.peek())
            self.at += 1
        return noun

    def starts_noun(self, inside: bool = False) -> bool:
        """Whether the word here may be the first of a noun, or (`inside`) a further one."""
        word = self.peek()
        if not word or not word[0].isalnum():
            return False
        if word in lexicon.NOUN_END and not (inside and self._at_can()):
            return False
        if lexicon.RELATIONS.longest(self.words, self.at)[1] or word in _EXCEPTING:
            return False
        if word == "of":
            return inside and self._noun_after_of()
        if inside and (word in lexicon.COLOURS or word in lexicon.SIZES):
            return False
        if inside and word in lexicon.ADJECTIVES and self.peek(1) in ("", "and", ","):
            return False
        if inside and word in lexicon.QUALITIES and self.peek(1) == "in":
            return self.peek(2) not in ("shape", "form", "texture")
        if inside and word in lexicon.AFTER_SUBJECT:
            return False
        return not (inside and (self.at_posture() or word in lexicon.SUPERLATIVES))

    def _at_can(self) -> bool:
        """Whether "can" is a noun here ("trash can"), not a verb ("can you")."""
        return self.peek() == "can" and self.peek(1) not in ("i", "we", "you")

    def _noun_after_of(self) -> bool:
        following = self.peek(1)
        return bool(following) and following not in lexicon.NOUN_END | lexicon.DEFINITE

    def reference(self, depth: int = 0) -> Reference:
        """A reference to objects.

        Raises:
            NotUnderstoodError: no reference follows.
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
        """A condition on objects, as it follows their noun.

        Args:
            adjectives: a bare colour or size counts too ("how many chairs are black").

        Raises:
            NotUnderstoodError: no condition follows.
        """
        negated = bool(self.take("not"))
        attribute = self._find_said(adjectives or negated)
        if attribute is not None:
            return replace(attribute, negated=negated)
        seen = self._find_clock(depth) or self._find_own_place()
        if seen is not None:
            return replace(seen, negated=negated)
        end_of_row = None if negated else self._find_side_of_row()
        if end_of_row is None and adjectives and not negated:
            end_of_row = self._find_superlative()
        if end_of_row is not None:
            return end_of_row
        here, after = (lexicon.RELATIONS.longest(self.words, self.at + n)[1] for n in (0, 1))
        if after >= here:  # "standing on top of"
            self.skip_posture()
        name, length = lexicon.RELATIONS.longest(self.words, self.at)
        if not length or (depth and self.peek(length) in ("it", "them")):
            raise self.fail()
        self.at += length
        if name in lexicon.COMPARING:
            self.take("to", "from")
            return _compared(name, self.reference(depth + 1))
        return self._related(name, depth + 1, negated)

    def with_conditions(
        self, phrase: NounPhrase, depth: int = 0, adjectives: bool = False
    ) -> NounPhrase:
        """The phrase with all conditions that follow."""
        while (extended := self._find_extended(phrase, depth, adjectives)) is not None:
            phrase = extended
        return phrase

    def _find_said(self, adjectives: bool) -> HasAttribute | None:
        said = self.find_attribute() if adjectives else None
        if said is None and (adjectives or self.peek() in ("to", "good")):
            said = self.find_quality()
        return said

    def _find_clock(self, depth: int) -> Related | None:
        """Find "at my three o'clock" or "at 3 o'clock of the table"."""
        start = self.at
        self.take("at", "in")
        own = self.take("my", "your", "our")
        self.take("the")
        hour = find_relation(f"{self.peek()} o'clock")
        self.at += 1
        if hour is None or not self.take("o'clock", "oclock", "o clock"):
            self.at = start
            return None
        self.take("position", "direction")
        is_of_thing = not own and self.take("of", "from")
        return Related(hour.name, (self.reference(depth + 1) if is_of_thing else Viewer(),))

    def _find_own_place(self) -> Related | None:
        """Find "on my left"."""
        name = self.take_name(lexicon.OWN_PLACES)
        return Related(name, (Viewer(),)) if name else None

    def _find_superlative(self) -> Rank | None:
        """Find the superlative of "that is the largest"."""
        start = self.at
        self.take("the")
        rank = lexicon.SUPERLATIVES.get(self.peek(), "closest")
        if rank in lexicon.COMPARING:
            self.at = start
            return None
        self.at += 1
        return Rank(rank)

    def _related(self, predicate: str, depth: int, negated: bool) -> Related:
        if self.done and predicate in lexicon.OF_VIEWER:
            return Related(predicate, (Viewer(),), negated)
        first = self.reference(depth)
        if predicate == "between" and self.take("and"):
            return Related(predicate, (first, self.reference(depth)), negated)
        if predicate in ("with", "supports"):
            predicate = "supports"
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
        if self.peek() == "both" and self.peek(1) in lexicon.BE:
            self.at += 1
            return Marked()
        if self.peek() not in lexicon.POINTERS:
            return None
        is_one = self.peek(1) == "one" and self.peek(2) in _AFTER_NOUN
        is_look = not self.peek(2) and self.peek(1) in (*lexicon.COLOURS, *lexicon.SIZES)
        _, relation = lexicon.RELATIONS.longest(self.words, self.at + 1)
        if is_one or is_look or relation or self.peek(1) in _AFTER_NOUN:
            self.at += 1 + is_one
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
        phrase = replace(phrase, noun="" if anything else _thing_said(noun))
        if anything and (attribute := self.find_attribute()) is not None:
            phrase = replace(phrase, conditions=(*phrase.conditions, attribute))
        return self.with_conditions(self._anchored_rank(phrase, depth), depth)

    def _determined(self) -> NounPhrase:
        definite = both = mine = False
        while True:
            mine |= self.peek() == "my"
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
        return NounPhrase("", definite, count, of_speaker=mine)

    def _modified(self, phrase: NounPhrase) -> NounPhrase:
        """The phrase with the modifiers before its noun; a final colour is the noun ("an
        orange")."""
        while True:
            start, order = self.at, find_ordinal(self.peek())
            if order is not None:
                self.at += 1
            rank = lexicon.SUPERLATIVES.get(self.peek())
            if self.peek() in _SIDES and self.peek(1) not in ("of", "side", ""):
                rank = _SIDES[self.peek()]
            if rank is not None:
                self.at += 1
                phrase = replace(phrase, ranks=(Rank(rank, order or 1),))
                continue
            if order is not None and self.starts_noun():
                phrase = replace(phrase, ranks=(Rank("leftmost", order),))
                continue
            self.at = start
            attribute = self.find_attribute()
            if attribute is None or not self.starts_noun():
                self.at = start
                return phrase
            phrase = replace(phrase, conditions=(*phrase.conditions, attribute))

    def _anchored_rank(self, phrase: NounPhrase, depth: int) -> NounPhrase:
        """The anchor of "the closest chair to the door"; the side of "the second from the
        right"."""
        if not phrase.ranks:
            return phrase
        (rank,) = phrase.ranks
        if rank.superlative in ("closest", "farthest") and self.take("to", "from"):
            rank = replace(rank, anchor=self.reference(depth + 1))
            return replace(phrase, ranks=(rank,))
        side = self._find_side_of_row() if rank.superlative == "leftmost" else None
        if side is None:
            return phrase
        return replace(phrase, ranks=(replace(side, order=rank.order),))

    def _find_exception(self, phrase: NounPhrase, depth: int) -> Condition | None:
        """Read "besides the chairs" of "anything to sit on besides the chairs", "except the red
        one" of "all chairs except the red one"."""
        start = self.at
        of_all = not _ALL.isdisjoint(self.words[:start])
        said = self.take("except for", "except", "apart from", "other than", "aside from")
        if not said and of_all:
            said = self.take("but")
        if not said and phrase.conditions and not phrase.noun:  # "anything to sit on besides ..."
            said = self.take("besides", "beside")
        things = self.reference(depth + 1) if said else None
        found = None
        if things is not None:
            found = except_things(things, phrase, self.words[start : self.at])
        self.at = start if found is None else self.at
        return found

    def _find_extended(self, phrase: NounPhrase, depth: int, adjectives: bool) -> NounPhrase | None:
        """The phrase with one more condition; None (and no move) where none follows."""
        start = self.at
        if self.done or (depth and self.peek() in (",", "and")):
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
            exception = None if depth else self._find_exception(phrase, depth)
            condition = exception or self.condition(depth, adjectives)
        except NotUnderstoodError:
            self.at = start
            return None
        if phrase.definite and isinstance(condition, Related):
            condition = _one_far_away(condition)
        if isinstance(condition, Rank):
            if phrase.ranks and phrase.ranks[0].superlative != "leftmost":
                self.at = start
                return None
            order = phrase.ranks[0].order if phrase.ranks else 1
            return replace(phrase, ranks=(replace(condition, order=order),))
        return replace(phrase, conditions=(*phrase.conditions, condition))


def except_things(things: Reference, phrase: NounPhrase, said: Sequence[str]) -> Condition | None:
    """The condition of a phrase that excepts things: chairs "except the red one" but the red chair.

    Args:
        said: the words of the things.
    """
    if isinstance(things, NounPhrase) and things.noun.isdecimal():
        return Among(ObjectNumber(int(things.noun[:9])), negated=True)
    if isinstance(things, NounPhrase) and things == NounPhrase(things.noun, things.definite):
        return Described(things.noun, negated=True) if things.noun else None
    if isinstance(things, Viewer):
        return None
    if isinstance(things, NounPhrase) and phrase.noun and not things.noun:
        kind = normal(phrase.noun)
        things = replace(things, noun=plural(kind) if "ones" in said else kind)
    return Among(things, negated=True)


def _compared(name: str, anchor: Reference) -> Rank:
    return Rank("closest" if name == "closest" else "farthest", 1, anchor)


def _one_far_away(condition: Related) -> Related | Rank:
    """ "Far" as "farthest" in a definite phrase ("the chair far from the door")."""
    if condition.predicate != "far" or condition.negated:
        return condition
    return _compared("farthest", condition.anchors[0])


def _thing_said(noun: list[str]) -> str:
    """The noun; "anybody" and the like are persons."""
    return "person" if len(noun) == 1 and noun[0] in lexicon.ANYBODY else " ".join(noun)


def _bare(phrase: NounPhrase) -> NounPhrase:
    return NounPhrase(phrase.noun, definite=phrase.definite)
