"""A question about a room, and whether a reply is right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

QuestionKind = Literal[
    "exists",
    "count",
    "where",
    "on",
    "color",
    "closest",
    "ground",
    "verify",
    "wall",
    "changed",
]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Question:
    """A question or phrase with its answer.

    Attributes:
        text: as a person would say it; for `ground` a phrase that means one object.
        kind: what is asked.
        expected: words of a right answer: "yes", "4", "dining table", "red", all labels of "on".
        target_ids: instance ids of the objects that it is about; empty for what is not there.
    """

    text: str
    kind: QuestionKind
    expected: tuple[str, ...]
    target_ids: tuple[int, ...]

    def is_answered_by(self, text: str, instance_ids: Sequence[int] = ()) -> bool:
        """Whether a reply is right.

        Args:
            text: the sentence.
            instance_ids: the objects that it names, best first, as instance ids (see
                `MatchTable.instance_of`); all that counts for "closest" and "ground".
        """
        words = re.findall(r"[a-z0-9]+", text.lower())
        if self.kind in ("closest", "ground"):
            return tuple(instance_ids[:1]) == self.target_ids
        if self.kind in ("exists", "verify"):
            return words[:1] == list(self.expected)
        if self.kind == "count":
            return _first_number(words) == int(self.expected[0])
        sentence = f" {' '.join(words)} "
        return all(f" {word} " in sentence for word in self.expected)


def _first_number(words: list[str]) -> int | None:
    for word in words:
        if word.isdigit():
            return int(word)
        if word in _NUMBERS:
            return _NUMBERS.index(word)
    return None
