"""The labels of a map by what they are called, so that a word finds them without reading all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from rapidfuzz import fuzz, process

from scenemind.words.english import normal

# Longer labels are no words that somebody would say, and are found by the whole of them only.
LONGEST_NAME = 60
_PERCENT = 100.0


class LabelIndex:
    """Grows and shrinks with the map. A name is a label's normal form (`english.normal`)."""

    def __init__(self, labels: Iterable[str] = ()) -> None:
        self._called: dict[str, set[str]] = {}
        self._ending: dict[str, set[str]] = {}
        self._sayable: dict[str, str] = {}  # name -> itself, as rapidfuzz takes choices
        for label in labels:
            self.add(label)

    def add(self, label: str) -> None:
        """A label that is not there yet."""
        name = normal(label)
        self._called.setdefault(name, set()).add(label)
        if len(name) <= LONGEST_NAME:
            self._sayable[name] = name
        for ending in _endings(name):
            self._ending.setdefault(ending, set()).add(label)

    def remove(self, label: str) -> None:
        """A label that is there."""
        name = normal(label)
        _drop(self._called, name, label)
        if name not in self._called:
            self._sayable.pop(name, None)
        for ending in _endings(name):
            _drop(self._ending, ending, label)

    def __iter__(self) -> Iterator[str]:
        """Every label."""
        return chain.from_iterable(self._called.values())

    def called(self, name: str) -> list[str]:
        """Labels with exactly this name."""
        return sorted(self._called.get(name, ()))

    def ending_in(self, name: str) -> list[str]:
        """Labels whose last words are this name, and which have more words before."""
        return sorted(self._ending.get(name, ()))

    def look_alikes(self, name: str, least: float, count: int) -> list[tuple[str, float]]:
        """Names that are spelled alike, with how alike in [least, 1], best first.

        The measure is the share of letters that both have in the same order (Indel similarity).
        """
        if len(name) > LONGEST_NAME:
            return []
        found = process.extract(
            name, self._sayable, scorer=fuzz.ratio, score_cutoff=_PERCENT * least, limit=count
        )
        return [(text, ratio / _PERCENT) for text, ratio, _ in found]


def _endings(name: str) -> list[str]:
    """ "table" of "dining table": all that it ends in but the whole."""
    if len(name) > LONGEST_NAME:
        return []
    words = name.split(" ")
    return [" ".join(words[first:]) for first in range(1, len(words))]


def _drop(groups: dict[str, set[str]], name: str, label: str) -> None:
    groups[name].discard(label)
    if not groups[name]:
        del groups[name]
