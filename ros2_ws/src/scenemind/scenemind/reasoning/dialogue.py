"""Conversations: turns, references to earlier turns, and proposals that wait for a yes."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scenemind.language.speech_acts import agrees, declines, find_speaker, refers_to_last
from scenemind.memory import Edit, MemorySnapshot
from scenemind.reasoning.query import MOST_CHARACTERS, Query

# Ends with what an answer to it is known by: a question for the name of the one who speaks.
WHO_SPEAKS = "Who are you? Tell me your name."
_ASKS_NAME = re.compile(r"\bname\b[^.?!]*[.?!]\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange.

    Attributes:
        said, answered: the person's words and the reply.
        object_ids: objects of the reply, most relevant first.
        correction_ids: entries of the journal that were written, undone or redone.
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
        summary: the changes, in words.
        labels: labels of the objects at the time of the proposal, by id.
    """

    edits: tuple[Edit, ...]
    reason: str
    summary: str
    labels: Mapping[int, str]

    @classmethod
    def on(
        cls, scene: MemorySnapshot, edits: Sequence[Edit], reason: str, summary: str
    ) -> Proposal:
        """A proposal on a scene."""
        return cls(tuple(edits), reason, summary, _labels(scene, edits))

    def is_of(self, scene: MemorySnapshot) -> bool:
        """Whether the scene still has these objects with these labels: another map may be
        loaded."""
        return _labels(scene, self.edits) == self.labels


class Dialogue:
    """One conversation; thread-safe.

    Attributes:
        dialogue_id: empty: a single turn.
    """

    def __init__(self, dialogue_id: str = "", most_turns: int = 6) -> None:
        self.dialogue_id = dialogue_id
        self._turns: deque[Turn] = deque(maxlen=most_turns)
        self._proposal: Proposal | None = None
        self._last: Proposal | None = None
        self._turns_since = 0  # the proposal was made
        self._speaker = ""
        self._lock = threading.Lock()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns, oldest first."""
        with self._lock:
            return tuple(self._turns)

    @property
    def last_object_ids(self) -> tuple[int, ...]:
        """Ids of the objects of the last reply that had any, most relevant first."""
        return next((t.object_ids for t in reversed(self.turns) if t.object_ids), ())

    @property
    def correction_ids(self) -> frozenset[int]:
        """Entries of the journal that the turns wrote, undid or redid."""
        return frozenset(i for turn in self.turns for i in turn.correction_ids)

    def add(self, turn: Turn) -> None:
        """Add a turn; words beyond the longest sentence are cut."""
        with self._lock:
            self._turns.append(replace(turn, said=turn.said[:MOST_CHARACTERS]))
            self._turns_since += 1

    @property
    def proposal(self) -> Proposal | None:
        """The proposal that waits for a yes."""
        with self._lock:
            return self._proposal

    def propose(self, proposal: Proposal) -> None:
        """Set the proposal that waits for a yes, in place of an earlier one."""
        with self._lock:
            self._proposal = self._last = proposal
            self._turns_since = 0

    def take_proposal(self) -> tuple[Proposal | None, bool]:
        """Remove the proposal that waits for a yes; and whether it was made in the last turn, so
        that a yes means it."""
        with self._lock:
            proposal, self._proposal = self._proposal, None
            return proposal, self._turns_since <= 1

    @property
    def last_proposal(self) -> Proposal | None:
        """The proposal of the last turn, which the words of this turn answer, taken or not."""
        with self._lock:
            return self._last if self._turns_since <= 1 else None

    @property
    def asks_for_name(self) -> bool:
        """Whether the last turn asked who speaks."""
        return any(_ASKS_NAME.search(turn.answered) for turn in self.turns[-1:])

    def resolved(self, query: Query) -> Query:
        """The query with the last object of the dialogue as marked, where its words refer to it and
        nothing is marked; and with the speaker, where the dialogue has asked for the name."""
        if not query.by:
            told = find_speaker(query.text) if self.asks_for_name else None
            self._speaker = told or self._speaker
            query = replace(query, by=self._speaker)
        if self.dialogue_id:
            # A yes or a no speaks of nothing: "what is this?" after it goes on from before.
            said = (t.said for t in reversed(self.turns))
            before = next((s for s in said if not agrees(s) and not declines(s)), "")
            query = replace(query, before=before)
        if query.marked_object_ids:
            return query
        was_asked = any(turn.answered.endswith("?") for turn in self.turns[-1:])
        if not refers_to_last(query.text, was_asked):
            return query
        last = self.last_object_ids
        if len(last) != 1:
            return query
        return replace(query, marked_object_ids=last)


def _labels(scene: MemorySnapshot, edits: Sequence[Edit]) -> Mapping[int, str]:
    ids = {i for edit in edits for i in edit.object_ids}
    return {i: scene.objects[i].label for i in sorted(ids) if i in scene.objects}


class Dialogues:
    """Dialogues by id; beyond the limit the least recently used one is dropped. Thread-safe."""

    def __init__(self, most: int, most_turns: int) -> None:
        self._most = most
        self._most_turns = most_turns
        self._known: OrderedDict[str, Dialogue] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, dialogue_id: str) -> Dialogue:
        """The dialogue of an id; a new one for an unknown or empty id."""
        if not dialogue_id:
            return Dialogue(most_turns=self._most_turns)
        with self._lock:
            found = self._known.pop(dialogue_id, None)
            found = found or Dialogue(dialogue_id, self._most_turns)
            self._known[dialogue_id] = found
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return found
