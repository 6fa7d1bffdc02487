"""From a person's words to the labels that objects bear.

Labels match a word in four strict ways (the same word, a synonym, a compound whose head it is, a
kind of it), and where none does in three loose ways (things commonly mixed up, a barer word, a
spelling slip): with a mug and a cup in the memory, "mug" means the mug.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from rapidfuzz import fuzz, process

from scenemind.words.english import normal, shown
from scenemind.words.label_index import LONGEST_NAME, LabelIndex
from scenemind.words.thesaurus import Thesaurus

_CLOSE, _SPELLING = 0.7, 0.8
# Share of a score that is left where a word of the phrase is not known to hold.
BARER = 0.6
_MIN_LOOKALIKE = 0.8
_MIN_SUGGESTED = 0.6
_SHORTEST_MISSPELLED = 4
_MOST_WORDS = 8  # the last ones of a phrase, which name the thing


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A label that a phrase may mean; `score` in (0, 1].

    Attributes:
        reason: what the label is to the phrase, or to what is left of it without `unknown`.
        unknown: words of the phrase that the label says nothing about ("wooden" of "wooden chair"
            for the label "chair").
    """

    label: str
    score: float
    reason: str
    unknown: str = ""

    @property
    def sure(self) -> bool:
        """The label's things are what was said, not only like it."""
        return self.score > _CLOSE and not self.unknown

    @property
    def note(self) -> str:
        """The reason, and what is not known to hold."""
        return f"{self.reason}; nothing says {self.unknown}" if self.unknown else self.reason


class Vocabulary:
    """The rules above, on a thesaurus."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus

    @classmethod
    @cache
    def load(cls) -> Vocabulary:
        """With the packaged thesaurus."""
        return cls(Thesaurus.load())

    def match(self, words: str, labels: Iterable[str]) -> list[WordMatch]:
        """Labels that the words may mean, best first; all strict ones or else all loose ones."""
        return list(self._matches(normal(words), frozenset(labels)))

    def match_in(self, words: str, index: LabelIndex) -> list[WordMatch]:
        """The same for labels that are indexed: the time does not grow with their number, but for
        slips in spelling."""
        wanted = normal(words)
        if not wanted:
            return []
        for rule in (self.strict, self.loose, self._barer, self.misspelled):
            found = rule(wanted, index)
            if found:
                return found
        return []

    def suggest(self, words: str, labels: Iterable[str], count: int = 3) -> list[str]:
        """Labels that look or mean most like the words, for "did you mean"."""
        index = LabelIndex(labels)
        wanted = normal(words)
        alike = index.look_alikes(wanted[:LONGEST_NAME], _MIN_SUGGESTED, count)
        names = [*sorted(self._thesaurus.alike(wanted)), *(name for name, _ in alike)]
        near = (label for name in names for label in index.called(name))
        return list(dict.fromkeys(near))[:count]

    def strict(self, wanted: str, index: LabelIndex, unknown: str = "") -> list[WordMatch]:
        """Labels of what surely is such a thing, best first; `wanted` in its normal form.

        Args:
            unknown: other words of the phrase, which the labels say nothing about.
        """
        left = BARER if unknown else 1.0
        best: dict[str, WordMatch] = {}
        for name in self._thesaurus.names(wanted):
            for labels, score, reason in (
                (index.called(name.text), left * name.whole, name.reason),
                (index.ending_in(name.text), left * name.head, name.head_reason),
            ):
                for label in labels:
                    if label not in best or score > best[label].score:
                        best[label] = WordMatch(label, score, reason, unknown)
        return sorted(best.values(), key=_best_first)

    def loose(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        """Labels of what is mixed up with it."""
        return _best_of_each(
            WordMatch(label, _CLOSE, f"often mixed up with {wanted}")
            for name in self._thesaurus.alike(wanted)
            for label in index.called(name)
        )

    def misspelled(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        """Labels of what may have been meant: the name, a synonym, or the last words' name."""
        for unknown, rest in _shortened(wanted):
            found = self._spelled_like(rest, index)
            if found:
                return [_without(unknown, match) if unknown else match for match in found]
        return []

    @lru_cache(maxsize=512)  # noqa: B019  (one vocabulary lives as long as the process)
    def _matches(self, wanted: str, labels: frozenset[str]) -> tuple[WordMatch, ...]:
        return tuple(self.match_in(wanted, _index_of(labels)))

    def _barer(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        """Labels of the phrase without its first words, as few of them as possible."""
        head, of, content = wanted.partition(" of ")
        if of:
            return self.strict(normal(head), index, f"of {content}")
        for unknown, rest in _shortened(wanted):
            found = self.strict(rest, index, unknown) if unknown else []
            if found:
                return found
        return []

    def _spelled_like(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        if not _SHORTEST_MISSPELLED <= len(wanted) <= LONGEST_NAME:
            return []
        for name, _ in index.look_alikes(wanted, _MIN_LOOKALIKE, 1):
            return [_read_as(label, wanted, name) for label in index.called(name)]
        # A misspelled synonym: "televison" where the memory says tv.
        known = process.extractOne(
            wanted, self._thesaurus.known(), scorer=fuzz.ratio, score_cutoff=100.0 * _MIN_LOOKALIKE
        )
        if known is None:
            return []
        names = sorted(self._thesaurus.synonyms(known[0]))
        return [_read_as(label, wanted, known[0]) for n in names for label in index.called(n)]


def did_you_mean(words: str, labels: Sequence[str], vocabulary: Vocabulary) -> str:
    """A sentence that helps on after a word that fits nothing; empty for no labels."""
    near = vocabulary.suggest(words, labels)
    if near:
        return f" Did you mean {' or '.join(shown(label) for label in near)}?"
    known = sorted({shown(label) for label in labels})
    if not known:
        return ""
    more = f" and {len(known) - 12} more kinds" if len(known) > 12 else ""
    return f" Known are: {', '.join(known[:12])}{more}."


@lru_cache(maxsize=16)
def _index_of(labels: frozenset[str]) -> LabelIndex:
    return LabelIndex(labels)


def _without(unknown: str, match: WordMatch) -> WordMatch:
    return WordMatch(match.label, BARER * match.score, match.reason, unknown)


def _read_as(label: str, wanted: str, name: str) -> WordMatch:
    return WordMatch(label, _SPELLING, f'"{wanted}" read as {name}')


def _shortened(wanted: str) -> Iterator[tuple[str, str]]:
    """("", "old red chair"), ("old", "red chair"), ("old red", "chair")."""
    words = wanted.split(" ")
    for first in range(max(0, len(words) - _MOST_WORDS), len(words)):
        yield " ".join(words[:first]), " ".join(words[first:])


def _best_of_each(matches: Iterable[WordMatch]) -> list[WordMatch]:
    best: dict[str, WordMatch] = {}
    for match in matches:
        if match.label not in best or match.score > best[match.label].score:
            best[match.label] = match
    return sorted(best.values(), key=_best_first)


def _best_first(match: WordMatch) -> tuple[float, str]:
    return -match.score, match.label
