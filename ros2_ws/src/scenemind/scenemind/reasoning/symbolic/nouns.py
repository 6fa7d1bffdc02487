"""How far a noun goes: "trash can" and "cup of tea", but "cup" of "cup on the table"."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.modifiers import Modifiers


class Nouns(Modifiers):
    """Reads nouns of several words."""

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
        if lexicon.longest(lexicon.RELATIONS, self.words, self.at)[1]:
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
        """ "can" of a trash can, not of "can you"."""
        return self.peek() == "can" and self.peek(1) not in ("i", "we", "you")

    def _noun_after_of(self) -> bool:
        following = self.peek(1)
        return bool(following) and following not in lexicon.NOUN_END | lexicon.DEFINITE
