"""Consent: which corrections may be written without asking the person first, by the grammar or by
the agent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from scenemind.language.english import find_number, normal, number_word, roots
from scenemind.language.lexicon import ATTRIBUTE_NAMES
from scenemind.language.speech_acts import any_of, statements_in, words_in
from scenemind.language.vocabulary import LabelIndex, Thesaurus, Vocabulary
from scenemind.memory import Edit, MemorySnapshot
from scenemind.memory.graph.relations import find_relation
from scenemind.memory.types import EditKind
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.query import Query

# An object id: "4" in "merge 4 and 9", not in "4 feet", "1.5 m", "all 4 chairs" or "there are 4".
_NUMBER = re.compile(
    r"(?<![\w.])(?<!there are )(?<!has )(?<!have )(?<!all )(?<!the )"
    rf"\d{{1,6}}(?!\w|\.\d)(?! {any_of('measure')}\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LONGEST_NOUN, _LONGEST_RELATION = 3, 4  # words, as in "on the left of"
_ANYTHING, _STOP_WORDS, _SPEAKER = (words_in(n) for n in ("anything", "little", "speaker"))
_DENYING, _AROUND_DENIED, _IS = (words_in(n) for n in ("denying", "around_denied", "being"))
_FIRST_PERSON = words_in("speaking_of_speaker")
# Words that ask to merge, split or delete objects, in lower case, with plain apostrophes.
_ACTS: dict[EditKind, re.Pattern[str]] = {
    "merge": re.compile(any_of("asking_to_merge")),
    "split": re.compile(any_of("asking_to_split")),
    "delete_object": re.compile(any_of("asking_to_delete")),
}


def needs_a_yes(edits: Iterable[Edit], query: Query) -> bool:
    """Whether edits change several objects that the person did not name or mark each."""
    changed = {object_id for edit in edits for object_id in _subjects(edit)}
    return len(changed) > 1 and not changed <= _pointed_at(query.text, query)


class Consent:
    """The edits of an agent that the person's own words cover, so that no yes is needed.

    The words must contain a statement, refer to each object, and contain the new value, relation or
    act. A model that errs can thus misread words, but not change objects that the person did not
    mention.
    """

    def __init__(self, query: Query, dialogue: Dialogue, scene: MemorySnapshot, by: str) -> None:
        """
        Args:
            scene: when the person spoke.
            by: the speaker's name.
        """
        texts = (*_unanswered(dialogue), query.text)
        said = " ".join(texts)
        self._stated = StatedWords(*texts)
        self._referred = ReferredObjects(
            said, _pointed_at(said, query), dialogue.last_object_ids, scene
        )
        self._by = by

    def covers(self, edit: Edit) -> bool:
        """Whether the person's words cover an edit."""
        name = edit.value if edit.kind == "rename" else ""
        return all(self._referred.has(i, name) for i in edit.object_ids) and self._says(edit)

    def _says(self, edit: Edit) -> bool:
        match edit.kind:
            case "rename":
                return self._stated.names(edit.value)
            case "set_attribute":
                is_mine = edit.key == "owner" and self._stated.names_speaker(edit.value, self._by)
                is_key = edit.key in ATTRIBUTE_NAMES or self._stated.names(edit.key)
                return is_key and (is_mine or self._stated.names(edit.value))
            case "add_relation":
                return self._stated.relates(edit.key)
            case "delete_relation":
                return self._stated.denies_relation(edit.key)
            case _:
                return self._stated.wants(edit.kind)


def _unanswered(dialogue: Dialogue) -> tuple[str, ...]:
    """The person's words before a question of the robot, which the new words answer."""
    last = dialogue.turns[-1:]
    return tuple(turn.said for turn in last if turn.answered.rstrip().endswith("?"))


def _pointed_at(said: str, query: Query) -> set[int]:
    return {int(found[0]) for found in _NUMBER.finditer(said)} | set(query.marked_object_ids)


def _subjects(edit: Edit) -> tuple[int, ...]:
    """Ids of the objects that an edit changes: its first object, but all objects of a merge of
    three or more, since words for that may only say that they stand together."""
    is_large_merge = edit.kind == "merge" and len(edit.object_ids) > 2
    return edit.object_ids if is_large_merge else edit.object_ids[:1]


class ReferredObjects:
    """The objects that a person's words may refer to: marked or numbered ones, those with a noun of
    the words or a synonym, their neighbours where the words have a word like "thing", and the last
    object of the dialogue where no noun means an object of the map."""

    def __init__(
        self,
        said: str,
        pointed_at: Collection[int],
        last_ids: Collection[int],
        scene: MemorySnapshot,
    ) -> None:
        """
        Args:
            pointed_at: ids of marked and numbered objects.
            last_ids: ids of the objects of the last reply.
        """
        spoken = words_of(said)
        words = [word.removesuffix("'s") for word in spoken]
        labels = _labels_by_noun(words, scene)
        kinds = {plane.kind for plane in scene.structure.values()} & set(map(normal, words))
        called = {label for found in labels.values() for label in found}
        named = {i for i, thing in scene.objects.items() if thing.label in called}
        named |= {i for i, plane in scene.structure.items() if plane.kind in kinds}
        self._nouns = kinds | labels.keys()
        self._last_ids = frozenset(last_ids)
        self._ids = named | set(pointed_at)
        if not _ANYTHING.isdisjoint(spoken):
            ends = ((r.subject_id, r.object_id) for r in scene.relations)
            self._ids |= {i for pair in ends if not named.isdisjoint(pair) for i in pair}

    def has(self, object_id: int, becoming: str = "") -> bool:
        """Whether the words may refer to an object.

        Args:
            becoming: its new name: "a chair, I'd say" refers to no other chair.
        """
        if object_id in self._ids:
            return True
        nouns = {normal(gram) for gram in grams(words_of(becoming), _LONGEST_NOUN)}
        return object_id in self._last_ids and self._nouns <= nouns


def _labels_by_noun(words: list[str], scene: MemorySnapshot) -> dict[str, set[str]]:
    """Noun of the words -> labels of the map that it means."""
    index = LabelIndex({thing.label for thing in scene.objects.values()})
    nouns = {normal(gram) for gram in grams(words, _LONGEST_NOUN)}
    strict = Vocabulary.load().strict
    found = {noun: {match.label for match in strict(noun, index)} for noun in nouns}
    return {noun: labels for noun, labels in found.items() if labels}


class StatedWords:
    """The words of statements and requests in texts, without their questions; compared by root and
    synonym."""

    def __init__(self, *texts: str) -> None:
        """
        Args:
            texts: complete utterances; no sentence continues in the next one.
        """
        self._text = _plain(" ".join(map(statements_in, texts)))
        words = words_of(self._text)
        self._affirmed, self._denied = _split_denied(words)
        self._roots = frozenset(chain.from_iterable(map(roots, self._affirmed)))
        self._has_first_person = not _FIRST_PERSON.isdisjoint(words)
        self._thesaurus = Thesaurus.load()

    def names(self, value: str) -> bool:
        """Whether the words contain a value, or a synonym of it."""
        whole = normal(value)
        same = (whole, *self._thesaurus.synonyms(whole), *self._thesaurus.attribute_words(whole))
        return any(self._has_all(words_of(phrase)) for phrase in same)

    def names_speaker(self, value: str, by: str) -> bool:
        """Whether a value is the speaker, in words such as "this is mine"."""
        words = {word for word in words_of(value) if word not in _STOP_WORDS}
        is_speaker = value.casefold() == by.casefold() or (bool(words) and words <= _SPEAKER)
        return self._has_first_person and is_speaker

    def relates(self, predicate: str) -> bool:
        """Whether the words contain a relation, or its inverse."""
        return _holds(predicate, self._affirmed) or self.names(predicate)

    def denies_relation(self, predicate: str) -> bool:
        """Whether the words deny a relation."""
        return _holds(predicate, self._denied)

    def wants(self, act: EditKind) -> bool:
        """Whether the words ask to merge, split or delete."""
        return _ACTS[act].search(self._text) is not None

    def _has_all(self, words: Sequence[str]) -> bool:
        wanted = [word for word in words if word not in _STOP_WORDS]
        return bool(wanted) and all(map(self._has, wanted))

    def _has(self, word: str) -> bool:
        number = find_number(word)
        spellings = {word} if number is None else {str(number), number_word(number)}
        one = normal(word)
        same = {*spellings, *self._thesaurus.synonyms(one), *self._thesaurus.attribute_words(one)}
        return any(roots(other) & self._roots for other in same)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, with their apostrophes."""
    return _WORD.findall(_plain(text))


def grams(words: Sequence[str], most: int) -> Iterator[str]:
    """All phrases of up to `most` consecutive words."""
    for first in range(len(words)):
        for end in range(first + 1, min(first + most, len(words)) + 1):
            yield " ".join(words[first:end])


def _plain(text: str) -> str:
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _split_denied(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The affirmed and the denied words: "a lamp" is denied in "not a lamp but a cup", "stand on"
    in "does not stand on the table"."""
    affirmed: list[str] = []
    denied: list[str] = []
    is_denied = was_named = False
    before = ""
    for word in words:
        if word in _DENYING or word.endswith("n't") or (word == "no" and before in _IS):
            is_denied, was_named = True, False
        elif is_denied and (word in _AROUND_DENIED or not was_named):
            denied.append(word)
            was_named |= word not in _AROUND_DENIED
        else:
            is_denied = False
            affirmed.append(word)
        before = word
    return affirmed, denied


def _holds(predicate: str, words: Sequence[str]) -> bool:
    """Whether a relation or its inverse is among these words."""
    known = find_relation(predicate)
    wanted = {predicate} if known is None else {known.name, known.inverse}
    found = map(find_relation, grams(words, _LONGEST_RELATION))
    return any(relation is not None and relation.name in wanted for relation in found)
