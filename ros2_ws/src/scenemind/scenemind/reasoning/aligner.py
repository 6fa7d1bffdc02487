"""Corrections in plain words: read by the grammar, else by the agent, and written to the memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from scenemind.language.corrections.grammar import parse_commands
from scenemind.language.english import shown
from scenemind.language.speech_acts import agrees, declines, find_speaker, is_order
from scenemind.language.tokens import NotUnderstoodError
from scenemind.language.trees import Redo, Undo
from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.reasoning.dialogue import WHO_SPEAKS, Dialogue, Proposal, Turn
from scenemind.reasoning.method import (
    AlignMethod,
    AlignReply,
    Asking,
    Attempt,
    attempt,
    snapshot_with_objects,
)
from scenemind.reasoning.query import (
    Alignment,
    Query,
    ReasoningError,
    check_sentence,
    check_speaker,
)
from scenemind.reasoning.symbolic import SymbolicReasoner
from scenemind.reasoning.symbolic.edits import Doubt, Intent, change_journal
from scenemind.reasoning.symbolic.replies import bounded

_OTHERS = frozenset(("other", "others"))  # than the thing that was spoken of last


class Aligner:
    """Corrects one memory, from several threads."""

    def __init__(
        self, memory: MemoryAccess, symbolic: SymbolicReasoner, agent: AlignMethod | None
    ) -> None:
        """
        Args:
            agent: reads sentences that the grammar does not understand; None: they fail.
        """
        self._memory = memory
        self._symbolic = symbolic
        self._agent = agent

    def align(
        self, query: Query, dialogue: Dialogue, asking: Asking, by_agent: bool = False
    ) -> Alignment:
        """Change the memory as a sentence says, or give the reason against it.

        Args:
            query: as the dialogue resolves it.
            by_agent: the agent, where there is one, reads every sentence but a yes or no to a
                proposal, and "undo that".
        """
        start = time.perf_counter()
        agent = self._agent
        grammar = self._undo_or_redo if by_agent and agent is not None else self._by_grammar
        tried = attempt("symbolic", lambda: self._by_symbols(query, dialogue, asking, grammar))
        if agent is not None and _is_for_agent(tried) and not is_order(query.text):
            tried = attempt(agent.name, lambda: agent.align(query, self._memory, asking))
        done = tried.reply or AlignReply(tried.failure.text if tried.failure else "")
        written = tuple(correction.correction_id for correction in done.corrections)
        dialogue.add(Turn(query.text, done.text, done.object_ids, written))
        return Alignment(
            query,
            done.text,
            written,
            done.object_ids,
            time.perf_counter() - start,
            tried.failure,
            tried.method,
            done.steps,
            asking.allowance.used,
        )

    def _by_symbols(
        self,
        query: Query,
        dialogue: Dialogue,
        asking: Asking,
        grammar: Callable[[Query, Dialogue, Asking], AlignReply],
    ) -> AlignReply:
        """
        Args:
            grammar: reads a sentence that is no answer to a proposal.

        Raises:
            ReasoningError: the sentence was not understood, or cannot be carried out.
            ModelError: the request was cancelled; nothing was written or proposed.
        """
        check_sentence(query, "correction")
        check_speaker(asking.by)
        try:
            answered = self._answer_to_proposal(query, dialogue, asking)
            return answered or grammar(query, dialogue, asking)
        except SceneMemoryError as error:
            raise ReasoningError("memory_refused", str(error)) from error

    def _answer_to_proposal(
        self, query: Query, dialogue: Dialogue, asking: Asking
    ) -> AlignReply | None:
        """The reply to a yes or no; None where no proposal waits, or the sentence is neither.
        Without a proposal, a no goes to the agent, which may have asked something."""
        proposal, is_last = dialogue.take_proposal()
        is_no = declines(query.text)
        if is_no and (proposal is not None or self._agent is None):
            return AlignReply("Nothing was changed.")
        if proposal is None or not agrees(query.text):
            return None
        if not is_last:  # the yes may answer a later turn
            dialogue.propose(proposal)
            said = shown(proposal.reason)
            return AlignReply(f'You said before: "{said}". Shall I do that?', asks_back=True)
        if not proposal.is_of(self._memory.snapshot()):
            return AlignReply("The map has changed since, and nothing was written: say it again.")
        with asking.allowance.committing():
            written = self._memory.apply(proposal.edits, asking.by, proposal.reason)
        return AlignReply(f"Done. {proposal.summary}", tuple(written))

    def _by_grammar(self, query: Query, dialogue: Dialogue, asking: Asking) -> AlignReply:
        last = dialogue.turns[-1:]
        if last and last[0].answered == WHO_SPEAKS and find_speaker(query.text):
            query = replace(query, text=last[0].said)
        others = dialogue.last_object_ids
        if not query.marked_object_ids and not _OTHERS.isdisjoint(query.text.lower().split()):
            query = replace(query, marked_object_ids=others)
        intent = self._symbolic.align(query, snapshot_with_objects(self._memory), query.by)
        doubt = intent.doubt
        if doubt is not None and doubt.code == "not_understood" and self._agent is not None:
            raise ReasoningError(doubt.code, str(doubt), doubt.suggestion)  # it may read it better
        if any(edit.key == "owner" and not edit.value for edit in intent.edits) and not query.by:
            return AlignReply(WHO_SPEAKS, objects=intent.objects, asks_back=True)
        if not intent.edits and intent.journal_action is None:
            return AlignReply(intent.response, objects=intent.objects)
        with asking.allowance.committing():
            if intent.journal_action is not None:
                return self._change_journal(intent.journal_action, dialogue)
            if doubt is not None:
                return self._asked(intent, doubt, query, dialogue)
            written = self._memory.apply(intent.edits, asking.by, query.text)
        return AlignReply(intent.response, tuple(written))

    def _asked(self, intent: Intent, doubt: Doubt, query: Query, dialogue: Dialogue) -> AlignReply:
        """Ask for a yes before anything is written.

        Raises:
            ReasoningError: the doubt: there is no dialogue for a yes.
        """
        if not dialogue.dialogue_id:
            is_guess = doubt.code == "not_understood"
            ids = bounded([str(thing.object_id) for thing in intent.objects])
            of = f"object {ids}" if len(intent.objects) == 1 else f"objects {ids}"
            say = f'say "{doubt.suggestion}"' if doubt.suggestion else f"say it of {of}"
            is_order = bool(doubt.question and doubt.suggestion)
            way_out = f"If so, {say}." if is_order or not is_guess else "Then say just that."
            raise ReasoningError(doubt.code, f"{doubt} {way_out}", doubt.suggestion)
        scene = self._memory.snapshot()
        dialogue.propose(Proposal.on(scene, intent.edits, query.text, intent.response))
        return AlignReply(str(doubt), objects=intent.objects, asks_back=True)

    def _undo_or_redo(self, query: Query, dialogue: Dialogue, asking: Asking) -> AlignReply:
        """Undo or redo, for which the agent has no tool.

        Raises:
            ReasoningError: `not_understood`: the sentence is neither.
        """
        try:
            command, *more = parse_commands(query.text)
        except NotUnderstoodError as error:
            raise ReasoningError("not_understood", str(error)) from error
        if more or not isinstance(command, Undo | Redo):
            raise ReasoningError("not_understood", query.text)
        with asking.allowance.committing():
            return self._change_journal(command, dialogue)

    def _change_journal(self, command: Undo | Redo, dialogue: Dialogue) -> AlignReply:
        return AlignReply(*change_journal(self._memory, command, dialogue.correction_ids))


def _is_for_agent(tried: Attempt[AlignReply]) -> bool:
    """Whether the grammar has not read a sentence, or has read things that the map lacks: a fact in
    free words ("holds olive oil"), or other names for what is there."""
    return tried.failure is not None and tried.failure.code in ("not_understood", "not_found")
