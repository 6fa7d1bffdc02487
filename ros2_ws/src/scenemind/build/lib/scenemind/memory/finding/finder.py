"""Objects that a few words mean, ranked, with reasons.

The name of an object counts most: its label, a synonym, a compound or a kind of the thing that is
named. Less sure are labels that are mixed up with it, that are misspelled in the words, or that
mean something like them to a text encoder, and objects that look like them to an image encoder.
Words beyond the label are looked for in the attributes: "red wooden chair" puts red chairs of wood
before other chairs, and "wooden" alone finds all wooden things. The time does not grow with the
number of objects, except for reading those that changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import MemoryRequestError
from scenemind.language.english import normal, with_article, word_set
from scenemind.language.vocabulary import BARER, LONGEST_NAME, Thesaurus, Vocabulary, WordMatch
from scenemind.memory.descriptions import match_words
from scenemind.memory.finding.object_index import ObjectIndex, WordHolders, words_in
from scenemind.memory.types import Embedding, MapObject
from scenemind.perception.protocols import ImageTextEncoder, TextEncoder
from scenemind.perception.text.labels import scaled_similarity


@dataclass(frozen=True, slots=True)
class Found:
    """One result of a search.

    Attributes:
        score: in (0, 1]; 1: the words are exactly its label. Of a label that it may have instead,
            times its probability.
        reasons: most important first, such as "another word for sofa" and "color=red".
    """

    object_id: int
    score: float
    reasons: tuple[str, ...]


def _best_of_each(found: Iterable[Found]) -> dict[int, Found]:
    """Object id -> its best result, followed by the reasons of its other results."""
    best: dict[int, Found] = {}
    for one in found:
        other = best.get(one.object_id)
        if other is None:
            best[one.object_id] = one
            continue
        first, second = (one, other) if one.score > other.score else (other, one)
        reasons = tuple(dict.fromkeys((*first.reasons, *second.reasons)))
        best[one.object_id] = Found(one.object_id, first.score, reasons)
    return best


# CLIP was trained with about this factor before its softmax over cosines (Radford et al. 2021).
_SHARPNESS = 100.0
# Less than even chances against all other labels is no likeness.
_LEAST_VISUAL = 0.5
# Largest number of compared labels: encoding a new text takes milliseconds.
_MOST_LABELS = 256
# Contrasting words for maps with few labels.
_ANYTHING = ("thing", "wall", "floor", "room")


@dataclass(frozen=True, slots=True, eq=False)
class ImageVectors:
    """Image vectors of objects, with the encoder that made them."""

    vectors: Sequence[Embedding]
    encoder: ImageTextEncoder


def _visual_similarities(
    words: str, looks: ImageVectors, label_of: Mapping[int, str], labels: Sequence[str]
) -> dict[int, float]:
    """Objects that look like the words, with the probability in [0.5, 1] that their images show
    these rather than another label of the map, except the object's own.

    Only cosines of one object with several words are comparable (`WordMatches`).

    Args:
        label_of: object id -> label, of all objects with a vector.
        labels: of the map, short enough to be names.

    Raises:
        PerceptionError: the encoder cannot be had.
    """
    others = dict.fromkeys((*_ANYTHING, *labels[:_MOST_LABELS]))
    others.pop(words, None)
    matches = match_words(looks.vectors, [words, *others], looks.encoder)
    logits = _SHARPNESS * matches.cosines.astype(np.float64)
    column = {label: number for number, label in enumerate(others, 1)}
    for row, object_id in enumerate(matches.object_ids):
        own = column.get(label_of[object_id])
        if own is not None:
            logits[row, own] = -np.inf
    chances = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
    alike = chances[:, 0] / chances.sum(axis=1)
    rows = np.flatnonzero(alike >= _LEAST_VISUAL).tolist()
    return {matches.object_ids[row]: float(alike[row]) for row in rows}


# Below this, labels have hardly more in common than that they are things in rooms.
_LEAST_SIMILARITY = 0.3


class LabelMeanings:
    """Label vectors of one encoder: each label is embedded once while it is in the map."""

    def __init__(self) -> None:
        self._encoder_name = ""
        self._labels: tuple[str, ...] = ()
        self._vectors = np.zeros((0, 0), np.float32)

    def similar(
        self, words: str, labels: Collection[str], encoder: TextEncoder
    ) -> dict[str, float]:
        """Labels of similar meaning, with the similarity in [0.3, 1].

        Args:
            labels: short enough to be names.

        Raises:
            PerceptionError: the encoder is needed for a new word and not available.
        """
        if not labels:
            return {}
        self._follow(labels, encoder)
        (wanted,) = encoder.encode([words])
        alike = scaled_similarity(encoder.name, self._vectors @ wanted)
        return {
            self._labels[row]: float(alike[row])
            for row in np.flatnonzero(alike >= _LEAST_SIMILARITY).tolist()
        }

    def _follow(self, labels: Collection[str], encoder: TextEncoder) -> None:
        """Keep vectors of exactly these labels."""
        if encoder.name != self._encoder_name:
            self._encoder_name, self._labels = encoder.name, ()
            self._vectors = np.zeros((0, encoder.dimension), np.float32)
        if set(labels) == set(self._labels):
            return
        row_of = {label: row for row, label in enumerate(self._labels)}
        kept = [label for label in labels if label in row_of]
        new = [label for label in labels if label not in row_of]
        vectors: list[NDArray[np.float32]] = [self._vectors[[row_of[label] for label in kept]]]
        if new:
            vectors.append(encoder.encode(new))
        self._labels, self._vectors = (*kept, *new), np.concatenate(vectors)


LONGEST_TEXT = 120
_ATTRIBUTE_ALONE = 0.75  # above labels that are only confused with the word
_LOOKS = 0.7  # times the probability: pictures are less sure than words
_MEANING = 0.8  # times the encoder's similarity: below what people call it
_REASONS = {"the same word": "label"}
_ARTICLES = word_set("a an the this that these those my our your some any all every")
_NO_THING = word_set("thing object something anything item one stuff everything")
_FILLING = _ARTICLES | _NO_THING | word_set("of with in on made and or is are which")


class ObjectFinder:
    """Finds objects by words in an index of the map. Not thread-safe: its owner holds a lock."""

    def __init__(
        self, vocabulary: Vocabulary | None = None, thesaurus: Thesaurus | None = None
    ) -> None:
        """The packaged words where none are given."""
        self._vocabulary = vocabulary or Vocabulary.load()
        self._thesaurus = thesaurus or Thesaurus.load()
        self._index = ObjectIndex()
        self._meanings = LabelMeanings()

    def refresh(self, objects: Mapping[int, MapObject]) -> None:
        """Set the objects to search; the cost is that of the changed ones."""
        self._index.refresh(objects)

    def find(
        self,
        words: str,
        count: int,
        encoder: TextEncoder | None = None,
        looks: ImageVectors | None = None,
    ) -> tuple[Found, ...]:
        """Up to `count` objects, best first; of equals the surest, then the oldest.

        Args:
            encoder: also match labels of similar meaning.
            looks: also match objects by their image vectors.

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
        return tuple(nsmallest(count, _best_of_each(found).values(), self._rank))

    def _by_label(self, matches: Sequence[WordMatch], count: int) -> Iterator[Found]:
        holding: dict[str, list[WordHolders]] = {"": []}
        rated: list[tuple[float, float, int, tuple[str, ...]]] = []
        for match in matches:
            if match.unknown not in holding:
                holding[match.unknown] = self._holders(_attribute_words_of(match.unknown))
            holders = holding[match.unknown]
            for object_id, thing in self._index.of_label(match.label).items():
                said = [s for holder in holders if (s := holder.find(object_id)) is not None]
                score = _rated(match, len(said), len(holders))
                reason = _REASONS.get(match.reason, match.reason)
                if thing.label != match.label:
                    score *= thing.alternatives[match.label]
                    reason = f"may be {with_article(match.label)}"
                rated.append((-score, -thing.confidence, object_id, (reason, *said)))
        for score, _, object_id, reasons in nsmallest(count, rated):
            yield Found(object_id, -score, tuple(dict.fromkeys(reasons)))

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
        words = _attribute_words_of(phrase)
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
            group = {i: t for i, t in self._index.of_label(label).items() if t.label == label}
            yield from self._surest(group, count, _MEANING * alike, reason)

    def _by_looks(self, phrase: str, looks: ImageVectors) -> Iterator[Found]:
        known = [vector for vector in looks.vectors if vector.object_id in self._index]
        label_of = {v.object_id: self._index.get(v.object_id).label for v in known}
        similar = _visual_similarities(
            phrase, replace(looks, vectors=known), label_of, self._names()
        )
        for object_id, alike in similar.items():
            reason = f"looks like it ({looks.encoder.name} {alike:.2f})"
            yield Found(object_id, _LOOKS * alike, (reason,))

    def _names(self) -> list[str]:
        """Labels that may be names of things."""
        return [label for label in self._index.labels if len(label) <= LONGEST_NAME]

    def _is_quality(self, phrase: str) -> bool:
        """True for a word that can be an attribute as well as a label: "glass"."""
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
    """The score of an object with a matching label and `said` of `asked` other words."""
    if not match.unknown:
        return match.score
    share = said / asked if asked else 1.0
    return min(1.0, match.score * (share / BARER + 1.0 - share))


def _checked(words: str, count: int) -> str:
    """The words in their normal form, without articles before them."""
    if count < 1:
        raise MemoryRequestError(f"cannot find {count} objects: ask for 1 or more")
    if len(words) > LONGEST_TEXT:
        raise MemoryRequestError(
            f"{len(words)} characters are too many to find objects by: use at most {LONGEST_TEXT}"
        )
    said = normal(words).split(" ")
    while said and said[0] in _ARTICLES:
        said = said[1:]
    if not any(character.isalnum() for character in "".join(said)):
        raise MemoryRequestError(f"{words!r} names nothing: say what to find, such as 'red chair'")
    return " ".join(said)


def _attribute_words_of(phrase: str) -> list[str]:
    """The words of a phrase that may occur in an attribute."""
    return [word for word in words_in(phrase) if word not in _FILLING]
