"""A place among the words of a sentence."""

from __future__ import annotations

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.tokens import Token


class Cursor:
    """Moves over words from the front; `furthest` remembers where reading failed."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.words = tuple(token.word for token in tokens)
        self.at = 0
        self.furthest = 0

    @property
    def done(self) -> bool:
        return self.at >= len(self.words)

    def peek(self, offset: int = 0) -> str:
        """The word at an offset; empty after the end."""
        place = self.at + offset
        return self.words[place] if place < len(self.words) else ""

    def take(self, *phrases: str) -> str:
        """Move over the first of the phrases that stands here; empty where none does."""
        for phrase in phrases:
            words = tuple(phrase.split())
            if self.words[self.at : self.at + len(words)] == words:
                self.at += len(words)
                return phrase
        return ""

    def cut(self, end: int) -> None:
        """Read only up to a word: what comes after it was read from the back."""
        self.words = self.words[:end]

    def cut_ending(self, *phrases: str) -> str:
        """Read only up to the first of the phrases that the words end with; "" for none."""
        for phrase in phrases:
            words = tuple(phrase.split())
            if self.words[self.at :][-len(words) :] == words:
                self.cut(len(self.words) - len(words))
                return phrase
        return ""

    def take_of(self, words: frozenset[str]) -> str:
        """Move over a word of the set; empty where another stands."""
        return self.take(self.peek()) if self.peek() in words else ""

    def fail(self) -> ReasoningError:
        """The error for the word that cannot be read, to be raised."""
        self.furthest = max(self.furthest, self.at)
        return ReasoningError("not_understood", self.quote())

    def quote(self) -> str:
        """The first words that could not be read, as they were said."""
        place = min(self.furthest, len(self.tokens))
        return self.text[self.tokens[place].start :].strip() if place < len(self.tokens) else ""
