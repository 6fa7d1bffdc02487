"""Trying rules on a sentence: the first that reads all of it wins.

What none reads is quoted from the word at which the best rule stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.tokens import Token

Tree = TypeVar("Tree")


class RuleBook(Generic[Tree]):
    """Rules in the order in which they are tried; None from one: another shape."""

    def __init__(self, rules: Sequence[Callable[[Parser], Tree | None]]) -> None:
        self._rules = rules

    def read(self, text: str, tokens: list[Token]) -> Tree:
        """What the first rule makes of it that reads everything.

        Raises:
            ReasoningError: `not_understood`; its text is the part that could not be read.
        """
        furthest = 0
        for rule in self._rules:
            parser = Parser(text, tokens)
            try:
                tree = rule(parser)
            except ReasoningError:
                tree = None
            if tree is not None and parser.done:
                return tree
            furthest = max(furthest, parser.furthest, parser.at)
        parser = Parser(text, tokens)
        parser.furthest = furthest
        raise ReasoningError("not_understood", parser.quote() or text.strip())


def without_openings(tokens: list[Token]) -> list[Token]:
    """Less "please", "can you tell me" and the like at the front."""
    words = tuple(token.word for token in tokens)
    start = 0
    while start < len(words):
        _, length = lexicon.longest(lexicon.OPENINGS, words, start)
        if not length and not (start and words[start] == ","):
            break
        start += length or 1
    return tokens[start:] or tokens


def without_closings(tokens: list[Token]) -> list[Token]:
    """Less "in the room", "do you see" and the like at the end."""
    words = tuple(token.word for token in tokens)
    end = len(words)
    while True:
        lengths = [n for n in range(1, 6) if n < end and words[end - n : end] in lexicon.CLOSINGS]
        if not lengths:
            return tokens[:end]
        end -= max(lengths)
        while end > 1 and words[end - 1] == ",":
            end -= 1
