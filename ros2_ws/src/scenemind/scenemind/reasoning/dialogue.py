"""What was said before, so that "it", "no, that is a toolbox" and "yes" mean something."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scenemind.memory import Edit, MemorySnapshot
from scenemind.reasoning.sentence import MOST_CHARACTERS
from scenemind.reasoning.spoken_words import any_of
from scenemind.reasoning.types import Query

_POINTING = re.compile(rf"\b{any_of('pointing')}\b", re.IGNORECASE)
_WITH_NOUN = re.compile(
    rf"\b{any_of('pointing_at_noun')}\s+(?!{any_of('no_noun')}\b)"
    rf"([a-z-]+\s+){{1,3}}{any_of('after_noun')}\b",
    re.IGNORECASE,
)
_NAMES_A_SUBJECT = re.compile(rf"\b{any_of('subject')}\b|\d|\?", re.IGNORECASE)
_MOST_SHORT = 6  # words of "made of wood, not of glass"
_YES = re.compile(
    rf"\s*{any_of('yes')}([\s,]+{any_of('after_yes')})*[\s.!]*",
    re.IGNORECASE,
)
_NO = re.compile(
    rf"\s*{any_of('no')}([\s,]+{any_of('after_no')})*[\s.!]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange.

    Attributes:
        said, answered: the person's words and the reply.
        object_ids: what the reply was about, most relevant first.
        correction_ids: what was written, taken back or let stand again.
    """

    said: str
    answered: str
    object_ids: tuple[int, ...] = ()
    correction_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits that wait for a yes.

    Attributes:
        reason: the person's words that asked for them.
        summary: what they would change.
        labels: of what they would change, when it was proposed, by id.
    """

    edits: tuple[Edit, ...]
    reason: str
    summary: str
    labels: Mapping[int, str]

    @classmethod
    def on(
        cls, scene: MemorySnapshot, edits: Sequence[Edit], reason: str, summary: str
    ) -> Proposal:
        """What is proposed of a scene."""
        return cls(tuple(edits), reason, summary, _labels(scene, edits))

    def is_of(self, scene: MemorySnapshot) -> bool:
        """Whether all of it is there still, and called the same: another map may be loaded."""
        return _labels(scene, self.edits) == self.labels


class Dialogue:
    """One conversation; thread-safe.

    Attributes:
        dialogue_id: by which it goes on; empty: one turn without a past.
    """

    def __init__(self, dialogue_id: str = "", most_turns: int = 6) -> None:
        self.dialogue_id = dialogue_id
        self._turns: deque[Turn] = deque(maxlen=most_turns)
        self._proposal: Proposal | None = None
        self._turns_since = 0  # the proposal was made
        self._lock = threading.Lock()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Oldest first."""
        with self._lock:
            return tuple(self._turns)

    @property
    def last_spoken_of(self) -> tuple[int, ...]:
        """Ids of the objects of the last reply that had any, most relevant first."""
        return next((t.object_ids for t in reversed(self.turns) if t.object_ids), ())

    @property
    def correction_ids(self) -> frozenset[int]:
        """Of the journal's entries that the turns were about."""
        return frozenset(i for turn in self.turns for i in turn.correction_ids)

    def add(self, turn: Turn) -> None:
        """What is longer than a sentence may be is cut."""
        with self._lock:
            self._turns.append(replace(turn, said=turn.said[:MOST_CHARACTERS]))
            self._turns_since += 1

    @property
    def proposal(self) -> Proposal | None:
        """What waits for a yes, and goes on waiting."""
        with self._lock:
            return self._proposal

    def propose(self, proposal: Proposal) -> None:
        """In place of an earlier one, which nobody agreed to."""
        with self._lock:
            self._proposal, self._turns_since = proposal, 0

    def take_proposal(self) -> tuple[Proposal | None, bool]:
        """What waits for a yes, which it does no longer; and whether it was what was said last, so
        that a yes is one to it."""
        with self._lock:
            proposal, self._proposal = self._proposal, None
            return proposal, self._turns_since <= 1

    def resolved(self, query: Query) -> Query:
        """With what was spoken of last as marked, where the words point at something or name
        nothing, and nothing is marked."""
        if query.marked_object_ids:
            return query
        if not _speaks_of_last(query.text):
            return query
        last = self.last_spoken_of
        return replace(query, marked_object_ids=last) if len(last) == 1 else query


def _speaks_of_last(text: str) -> bool:
    """ "It is blue", "No, blue": what was spoken of last, in a word or in none."""
    others = _WITH_NOUN.sub(" the ", text)
    if _POINTING.search(others):
        return True
    is_whole = _NAMES_A_SUBJECT.search(others) or agrees(text) or declines(text)
    return not is_whole and 1 < len(text.split()) <= _MOST_SHORT


def _labels(scene: MemorySnapshot, edits: Sequence[Edit]) -> Mapping[int, str]:
    ids = {i for edit in edits for i in edit.object_ids}
    return {i: scene.objects[i].label for i in sorted(ids) if i in scene.objects}


def agrees(text: str) -> bool:
    """The person says yes, and nothing else."""
    return _YES.fullmatch(text) is not None


def declines(text: str) -> bool:
    """The person says no, and nothing else."""
    return _NO.fullmatch(text) is not None


class Dialogues:
    """Those that go on, by their ids; of too many the one that was silent for longest is
    forgotten. Thread-safe."""

    def __init__(self, most: int, most_turns: int) -> None:
        self._most = most
        self._most_turns = most_turns
        self._known: OrderedDict[str, Dialogue] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, dialogue_id: str) -> Dialogue:
        """A new one where there is none, and where the id is empty."""
        if not dialogue_id:
            return Dialogue(most_turns=self._most_turns)
        with self._lock:
            found = self._known.pop(dialogue_id, None)
            found = found or Dialogue(dialogue_id, self._most_turns)
            self._known[dialogue_id] = found
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return found

    def ids(self) -> Sequence[str]:
        """The one that was silent for longest first."""
        with self._lock:
            return tuple(self._known)
