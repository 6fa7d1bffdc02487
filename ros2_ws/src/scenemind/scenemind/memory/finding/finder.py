"""Objects that a few words mean, ranked, with reasons.

What an object is called counts most: its label, a synonym, a compound or a kind of the thing that
is named. Less sure are labels that are mixed up with it, that are misspelled in the words, or that
mean something like them to a text encoder, and objects that look like them to one of pictures.
Words beyond the label are looked for in the attributes: "red wooden chair" puts red chairs of wood
before other chairs, and "wooden" alone finds all that is. The time for all of this does not grow
with the number of objects, but for taking in those that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.finding.attribute_words import words_in
from scenemind.memory.finding.found import Found, best_of_each
from scenemind.memory.finding.looks import Looks, looking_like
from scenemind.memory.finding.meanings import LabelMeanings
from scenemind.memory.finding.object_index import ObjectIndex
from scenemind.memory.finding.word_holders import WordHolders
from scenemind.memory.types import MapObject
from scenemind.perception.protocols import TextEncoder
from scenemind.words.english import normal, word_set
from scenemind.words.label_index import LONGEST_NAME
from scenemind.words.thesaurus import Thesaurus
from scenemind.words.vocabulary import BARER, Vocabulary, WordMatch

LONGEST_TEXT = 120
_ATTRIBUTE_ALONE = 0.75  # it is as was said: above what is only mixed up with it
_LOOKS = 0.7  # times the probability: pictures are less sure than words
_MEANING = 0.8  # times the encoder's similarity: below what people call it
_REASONS = {"the same word": "label"}
_ARTICLES = word_set("a an the this that these those my our your some any all every")
_NO_THING = word_set("thing object something anything item one stuff everything")
_FILLING = _ARTICLES | _NO_THING | word_set("of with in on made and or is are which")


class ObjectFinder:
    """Not thread-safe: its owner holds a lock."""

    def __init__(
        self, vocabulary: Vocabulary | None = None, thesaurus: Thesaurus | None = None
    ) -> None:
        """The packaged words where none are given."""
        self._vocabulary = vocabulary or Vocabulary.load()
        self._thesaurus = thesaurus or Thesaurus.load()
        self._index = ObjectIndex()
        self._meanings = LabelMeanings()

    def refresh(self, objects: Mapping[int, MapObject]) -> None:
        """Search these from now on; costs what differs from the last ones."""
        self._index.refresh(objects)

    def find(
        self,
        words: str,
        count: int,
        encoder: TextEncoder | None = None,
        looks: Looks | None = None,
    ) -> tuple[Found, ...]:
        """Up to `count` objects, best first; of equals the surest, then the oldest.

        Args:
            encoder: also take labels that mean something like the words to it.
            looks: also take objects that look like the words.

        Raises:
            SceneMemoryError: no words, too many of them, or a count below 1.
            PerceptionError: an encoder cannot embed a word.
        """
        phrase = _checked(words, count)
        matches = self._matches(phrase)
        found = [*self._by_label(matches, count)]
        if not matches or not matches[0].sure or self._is_quality(phrase):
            found += self._by_attributes(phrase, count)
        if encoder is not None:
            found += self._by_meaning(phrase, count, encoder)
        if looks is not None:
            found += self._by_looks(phrase, looks)
        return tuple(nsmallest(count, best_of_each(found).values(), self._rank))

    def _by_label(self, matches: Sequence[WordMatch], count: int) -> Iterator[Found]:
        holding: dict[str, list[WordHolders]] = {"": []}
        rated: list[tuple[float, float, int, WordMatch, list[str]]] = []
        for match in matches:
            if match.unknown not in holding:
                holding[match.unknown] = self._holders(_telling(match.unknown))
            holders = holding[match.unknown]
            for object_id, thing in self._index.of_label(match.label).items():
                said = [s for holder in holders if (s := holder.find(object_id)) is not None]
                score = _rated(match, len(said), len(holders))
                rated.append((-score, -thing.confidence, object_id, match, said))
        for score, _, object_id, match, said in nsmallest(count, rated):
            reason = _REASONS.get(match.reason, match.reason)
            yield Found(object_id, -score, tuple(dict.fromkeys((reason, *said))))

    def _matches(self, phrase: str) -> list[WordMatch]:
        if phrase.rpartition(" ")[2] in _NO_THING:
            return []
        found = self._vocabulary.match_in(phrase, self._index.labels)
        if found and all(match.sure for match in found):
            sure = {match.label for match in found}
            alike = self._vocabulary.loose(phrase, self._index.labels)
            found += [match for match in alike if match.label not in sure]
        return found

    def _by_attributes(self, phrase: str, count: int) -> Iterator[Found]:
        words = _telling(phrase)
        if not words:
            return
        holders = self._holders(words)
        closed = [list(holder.said) for holder in holders if not holder.is_open]
        able = min(closed, key=len) if closed else self._index
        found = 0
        for object_id in sorted(able, key=self._sureness):
            said = [holder.find(object_id) for holder in holders]
            if None not in said:
                yield Found(object_id, _ATTRIBUTE_ALONE, tuple(dict.fromkeys(filter(None, said))))
                found += 1
            if found == count:
                return

    def _by_meaning(self, phrase: str, count: int, encoder: TextEncoder) -> Iterator[Found]:
        for label, alike in self._meanings.similar(phrase, self._names(), encoder).items():
            reason = f"means something like it ({encoder.name} {alike:.2f})"
            group = self._index.of_label(label)
            yield from self._surest(group, count, _MEANING * alike, reason)

    def _by_looks(self, phrase: str, looks: Looks) -> Iterator[Found]:
        known = [vector for vector in looks.vectors if vector.object_id in self._index]
        label_of = {v.object_id: self._index.get(v.object_id).label for v in known}
        similar = looking_like(phrase, replace(looks, vectors=known), label_of, self._names())
        for object_id, alike in similar.items():
            reason = f"looks like it ({looks.encoder.name} {alike:.2f})"
            yield Found(object_id, _LOOKS * alike, (reason,))

    def _names(self) -> list[str]:
        """Labels that may be names of things."""
        return [label for label in self._index.labels if len(label) <= LONGEST_NAME]

    def _is_quality(self, phrase: str) -> bool:
        """It may be said of a thing as well as name one: "glass"."""
        return len(self._thesaurus.attribute_words(phrase)) > 1

    def _holders(self, words: Iterable[str]) -> list[WordHolders]:
        return [WordHolders(self._thesaurus.attribute_words(word), self._index) for word in words]

    def _surest(
        self, group: Mapping[int, MapObject], count: int, score: float, reason: str
    ) -> Iterator[Found]:
        few = group if len(group) <= count else nsmallest(count, group, self._sureness)
        for object_id in few:
            yield Found(object_id, score, (reason,))

    def _rank(self, found: Found) -> tuple[float, float, int]:
        return (-found.score, *self._sureness(found.object_id))

    def _sureness(self, object_id: int) -> tuple[float, int]:
        return (-self._index.get(object_id).confidence, object_id)


def _rated(match: WordMatch, said: int, asked: int) -> float:
    """The score of an object of a label, of which so many of the other words hold."""
    if not match.unknown:
        return match.score
    share = said / asked if asked else 1.0
    return min(1.0, match.score * (share / BARER + 1.0 - share))


def _checked(words: str, count: int) -> str:
    """The words in their normal form, without articles before them."""
    if count < 1:
        raise SceneMemoryError(f"cannot find {count} objects: ask for 1 or more")
    if len(words) > LONGEST_TEXT:
        raise SceneMemoryError(
            f"{len(words)} characters are too many to find objects by: say at most {LONGEST_TEXT}"
        )
    said = normal(words).split(" ")
    while said and said[0] in _ARTICLES:
        said = said[1:]
    if not any(character.isalnum() for character in "".join(said)):
        raise SceneMemoryError(f"{words!r} names nothing: say what to find, such as 'red chair'")
    return " ".join(said)


def _telling(phrase: str) -> list[str]:
    """The words of a phrase that an attribute may have."""
    return [word for word in words_in(phrase) if word not in _FILLING]
