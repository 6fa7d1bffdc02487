"""Words about a noun that refer to no other thing: colours, sizes, sides, superlatives."""

from __future__ import annotations

from scenemind.memory.graph.relations.names import find_relation
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.cursor import Cursor
from scenemind.reasoning.symbolic.syntax import Attribute, HasAttribute, Rank
from scenemind.words.english import find_number

_LONGEST_USE = 3  # words of "to sit on"
_LONGEST_NAME = 3  # words of a material, or of who owns a thing
# A quality that something else follows is a part of a name ("round table").
_AFTER_QUALITY = ("", "and", ",", "but", "it", "this", "that", "instead", "rather")


class Modifiers(Cursor):
    """Reads them from the front; a `find_*` that finds none does not move."""

    def find_attribute(self) -> HasAttribute | None:
        """ "dark red", "black and red", "small"."""
        colours = self._colours()
        if colours:
            self.take("in color", "in colour")
            return HasAttribute("color", colours)
        word = self.peek()
        if word in lexicon.SIZES:
            self.at += 1
            self.take("in size")
            return HasAttribute("size", lexicon.SIZES[word])
        return None

    def find_quality(self) -> HasAttribute | None:
        """ "empty" of "is empty", "to sit on" of "something to sit on"."""
        start = self.at
        self.take("good", "useful", "suitable")
        if self.take("to") and self.peek() in lexicon.USES:
            use = self.words[self.at :]
            if len(use) <= _LONGEST_USE and lexicon.DEFINITE.isdisjoint(use):
                self.at += len(use)
                return HasAttribute("affordance", " ".join(use))
        self.at = start
        if self.take("made of", "made from", "made out of"):
            return self._named("material")
        if self.take("owned by"):
            return self._named("owner")
        if length := lexicon.longest(lexicon.MATERIALS, self.words, self.at)[1]:
            said = " ".join(self.words[self.at : self.at + length])
            self.at += length
            return HasAttribute("material", said)
        self.take("switched", "turned")
        word = self.peek()
        if word in lexicon.QUALITIES:
            self.at += 1
            self.take("in shape", "in form", "in texture")
            if self.peek() in _AFTER_QUALITY:
                return HasAttribute(lexicon.QUALITIES[word], word)
        self.at = start
        return None

    def _named(self, key: Attribute) -> HasAttribute | None:
        """ "stainless steel": up to three words."""
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
        """One colour, or several that belong to one thing with "and" between them; "" for none."""
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
        """How many words name a colour at an offset; 0 where none is."""
        shaded = self.peek(offset) in lexicon.SHADES
        return 1 + shaded if self.peek(offset + shaded) in lexicon.COLOURS else 0

    def find_side_adjective(self) -> Rank | None:
        """ "left" of "the left chair"."""
        if self.peek() in ("left", "right") and self.peek(1) not in ("of", "side", ""):
            return Rank("leftmost" if self.take("left", "right") == "left" else "rightmost")
        return None

    def find_side(self) -> Rank | None:
        """ "on the left", "from the right": one end of the row, not a relation to a thing."""
        start = self.at
        if self.take("on the", "to the", "from the", "at the"):
            side = self.take("left", "right")
            self.take("hand side", "side", "end")
            if side and self.peek() != "of" and self._at_end_of_noun():
                return Rank("leftmost" if side == "left" else "rightmost")
        self.at = start
        return None

    def _at_end_of_noun(self) -> bool:
        """ "On the left" is followed by something else than "wall"."""
        following = self.peek()
        return self.at_relation() or following in lexicon.NOUN_END | {"", ",", "and"}

    def find_superlative(self, adjectives: bool) -> Rank | None:
        """ "that is the largest"."""
        start = self.at
        self.take("the")
        rank = lexicon.SUPERLATIVES.get(self.peek()) if adjectives else None
        if rank is None or rank in ("closest", "farthest"):
            self.at = start
            return None
        self.at += 1
        return Rank(rank)

    def find_own_side(self) -> str:
        """ "on my left": the relation to who speaks; "" where something else stands here."""
        start = self.at
        if self.take("on", "to", "at", "from") and self.take("my", "your", "our"):
            side = self.take("left", "right")
            self.take("hand side", "side")
            if side:
                return f"{side} of"
        self.at = start
        return ""

    def find_hour(self) -> str:
        """ "3 o'clock" of "at my three o'clock"; "" where something else stands here."""
        start = self.at
        hour = find_number(self.peek())
        relation = None if hour is None else find_relation(f"{hour} o'clock")
        self.at += 1
        if relation is None or not self.take("o'clock", "oclock", "o clock"):
            self.at = start
            return ""
        self.take("position", "direction")
        return relation.name

    def at_relation(self) -> bool:
        """Whether a relation stands here, with or without a word of posture before it."""
        return bool(lexicon.longest(lexicon.RELATIONS, self.words, self.at)[1]) or self.at_posture()

    def at_posture(self) -> bool:
        """Whether a word of posture stands here that a relation, or nothing, follows."""
        before_relation = lexicon.longest(lexicon.RELATIONS, self.words, self.at + 1)[1] > 0
        return self.peek() in lexicon.POSTURES and (before_relation or not self.peek(1))

    def skip_posture(self) -> None:
        """Move over "standing" in "standing on the table"."""
        if self.at_posture():
            self.at += 1
