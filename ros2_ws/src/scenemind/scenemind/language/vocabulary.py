"""From a person's words to the labels that objects bear.

Labels match a word in four strict ways (the same word, a synonym, a compound whose head it is, a
kind of it), and where none does in three loose ways (things commonly mixed up, a barer word, a
spelling slip): with a mug and a cup in the memory, "mug" means the mug.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from scenemind.language.english import normal, read_table, shown
from scenemind.language.word_vectors import is_known, likenesses

_EXACT, SYNONYM, _HEAD, _SYNONYM_HEAD, _KIND = 1.0, 0.97, 0.95, 0.9, 0.9
# Longer labels are found by their whole name only.
LONGEST_NAME = 60
_PERCENT = 100.0
_CLOSE, _SPELLING = 0.7, 0.8
# Factor for a phrase with a word that the label does not confirm.
BARER = 0.6
_MIN_LOOKALIKE, _MIN_WHOLE = 0.8, 0.9
_MIN_SUGGESTED, _MOST_SLIPS = 0.55, 2
_MIN_LIKENESS = 0.7  # of what names mean
_SHORTEST_MISSPELLED = 4
_MOST_WORDS = 8  # the last ones of a phrase, which name the thing


@dataclass(frozen=True, slots=True)
class Name:
    """A name for which a word may stand.

    Attributes:
        text: normal form.
        whole, head: scores in (0, 1] of a label that is this name, and of one that ends in it
            ("dining table" for "table").
        reason, head_reason: the same in words.
    """

    text: str
    whole: float
    head: float
    reason: str
    head_reason: str


class Thesaurus:
    """Synonyms, confusable words, kinds and attributes, all in normal form (`english.normal`)."""

    def __init__(
        self,
        same: Sequence[Sequence[str]],
        close: Sequence[Sequence[str]],
        kinds: Mapping[str, Sequence[str]],
        attributes: Sequence[Sequence[str]] = (),
        called: Sequence[Sequence[str]] = (),
    ) -> None:
        """
        Args:
            same: words for one thing.
            close: words for things that are often confused.
            kinds: wider word -> its members, including their synonyms.
            attributes: words for one colour, size, material or state.
            called: of the confused ones, those that people call by each other's name.
        """
        self._same = _neighbours(same)
        self._close = _neighbours(close)
        self._attributes = _neighbours(attributes)
        self._called = _neighbours(called)
        self._kinds = {normal(kind): self._with_synonyms(ws) for kind, ws in kinds.items()}

    @classmethod
    @cache
    def load(cls) -> Thesaurus:
        """The packaged one."""
        data = read_table("scenemind.language", "synonyms.yaml")
        return cls(data["same"], data["close"], data["kinds"], data["attributes"], data["called"])

    def known(self) -> tuple[str, ...]:
        """Every word with a synonym."""
        return tuple(self._same)

    def synonyms(self, word: str) -> frozenset[str]:
        """Synonyms of a word."""
        return self._same.get(word, frozenset())

    def alike(self, word: str) -> frozenset[str]:
        """Words for things that are often confused with the things of a word, and for its kinds:
        a palm may be in the map as a plant."""
        names = self.synonyms(word) | {word}
        kinds = [kind for kind, members in self._kinds.items() if not names.isdisjoint(members)]
        close = (self._close.get(name, frozenset()) for name in names)
        return frozenset(kinds).union(*map(self.synonyms, kinds), *close) - names

    def is_called(self, label: str, word: str) -> bool:
        """Whether people call a thing of a label by a word, though it is another thing's name."""
        names = self.synonyms(normal(word)) | {normal(word)}
        return any(normal(label) in self._called.get(name, ()) for name in names)

    def attribute_words(self, word: str) -> frozenset[str]:
        """An attribute word and its synonyms."""
        return self._attributes.get(word, frozenset()) | {word}

    def names(self, word: str) -> Iterator[Name]:
        """Names of things that surely are such things, best first."""
        yield Name(word, _EXACT, _HEAD, "the same word", f"a kind of {word}")
        for other in sorted(self.synonyms(word)):
            reason = f"another word for {word}"
            yield Name(other, SYNONYM, _SYNONYM_HEAD, reason, f"a kind of {word}")
        for member in sorted(self._kinds.get(word, ())):
            yield Name(member, _KIND, _KIND, f"a kind of {word}", f"a kind of {word}")

    def _with_synonyms(self, words: Sequence[str]) -> frozenset[str]:
        known = {normal(word) for word in words}
        return frozenset(known.union(*(self.synonyms(word) for word in known)))


def _neighbours(groups: Sequence[Sequence[str]]) -> dict[str, frozenset[str]]:
    near: dict[str, set[str]] = {}
    for group in groups:
        words = {normal(word) for word in group}
        for word in words:
            near.setdefault(word, set()).update(words - {word})
    return {word: frozenset(others) for word, others in near.items()}


class LabelIndex:
    """Index of labels by name, which grows and shrinks with the map; names are in normal form."""

    def __init__(self, labels: Iterable[str] = ()) -> None:
        self._called: dict[str, set[str]] = {}
        self._ending: dict[str, set[str]] = {}
        self._sayable: dict[str, str] = {}  # name -> itself, as rapidfuzz takes choices
        for label in labels:
            self.add(label)

    def add(self, label: str) -> None:
        """Add a label that is not there yet."""
        name = normal(label)
        self._called.setdefault(name, set()).add(label)
        if len(name) <= LONGEST_NAME:
            self._sayable[name] = name
        for ending in _endings(name):
            self._ending.setdefault(ending, set()).add(label)

    def remove(self, label: str) -> None:
        """Remove a label that is there."""
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
        """Labels that end in this name after other words."""
        return sorted(self._ending.get(name, ()))

    def look_alikes(self, name: str, least: float, count: int) -> list[tuple[str, float]]:
        """Names spelled alike, with their similarity in [least, 1], best first.

        The measure is the share of letters in the same order in both (Indel similarity).
        """
        if len(name) > LONGEST_NAME:
            return []
        found = process.extract(
            name, self._sayable, scorer=fuzz.ratio, score_cutoff=_PERCENT * least, limit=count
        )
        return [(text, ratio / _PERCENT) for text, ratio, _ in found]

    def spelled_alike(self, name: str, least: float, count: int) -> list[str]:
        """Names that differ by few slips, best first.

        Args:
            least: share of the letters that are right.
        """
        scorer = OSA.normalized_similarity
        choices = self._sayable if len(name) <= LONGEST_NAME else {}
        found = process.extract(name, choices, scorer=scorer, score_cutoff=least, limit=count)
        return [text for text, _, _ in found if OSA.distance(name, text) <= _MOST_SLIPS]


def _endings(name: str) -> list[str]:
    """Proper endings of a name: "table" of "dining table"."""
    if len(name) > LONGEST_NAME:
        return []
    words = name.split(" ")
    return [" ".join(words[first:]) for first in range(1, len(words))]


def _drop(groups: dict[str, set[str]], name: str, label: str) -> None:
    groups[name].discard(label)
    if not groups[name]:
        del groups[name]


@dataclass(frozen=True, slots=True)
class WordMatch:
    """A label that a phrase may mean, with a score in (0, 1].

    Attributes:
        reason: relation of the label to the phrase without `unknown`.
        unknown: words of the phrase that the label does not confirm ("wooden" of "wooden chair"
            for the label "chair").
        spelled: the name that the words are a misspelling of; empty where they are none.
    """

    label: str
    score: float
    reason: str
    unknown: str = ""
    spelled: str = ""

    @property
    def sure(self) -> bool:
        """Whether objects with this label surely are of the named kind."""
        return self.score > _CLOSE and not self.unknown

    @property
    def stands_in(self) -> bool:
        """Whether it is another thing, which is often confused with the named one."""
        return self.score == _CLOSE

    def as_stand_in(self, reason: str) -> WordMatch:
        """The same label, as one that is not sure to be meant."""
        return WordMatch(self.label, _CLOSE, reason)

    @property
    def note(self) -> str:
        """The reason, and the unchecked words."""
        return f"{self.reason}; nothing says {self.unknown}" if self.unknown else self.reason


class Vocabulary:
    """Matcher of words to labels, on a thesaurus."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus

    @classmethod
    @cache
    def load(cls) -> Vocabulary:
        """The packaged one."""
        return cls(Thesaurus.load())

    def match(self, words: str, labels: Iterable[str]) -> list[WordMatch]:
        """Labels that the words may mean, best first; all strict ones or else all loose ones."""
        return list(self._matches(normal(words), frozenset(labels)))

    def match_in(self, words: str, index: LabelIndex) -> list[WordMatch]:
        """Matches among indexed labels, see `match`.

        The time does not grow with their number, except for misspelled words.
        """
        wanted = normal(words)
        if not wanted:
            return []
        for rule in (self.strict, self.loose, self._whole, self._barer, self.misspelled):
            found = rule(wanted, index)
            if found:
                return found
        return []

    def suggest(self, words: str, labels: Iterable[str], count: int = 3) -> list[str]:
        """Labels most similar to the words in meaning, for "did you mean"; in spelling where they
        mean nothing."""
        index = LabelIndex(labels)
        wanted = normal(words)
        names = sorted(self._thesaurus.alike(wanted))
        if not any(map(index.called, names)):
            names = self._like_meant(wanted, index) or (
                [] if self._is_known(wanted) else index.spelled_alike(wanted, _MIN_SUGGESTED, count)
            )
        near = (label for name in names for label in index.called(name))
        return list(dict.fromkeys(near))[:count]

    def _is_known(self, wanted: str) -> bool:
        """Whether words are English: they are not misspelled."""
        return wanted in self._thesaurus.known() or all(map(is_known, wanted.split(" ")))

    def _like_meant(self, wanted: str, index: LabelIndex) -> list[str]:
        """Names that mean nearly the same as a word, the nearest first; the mean of several words
        is near to everything."""
        names = [] if " " in wanted else [normal(label) for label in index]
        at_length = [self._at_length(name) for name in names]
        alike = zip(likenesses(wanted, names), likenesses(wanted, at_length), names, strict=True)
        near = sorted(((min(short, long), name) for short, long, name in alike), reverse=True)
        return [name for like, name in near if like >= _MIN_LIKENESS]

    def _at_length(self, name: str) -> str:
        """The name that tells which thing a word means: "computer mouse" of "mouse"."""
        longer = (one for one in self._thesaurus.synonyms(name) if one.endswith(f" {name}"))
        return next(longer, name)

    def strict(self, wanted: str, index: LabelIndex, unknown: str = "") -> list[WordMatch]:
        """Labels of things that surely are of a kind, best first; `wanted` in normal form.

        Args:
            unknown: other words of the phrase, which the labels do not confirm.
        """
        left = BARER if unknown else 1.0
        return _best_of_each(
            WordMatch(label, left * score, reason, unknown)
            for name in self._thesaurus.names(wanted)
            for labels, score, reason in (
                (index.called(name.text), name.whole, name.reason),
                (index.ending_in(name.text), name.head, name.head_reason),
            )
            for label in labels
        )

    def loose(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        """Labels of things that are often confused with it."""
        return _best_of_each(
            WordMatch(label, _CLOSE, f"often mixed up with {wanted}")
            for name in self._thesaurus.alike(wanted)
            for label in index.called(name)
        )

    def misspelled(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        """Labels that a misspelled phrase may mean: by name, synonym, or last words."""
        for unknown, rest in _shortened(wanted):
            found = self._spelled_like(rest, index)
            if found:
                return [_without(unknown, match) if unknown else match for match in found]
        return []

    def _whole(self, wanted: str, index: LabelIndex) -> list[WordMatch]:
        """Labels whose whole name a phrase of several words misspells: "dinning table"."""
        words = wanted.split(" ")
        for name, _ in index.look_alikes(wanted, _MIN_WHOLE, 1) if len(words) > 1 else ():
            said = set(words) - set(name.split(" "))
            if len(words) == len(name.split(" ")) and not any(map(self._is_known, said)):
                return [_read_as(label, wanted, name) for label in index.called(name)]
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


def did_you_mean(words: str, labels: Sequence[str]) -> str:
    """A sentence that suggests labels for an unknown word; empty without labels."""
    near = Vocabulary.load().suggest(words, labels)
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
    return replace(match, score=BARER * match.score, unknown=unknown)


def _read_as(label: str, wanted: str, name: str) -> WordMatch:
    return WordMatch(label, _SPELLING, f'"{wanted}" read as {name}', spelled=name)


def _shortened(wanted: str) -> Iterator[tuple[str, str]]:
    """Splits of a phrase: ("", "old red chair"), ("old", "red chair"), ("old red", "chair")."""
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
