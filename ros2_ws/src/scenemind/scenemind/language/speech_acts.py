"""What people say around a sentence: whom they address, politeness, stress, objections.

The words stand in `speech_acts.yaml`, by classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from scenemind.language.english import patterns_of, read_table

# Before them a word ends a noun phrase: "is there a man".
_NOT_AFTER = "".join(rf"(?<!\b{word})" for word in ("a", "an", "the", "my", "any", "no"))
_LONGEST = 60  # characters of what stands at the end


class Frame:
    """What may stand before and after a kind of sentence."""

    def __init__(self, front: str, back: str) -> None:
        """
        Args:
            front, back: classes of `speech_acts.yaml`.
        """
        patterns = speech_patterns()
        self._front = re.compile(rf"(?:{patterns[front]}(?: |$)|, |,$)")
        self._back = re.compile(rf"{_NOT_AFTER}(?: |^){patterns[back]}$")

    def starts(self, words: Sequence[str]) -> list[int]:
        """Numbers of the words up to which nothing else stands, from 0."""
        said, starts, at = " ".join(words), [0], 0
        while at < len(said) and (found := self._front.match(said, at)):
            at = found.end()
            starts.append(len(said[:at].split()))
        return starts

    def end(self, words: Sequence[str]) -> int:
        """Number of the word from which on nothing else stands."""
        said = " ".join(words)
        while said and (found := self._back.search(said, max(0, len(said) - _LONGEST))):
            said = said[: found.start()]
        return len(said.split())


def words_of_class(name: str) -> frozenset[str]:
    """The options of a class."""
    return frozenset(_classes()[name])


@cache
def speech_patterns() -> dict[str, str]:
    """A regular expression for each class."""
    return patterns_of(_classes())


@cache
def _classes() -> dict[str, list[str]]:
    classes: dict[str, list[str]] = read_table("scenemind.language", "speech_acts.yaml")
    return classes
