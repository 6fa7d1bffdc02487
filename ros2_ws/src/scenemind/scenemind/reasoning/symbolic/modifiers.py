"""Words about a noun that refer to no other thing: colours, sizes, sides, superlatives."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.cursor import Cursor
from scenemind.reasoning.symbolic.syntax import HasAttribute, Rank


class Modifiers(Cursor):
    """Reads them from the front; a `find_*` that finds none does not move."""

    def find_attribute(self) -> HasAttribute | None:
        """ "dark red", "black and red", "small"."""
        colours = self._colours()
        if colours:
            return HasAttribute("color", colours)
        word = self.peek()
        if word in lexicon.SIZES:
            self.at += 1
            return HasAttribute("size", lexicon.SIZES[word])
        return None

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
        if self.take(
            "on the", "to the", "on your", "to your", "from the", "on my", "to my", "at the"
        ):
            side = self.take("left", "right")
            self.take("hand side", "side", "end")
            if side and self.peek() != "of":
                return Rank("leftmost" if side == "left" else "rightmost")
        self.at = start
        return None

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

    def at_posture(self) -> bool:
        """Whether a word of posture stands here that a relation, or nothing, follows."""
        before_relation = lexicon.longest(lexicon.RELATIONS, self.words, self.at + 1)[1] > 0
        return self.peek() in lexicon.POSTURES and (before_relation or not self.peek(1))

    def skip_posture(self) -> None:
        """Move over "standing" in "standing on the table"."""
        if self.at_posture():
            self.at += 1
