"""What else a thing in a room may be called: a table of people's words for indoor things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from scenemind.words.english import normal
from scenemind.words.tables import read_table

_EXACT, _SYNONYM, _HEAD, _SYNONYM_HEAD, _KIND = 1.0, 0.97, 0.95, 0.9, 0.9


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a word may stand for.

    Attributes:
        text: normal form.
        whole, head: in (0, 1], how well a label fits that is this name, or ends in it
            ("dining table" for "table").
        reason, head_reason: the same in words.
    """

    text: str
    whole: float
    head: float
    reason: str
    head_reason: str


class Thesaurus:
    """All words are in their normal form (`english.normal`)."""

    def __init__(
        self,
        same: Sequence[Sequence[str]],
        close: Sequence[Sequence[str]],
        kinds: Mapping[str, Sequence[str]],
        attributes: Sequence[Sequence[str]] = (),
    ) -> None:
        """
        Args:
            same: words for one thing.
            close: words for things that are mixed up.
            kinds: a wider word -> what it takes in, synonyms of these included.
            attributes: words for one colour, size, material or state.
        """
        self._same = _neighbours(same)
        self._close = _neighbours(close)
        self._attributes = _neighbours(attributes)
        self._kinds = {normal(kind): self._with_synonyms(ws) for kind, ws in kinds.items()}

    @classmethod
    @cache
    def load(cls) -> Thesaurus:
        """The packaged one."""
        data = read_table("scenemind.words", "synonyms.yaml")
        return cls(data["same"], data["close"], data["kinds"], data["attributes"])

    def known(self) -> tuple[str, ...]:
        """Every word that has another one for the same thing."""
        return tuple(self._same)

    def synonyms(self, word: str) -> frozenset[str]:
        """Other words for the same thing."""
        return self._same.get(word, frozenset())

    def alike(self, word: str) -> frozenset[str]:
        """Words for things that are mixed up with what the word is for."""
        names = self.synonyms(word) | {word}
        return frozenset().union(*(self._close.get(name, frozenset()) for name in names)) - names

    def attribute_words(self, word: str) -> frozenset[str]:
        """A word of attributes and all that mean the same."""
        return self._attributes.get(word, frozenset()) | {word}

    def names(self, word: str) -> Iterator[Name]:
        """What surely is such a thing, best first."""
        yield Name(word, _EXACT, _HEAD, "the same word", f"a kind of {word}")
        for other in sorted(self.synonyms(word)):
            reason = f"another word for {word}"
            yield Name(other, _SYNONYM, _SYNONYM_HEAD, reason, f"a kind of {word}")
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
