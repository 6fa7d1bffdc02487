"""Consent: which corrections may be written without asking the person first, by the grammar or by
the agent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from scenemind.language.assertions import Clause, clauses_of, denials_in, is_verb
from scenemind.language.corrections.slots import names_no_thing
from scenemind.language.english import find_number, grams, normal, number_word, roots, word_set
from scenemind.language.lexicon import ATTRIBUTE_NAMES, BE, NOUN_END
from scenemind.language.naming import Span, things_named
from scenemind.language.speech_acts import any_of, words_in
from scenemind.language.tokens import tokenize
from scenemind.language.vocabulary import LabelIndex, Thesaurus, Vocabulary
from scenemind.memory import Edit, MemorySnapshot
from scenemind.memory.graph.relations import find_relation
from scenemind.memory.types import NOTE, EditKind
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.query import Query

# An object id: "4" in "merge 4 and 9", not in "4 feet", "1.5 m", "all 4 chairs" or "there are 4".
_NUMBER = re.compile(
    r"(?<![\w.])(?<!there are )(?<!has )(?<!have )(?<!all )(?<!the )"
    rf"\d{{1,6}}(?!\w|\.\d)(?! {any_of('measure')}\b)",
    re.IGNORECASE,
)
_LONGEST_NOUN, _LONGEST_RELATION = 3, 4  # words, as in "on the left of"
_ANYTHING, _STOP_WORDS, _SPEAKER = map(words_in, ("anything", "little", "speaker"))
_BEFORE_NOUN = word_set("a an the this that these those my our your his her their object number")
_PLACING = word_set("at by from near in on")  # before what something else is at
_BETWEEN = _BEFORE_NOUN | word_set(", and as well")
_OWNING = re.compile(rf"\b{any_of('owning')}\b")
_OWNED_BY = re.compile(rf"\b{any_of('owned_by')}(?: (?:the|my|our|your))?$")
# "Belongs to my brother" Tom.
_OWNED_BY_KIN = re.compile(
    rf"\b{any_of('belonging')} (?:the|my|our|your|his|her|their)(?: \w+){{1,2}}$"
)
_OWNS = re.compile(rf"{any_of('owns')}\b")
_POINTING = re.compile(rf"\b(?:{any_of('that')}|they|both|marked)\b")
_ACTS: dict[EditKind, re.Pattern[str]] = {
    "merge": re.compile(any_of("asking_to_merge")),
    "split": re.compile(any_of("asking_to_split")),
    "delete_object": re.compile(any_of("asking_to_delete")),
}
_DENYING_EXISTENCE = re.compile(any_of("denying_existence"))
_DELETING = re.compile(rf"\b{any_of('deleting')}\b")
_ORDER = re.compile("|".join(any_of(name) for name in ("merging", "splitting", "deleting")))
_BESIDE_ACT = _BEFORE_NOUN | BE | words_in("beside_act")
_AFTER_NOUN = NOUN_END | BE | word_set(", and from with for no never not really actually")


class Consent:
    """The edits of an agent that the person's own words cover, so that no yes is needed.

    One clause that the person asserts has to speak of the object and to contain the new value,
    relation or act, affirmed; a relation is deleted where it is denied. What changes a thing as a
    whole (deletion, merge, split) needs the object itself in that clause: its number, a mark, or a
    noun that no other object has. A model that errs can thus misread words, but not change objects
    that the person did not mention. A note is told, not so: of any time, with its denials.
    """

    def __init__(self, query: Query, dialogue: Dialogue, scene: MemorySnapshot, by: str) -> None:
        """
        Args:
            scene: when the person spoke.
            by: the speaker's name; empty: not known.
        """
        self._pointed_at = _pointed_at(query.text, query)
        known = _Known(scene)
        marked = frozenset(query.marked_object_ids)
        topic = _Topic(marked or frozenset(dialogue.last_object_ids), is_marked=bool(marked))
        self._said: list[_Said] = []
        for text in (*_unanswered(dialogue), query.text):
            for clause in clauses_of(text):
                said = _Said(clause, known.mentions(clause), topic, by)
                self._said.append(said)
                topic = said.topic

    def covers(self, edit: Edit) -> bool:
        """Whether the person's words cover an edit."""
        return any(said.covers(edit) for said in self._said)

    def outright(self, edits: Sequence[Edit]) -> list[Edit]:
        """The edits that need no yes: the words cover them, and no clause of them changes several
        objects that the person did not name or mark each."""
        covered = [(said, [edit for edit in edits if said.covers(edit)]) for said in self._said]
        sure: list[Edit] = []
        for said, of_clause in covered:
            changed = {i for edit in of_clause for i in _subjects(edit)}
            is_one = len(changed) == 1
            named = self._pointed_at | said.named
            sure += [edit for edit in of_clause if is_one or named.issuperset(_subjects(edit))]
        return [edit for edit in edits if edit in sure]


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


@dataclass(frozen=True, slots=True)
class _Mention:
    """Objects that words of a clause may mean.

    Attributes:
        at: place of the first word.
        words: the noun, or the number.
        start: `at`, or the place of the noun before a number.
        is_vague: "the thing" beside something else.
        is_anchor: of "on the table": something else is spoken of.
    """

    ids: frozenset[int]
    at: int
    words: str
    start: int
    is_vague: bool = False
    is_anchor: bool = False

    @property
    def end(self) -> int:
        """The place after the last word."""
        return self.at + len(self.words.split())


@dataclass(frozen=True, slots=True)
class _Topic:
    """What "it" may mean."""

    ids: frozenset[int]
    is_marked: bool = False


class _Known:
    """The nouns of a scene."""

    def __init__(self, scene: MemorySnapshot) -> None:
        self._scene = scene
        self._index = LabelIndex({thing.label for thing in scene.objects.values()})
        self._strict = Vocabulary.load().strict
        self._ends = [(r.subject_id, r.object_id) for r in scene.relations]

    def mentions(self, clause: Clause) -> list[_Mention]:
        """All objects that a clause may speak of."""
        words, said = clause.words, " ".join(clause.words)
        numbers = {said[: one.start()].count(" "): one[0] for one in _NUMBER.finditer(said)}
        numbered = frozenset(map(int, numbers.values()))
        starts = {at: at for at in numbers}
        found: list[_Mention] = []
        for at, end, gram in grams(words, _LONGEST_NOUN):
            ids = self._called(normal(gram))
            if ids and end in numbers:  # "chair 3" is no other chair
                starts[end] = min(at, starts[end])
            elif ids and not (end < len(words) and words[end].isdigit()):
                found.append(_Mention(ids & numbered or ids, at, gram, at))
        found += [_Mention(frozenset((int(n),)), at, n, starts[at]) for at, n in numbers.items()]
        named = frozenset(chain.from_iterable(mention.ids for mention in found))
        near = frozenset(i for pair in self._ends if not named.isdisjoint(pair) for i in pair)
        vague = [
            at
            for at, word in enumerate(words)
            if word in _ANYTHING and not "".join(words[at + 1 : at + 2]).isdigit()
        ]
        found += [_Mention(near, at, words[at], at, is_vague=True) for at in vague]
        return [replace(m, is_anchor=_follows_relation(words, m.at)) for m in found if m.ids]

    def _called(self, noun: str) -> frozenset[int]:
        labels = {match.label for match in self._strict(noun, self._index)}
        things = {i for i, thing in self._scene.objects.items() if thing.label in labels}
        return frozenset(things | {i for i, p in self._scene.structure.items() if p.kind == noun})


class _Said:
    """One clause with the objects that it may speak of.

    Attributes:
        topic: for the clause after it.
        named: ids of objects with a noun that no other object has.
    """

    def __init__(
        self, clause: Clause, mentions: Sequence[_Mention], before: _Topic, by: str
    ) -> None:
        self._clause = clause
        self._mentions = mentions
        self._before = before
        self._by = by
        about = [m for m in mentions if not (m.is_anchor or m.is_vague)]
        first = min((m.at for m in about), default=0)
        of = [m for m in about if m.words.isdigit()] or [m for m in about if m.at == first]
        self.topic = _Topic(frozenset(chain.from_iterable(m.ids for m in of))) if of else before
        self.named = frozenset(chain.from_iterable(m.ids for m in mentions if len(m.ids) == 1))
        self._affirmed = clause.part(denied=False)
        self._roots = frozenset(chain.from_iterable(map(roots, self._affirmed)))
        self._thesaurus = Thesaurus.load()

    def covers(self, edit: Edit) -> bool:
        """Whether the clause asserts an edit, or tells a note."""
        first, value = edit.object_ids[0], edit.value
        if edit.key == NOTE:
            return self._clause.is_told and self._tells(first, value)
        if not self._clause.is_asserted:
            return False
        match edit.kind:
            case "rename":
                is_name = not names_no_thing(_words_of(value) or [""])
                return is_name and self._calls(first, value)
            case "set_attribute":
                is_key = edit.key in ATTRIBUTE_NAMES or self._names(edit.key)
                is_own = edit.key == "owner" and self._names_speaker(value)
                is_key &= is_own or edit.key != "owner" or self._is_owner(value)
                is_said = is_key and (is_own or self._names(value))
                return is_said and self._is_of(first, value)
            case "add_relation" | "delete_relation":
                return self._relates(edit)
            case _:
                return self._wants(edit)

    def _is_of(self, object_id: int, value: str) -> bool:
        """Whether the clause may give an object a value: the object spoken of right before it, or
        right behind it as in "the red lamp". The value is no mention itself: "orange, I'd say"
        speaks of no orange."""
        new = {gram for _, _, gram in grams(_words_of(value), _LONGEST_NOUN)}
        others = [m for m in self._mentions if m.words not in new]
        about = [m for m in others if not (m.is_anchor or self._clause.denied[m.at])]
        at = self._place_of(value)
        end = at + len(_words_of(value))
        behind = [m for m in about if m.at == end and not m.is_vague]
        about = behind or _joined(about, self._clause.words, at) or about
        is_last = not others or any(m.is_vague for m in about)  # "it", "the marked thing"
        return any(object_id in m.ids for m in about) or (is_last and object_id in self._before.ids)

    def _tells(self, object_id: int, note: str) -> bool:
        """Whether the clause has all words of a note, and as many denials, and is about an object:
        one that a relation is said of, only where there is no other."""
        said = _words_of(note)
        content = [word for word in said if word not in _STOP_WORDS]
        known = frozenset(chain.from_iterable(map(roots, self._clause.words)))
        is_said = bool(content) and all(known & roots(word) for word in content)
        if not is_said or denials_in(" ".join(said)) != self._clause.denials:
            return False
        new = {gram for _, _, gram in grams(said, _LONGEST_NOUN)}
        others = [m for m in self._mentions if m.words not in new] or self._mentions
        about = [m for m in others if not m.is_anchor] or others
        is_last = not others or any(m.is_vague for m in about)
        return any(object_id in m.ids for m in about) or (is_last and object_id in self._before.ids)

    def _place_of(self, value: str) -> int:
        """The place of the first affirmed word of a value, else of a synonym; the end for none."""
        said = [*zip(self._clause.words, self._clause.denied, strict=True)]
        for spellings in ({*_words_of(value)} - _STOP_WORDS, self._spellings(value)):
            wanted = frozenset(chain.from_iterable(map(roots, spellings)))
            for place, (word, is_denied) in enumerate(said):
                if not is_denied and roots(word) & wanted:
                    return place
        return len(said)

    def _calls(self, object_id: int, name: str) -> bool:
        """Whether the clause gives an object a name, or a synonym of it."""
        whole = normal(name)
        phrases = [_words_of(phrase) for phrase in (name, *self._thesaurus.synonyms(whole))]
        return any(
            self._is_called(object_id, (at, at + len(words)))
            for words in phrases
            for at in range(len(self._clause.words) - len(words) + 1)
            if all(
                roots(a) & roots(b) for a, b in zip(words, self._clause.words[at:], strict=False)
            )
        )

    def _is_called(self, object_id: int, name: Span) -> bool:
        """Whether words of the clause are a name that it gives an object."""
        others = [m for m in self._mentions if m.end <= name[0] or m.at >= name[1]]
        things = [m for m in others if not m.is_anchor]
        places = [(m.start, m.end) for m in others if m.is_anchor]
        named = things_named(self._clause, name, [(m.start, m.end) for m in things], places)
        if named is None:
            return False
        about = [things[number] for number in named]
        is_last = not about or any(m.is_vague for m in about)  # "it", "the marked thing"
        return any(object_id in m.ids for m in about) or (is_last and object_id in self._before.ids)

    def _is_owner(self, name: str) -> bool:
        """Whether somebody is said to own something: "it belongs to Anna", "it is Anna's", but not
        "Anna's idea is to delete it"."""
        at, words = self._place_of(name), self._clause.words
        after = " ".join(words[at + len(_words_of(name)) :])
        before = " ".join(words[:at])
        owned = _OWNED_BY.search(before) or _OWNED_BY_KIN.search(before)
        return bool(owned or _OWNS.match(after))

    def _spellings(self, value: str) -> set[str]:
        """The words of a value and their synonyms, without small ones."""
        known = self._thesaurus
        phrases = (value, *known.synonyms(normal(value)), *known.attribute_words(normal(value)))
        return {word for phrase in phrases for word in _words_of(phrase)} - _STOP_WORDS

    def _wants(self, edit: Edit) -> bool:
        """Whether the clause asks to merge, split or delete just these objects."""
        clause = self._clause
        said = " ".join(clause.words)
        is_absent = edit.kind == "delete_object" and clause.denials == 1
        is_absent &= _DELETING.search(said) is None  # "there is no need to delete it"
        if _ACTS[edit.kind].search(" ".join(self._affirmed)):
            sure = [m for m in self._mentions if not clause.denied[m.at]]
        elif is_absent and _DENYING_EXISTENCE.search(said):
            sure = list(self._mentions)
        else:
            return False
        wanted = set(edit.object_ids)
        numbers = [m for m in sure if m.words.isdigit()]
        if self._before.is_marked and not numbers and _POINTING.search(said):
            return wanted <= self._before.ids
        of = numbers or [m for m in sure if self._is_whole(m)]
        order = _ORDER.match(said)
        if order is not None and not self._is_behind(order[0], of):
            return False
        if not self._is_all_said(edit.kind, of):
            return False
        whole = [m.ids for m in of if m.ids <= wanted]
        if edit.kind == "split":
            return len({m.ids for m in of}) == 1 and wanted in whole
        is_named = wanted <= frozenset(chain.from_iterable(whole))
        return is_named and (edit.kind != "merge" or bool(numbers) or wanted in whole)

    def _is_all_said(self, kind: EditKind, of: Sequence[_Mention]) -> bool:
        """Whether the words are the act, the things, and small words: "delete object 3 at your own
        risk" and "delete object 3 is what you should never do" say something else. Where a denial
        is the act ("there is no such thing as a cup"), what it denies is part of it."""
        clause = self._clause
        things = {
            i
            for m in self._mentions  # "chair 3", whose noun is no mention
            for i in range(m.at - m.words.isdigit(), m.at + len(m.words.split()))
        }
        if any(m.is_anchor for m in self._mentions if m not in of):
            return True  # "the lamp beside the sofa is gone": the things were told apart before
        is_affirmed = _ACTS[kind].search(" ".join(self._affirmed)) is not None
        left = [
            word
            for i, word in enumerate(clause.words)
            if i not in things and (is_affirmed or not clause.denied[i])
        ]
        rest = _ACTS[kind].sub(" ", " ".join(left)).split()
        return {word for word in rest if not word.isdigit()} <= _BESIDE_ACT

    def _is_whole(self, mention: _Mention) -> bool:
        """Whether a mention is of a thing itself: not "the fridge door", "two of the tables"."""
        words, end = self._clause.words, mention.at + len(mention.words.split())
        before = [word for word in words[: mention.at] if word not in _BEFORE_NOUN]
        is_end = end == len(words) or words[end] in _AFTER_NOUN or is_verb(words[end])
        return is_end and not (mention.is_vague or mention.is_anchor or before[-1:] == ["of"])

    def _is_behind(self, order: str, mentions: Sequence[_Mention]) -> bool:
        """Whether an order is about things right behind its verb, and not about taking them from
        somewhere: "remove the cup", but not "remove the dust from the cup"."""
        words = self._clause.words
        first = min((m.at - m.words.isdigit() for m in mentions), default=0)  # "chair" 3
        between = set(words[len(order.split()) : first])
        return bool(mentions) and between <= _BETWEEN and {"from", "off"}.isdisjoint(words)

    def _relates(self, edit: Edit) -> bool:
        """Whether the clause says, or for a deletion denies, that the subject is in a relation to
        the anchor: "the cup is on the table" says nothing of a table on a cup."""
        known, is_denied = find_relation(edit.key), edit.kind == "delete_relation"
        subject, anchor = edit.object_ids
        for start, end, gram in grams(self._clause.words, _LONGEST_RELATION):
            said = find_relation(gram)
            if said is None or known is None or self._clause.denied[start] != is_denied:
                continue
            if said.name == known.name and self._stand(subject, start, end, anchor, is_denied):
                return True
            if said.name == known.inverse and self._stand(anchor, start, end, subject, is_denied):
                return True
        is_named = not is_denied and self._names(edit.key)
        ids = frozenset(chain.from_iterable(m.ids for m in self._mentions))
        return is_named and anchor in ids and (subject in ids or subject in self._before.ids)

    def _stand(self, first: int, start: int, end: int, second: int, is_denied: bool) -> bool:
        """Whether an object is spoken of before a relation, or after its anchor, and another right
        behind it."""
        after = [m for m in self._mentions if m.at >= end]
        nearest = min((m.at for m in after), default=0)
        behind = [m for m in after if m.at == nearest and second in m.ids]
        if not behind or self._clause.denied[nearest] != is_denied:
            return False
        others = [
            m
            for m in self._mentions
            # "Nothing is on the table but the cup" says that the cup is there.
            if m.at < start or (m.at > nearest and self._clause.denied[m.at] == is_denied)
        ]
        if any(m.at < start for m in others):
            return any(first in m.ids for m in others)
        return first in self._before.ids or any(first in m.ids for m in others)

    def _names(self, value: str) -> bool:
        """Whether the clause affirms a value, or a synonym of it."""
        whole = normal(value)
        same = (whole, *self._thesaurus.synonyms(whole), *self._thesaurus.attribute_words(whole))
        return any(self._has_all(_words_of(phrase)) for phrase in same)

    def _names_speaker(self, value: str) -> bool:
        """Whether a value is the speaker, in words such as "this is mine"."""
        words = {word for word in _words_of(value) if word not in _STOP_WORDS}
        is_speaker = value.casefold() == self._by.casefold() or (bool(words) and words <= _SPEAKER)
        return is_speaker and _OWNING.search(" ".join(self._affirmed)) is not None

    def _has_all(self, words: Sequence[str]) -> bool:
        wanted = [word for word in words if word not in _STOP_WORDS]
        return bool(wanted) and all(map(self._has, wanted))

    def _has(self, word: str) -> bool:
        number = find_number(word)
        spellings = {word} if number is None else {str(number), number_word(number)}
        one = normal(word)
        same = {*spellings, *self._thesaurus.synonyms(one), *self._thesaurus.attribute_words(one)}
        return any(roots(other) & self._roots for other in same)


def _is_same(word: str, other: str) -> bool:
    return not roots(word).isdisjoint(roots(other))


def _words_of(text: str) -> list[str]:
    return [token.word for token in tokenize(text) if token.word[0].isalnum()]


def _joined(mentions: list[_Mention], words: Sequence[str], at: int) -> list[_Mention]:
    """The mentions right before a place, with those that "and" joins to them."""
    before = sorted((m for m in mentions if m.at < at), key=lambda mention: -mention.at)
    first = before[0].at if before else at
    for mention in before:
        if not set(words[mention.at + len(mention.words.split()) : first]) <= _BETWEEN:
            break
        first = min(first, mention.at)
    return [mention for mention in before if mention.at >= first]


def _follows_relation(words: Sequence[str], at: int) -> bool:
    """Whether a relation stands right before the words from `at`, as in "on the table"."""
    while at and words[at - 1] in _BEFORE_NOUN and find_relation(words[at - 1]) is None:
        at -= 1
    starts = range(max(0, at - _LONGEST_RELATION), at)
    if at and words[at - 1] in _PLACING:
        return True
    return any(find_relation(" ".join(words[start:at])) is not None for start in starts)
