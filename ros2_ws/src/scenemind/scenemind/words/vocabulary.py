"""From a person's words to the labels that objects bear.

Labels match a word in four strict ways (the same word, a synonym, a compound whose head it is, a
kind of it), and where none does in three loose ways (things commonly mixed up, a barer word, a
spelling slip): with a mug and a cup in the memory, "mug" means the mug.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.resources import files

import yaml

from scenemind.words.english import shown, singular

_EXACT, _SYNONYM, _HEAD, _SYNONYM_HEAD, _KIND = 1.0, 0.97, 0.95, 0.9, 0.9
_CLOSE, _BARER, _SPELLING = 0.7, 0.6, 0.8
_MIN_LOOKALIKE = 0.8
# Longer labels are no words that somebody would say; comparing them costs quadratic time.
_MAX_LABEL = 60

_Judge = Callable[[str], "tuple[float, str] | None"]


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A label that a phrase may mean; `score` in (0, 1], `reason` in words.

    Attributes:
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


class Vocabulary:
    """Synonyms of indoor things, and the rules above."""

    def __init__(
        self,
        same: Sequence[Sequence[str]],
        close: Sequence[Sequence[str]],
        kinds: Mapping[str, Sequence[str]],
    ) -> None:
        self._same = _neighbours(same)
        self._close = _neighbours(close)
        self._kinds = {normal(kind): self._with_synonyms(ws) for kind, ws in kinds.items()}

    @classmethod
    @cache
    def load(cls) -> Vocabulary:
        """The packaged one."""
        text = files("scenemind.words").joinpath("synonyms.yaml").read_text(encoding="utf-8")
        data = yaml.safe_load(text)
        return cls(data["same"], data["close"], data["kinds"])

    def match(self, words: str, labels: Iterable[str]) -> list[WordMatch]:
        """Labels that the words may mean, best first; all strict ones or else all loose ones."""
        return list(self._matches(normal(words), frozenset(labels)))

    def suggest(self, words: str, labels: Iterable[str], count: int = 3) -> list[str]:
        """Labels that look or mean most like the words, for "did you mean"."""
        wanted, known = normal(words), {normal(label): label for label in sorted(labels)}
        alike = difflib.get_close_matches(wanted[:_MAX_LABEL], _sayable(known), count, cutoff=0.6)
        near = [word for word in self._close.get(wanted, ()) if word in known]
        return [known[word] for word in dict.fromkeys((*near, *alike))][:count]

    @lru_cache(maxsize=512)  # noqa: B019  (one vocabulary lives as long as the process)
    def _matches(self, wanted: str, labels: frozenset[str]) -> tuple[WordMatch, ...]:
        if not wanted:
            return ()
        pairs = [(label, normal(label)) for label in labels]
        found = _collect(pairs, partial(self._strict, wanted))
        if not found:
            found = _collect(pairs, partial(self._loose, wanted))
        if not found:
            found = self._barer(wanted, pairs)
        if not found:
            found = self._by_spelling(wanted, pairs)
        return tuple(sorted(found, key=lambda match: (-match.score, match.label)))

    def _with_synonyms(self, words: Sequence[str]) -> frozenset[str]:
        known = {normal(word) for word in words}
        return frozenset(known.union(*(self._same.get(word, ()) for word in known)))

    def _strict(self, wanted: str, label: str) -> tuple[float, str] | None:
        if label == wanted:
            return _EXACT, "the same word"
        synonyms = self._same.get(wanted, frozenset())
        if label in synonyms:
            return _SYNONYM, f"another word for {wanted}"
        if label.endswith(" " + wanted):
            return _HEAD, f"a kind of {wanted}"
        if any(label.endswith(" " + word) for word in synonyms):
            return _SYNONYM_HEAD, f"a kind of {wanted}"
        members = self._kinds.get(wanted, frozenset())
        if label in members or label.rpartition(" ")[2] in members:
            return _KIND, f"a kind of {wanted}"
        return None

    def _loose(self, wanted: str, label: str) -> tuple[float, str] | None:
        names = self._same.get(wanted, frozenset()) | {wanted}
        if any(label in self._close.get(name, ()) for name in names):
            return _CLOSE, f"often mixed up with {wanted}"
        return None

    def _barer(self, wanted: str, pairs: list[tuple[str, str]]) -> list[WordMatch]:
        """Labels of the phrase without its first words, as few of them as possible."""
        head, of, content = wanted.partition(" of ")
        if of:
            found = _collect(pairs, partial(self._strict, normal(head)))
            unknown = f"of {content}"
            return [WordMatch(m.label, _BARER, f"nothing says {unknown}", unknown) for m in found]
        first, _, rest = wanted.partition(" ")
        unknown = first
        while rest:
            found = _collect(pairs, partial(self._strict, rest))
            if found:
                reason = f"nothing says {unknown}"
                return [WordMatch(m.label, _BARER * m.score, reason, unknown) for m in found]
            first, _, rest = rest.partition(" ")
            unknown = f"{unknown} {first}"
        return []

    def _by_spelling(self, wanted: str, pairs: list[tuple[str, str]]) -> list[WordMatch]:
        if len(wanted) < 4 or len(wanted) > _MAX_LABEL:
            return []
        by_word: dict[str, list[str]] = {}
        for label, word in pairs:
            by_word.setdefault(word, []).append(label)
        best = difflib.get_close_matches(wanted, _sayable(by_word), 1, cutoff=_MIN_LOOKALIKE)
        if best:
            return [
                WordMatch(label, _SPELLING, f'"{wanted}" read as {word}')
                for word in best
                for label in by_word[word]
            ]
        # A misspelled synonym: "televison" where the memory says tv.
        known = difflib.get_close_matches(wanted, self._same, 1, cutoff=_MIN_LOOKALIKE)
        return [
            WordMatch(label, _SPELLING, f'"{wanted}" read as {known[0]}')
            for label, word in pairs
            if known and word in self._same[known[0]]
        ]


def normal(words: str) -> str:
    """Lower case, single spaces, no hyphens or underscores, the last word in the singular."""
    cleaned = words.lower().replace("_", " ").replace("-", " ").split()
    return " ".join((*cleaned[:-1], singular(cleaned[-1]))) if cleaned else ""


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


def _collect(pairs: list[tuple[str, str]], judge: _Judge) -> list[WordMatch]:
    judged = ((label, judge(word)) for label, word in pairs)
    return [WordMatch(label, *verdict) for label, verdict in judged if verdict]


def _neighbours(groups: Sequence[Sequence[str]]) -> dict[str, frozenset[str]]:
    near: dict[str, set[str]] = {}
    for group in groups:
        words = {normal(word) for word in group}
        for word in words:
            near.setdefault(word, set()).update(words - {word})
    return {word: frozenset(others) for word, others in near.items()}


def _sayable(words: Iterable[str]) -> list[str]:
    return [word for word in words if len(word) <= _MAX_LABEL]
