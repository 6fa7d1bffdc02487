"""Correcting the memory as a person says: by the grammar, else by the agent."""

from __future__ import annotations

import time
from collections.abc import Callable

from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.reasoning.attempt import Attempt, attempt
from scenemind.reasoning.consent import needs_a_yes
from scenemind.reasoning.dialogue import Dialogue, Proposal, Turn, agrees, declines
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import AlignMethod, AlignReply, Asking
from scenemind.reasoning.sentence import check_sentence, check_speaker
from scenemind.reasoning.snapshots import snapshot_with_objects
from scenemind.reasoning.symbolic import SymbolicReasoner, phrasing, taking_back
from scenemind.reasoning.symbolic.command_syntax import Redo, Undo
from scenemind.reasoning.symbolic.commands import parse_commands
from scenemind.reasoning.symbolic.correcting import Wanted
from scenemind.reasoning.symbolic.half_understood import question_of
from scenemind.reasoning.types import Alignment, Query
from scenemind.words.english import shown


class Aligner:
    """Of one memory, for several threads."""

    def __init__(
        self, memory: MemoryAccess, symbolic: SymbolicReasoner, agent: AlignMethod | None
    ) -> None:
        """
        Args:
            agent: asked where the grammar does not understand; None: that is a failure.
        """
        self._memory = memory
        self._symbolic = symbolic
        self._agent = agent

    def align(
        self, query: Query, dialogue: Dialogue, asking: Asking, by_agent: bool = False
    ) -> Alignment:
        """Change the memory as a sentence says, or say why not.

        Args:
            by_agent: the agent, where there is one, also reads what the grammar would, but for a
                yes or no to a proposal, and "undo that".
        """
        start = time.perf_counter()
        meant, agent = dialogue.resolved(query), self._agent
        left = self._left_to_agent if by_agent and agent is not None else self._written
        tried = attempt("symbolic", lambda: self._by_symbols(meant, dialogue, asking, left))
        if agent is not None and _is_not_understood(tried):
            tried = attempt(agent.name, lambda: agent.align(meant, self._memory, asking))
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
        otherwise: Callable[[Query, Dialogue, Asking], AlignReply],
    ) -> AlignReply:
        """
        Args:
            otherwise: reads what is no answer to a proposal.

        Raises:
            ReasoningError: not understood, or not to be done.
            ModelError: nobody waits any more; nothing was written or proposed.
        """
        check_sentence(query, "correction")
        check_speaker(asking.by)
        try:
            answered = self._answer_to_proposal(query, dialogue, asking)
            return answered or otherwise(query, dialogue, asking)
        except SceneMemoryError as error:
            raise ReasoningError("memory_refused", str(error)) from error

    def _answer_to_proposal(
        self, query: Query, dialogue: Dialogue, asking: Asking
    ) -> AlignReply | None:
        """None where nothing waits for a yes, or something else is said. A no is one to what the
        agent may have asked, else to nothing at all."""
        proposal, is_last = dialogue.take_proposal()
        is_no = declines(query.text)
        if is_no and (proposal is not None or self._agent is None):
            return AlignReply("Nothing was changed.")
        if proposal is None or not agrees(query.text):
            return None
        if not is_last:  # the yes may be one to what was answered since
            dialogue.propose(proposal)
            said = shown(proposal.reason)
            return AlignReply(f'You said before: "{said}". Shall I do that?', asks_back=True)
        if not proposal.is_of(self._memory.snapshot()):
            return AlignReply("The map has changed since, and nothing was written: say it again.")
        with asking.allowance.committing():
            written = self._memory.apply(proposal.edits, asking.by, proposal.reason)
        return AlignReply(f"Done. {proposal.summary}", tuple(written))

    def _written(self, query: Query, dialogue: Dialogue, asking: Asking) -> AlignReply:
        wanted = self._symbolic.align(query, snapshot_with_objects(self._memory), asking.by)
        if not wanted.edits and wanted.of_journal is None:
            return AlignReply(wanted.response, objects=wanted.objects)
        with asking.allowance.committing():
            if wanted.of_journal is not None:
                return self._of_journal(wanted.of_journal, dialogue)
            if wanted.is_doubtful:
                return self._asked(wanted, query, dialogue)
            if dialogue.dialogue_id and wanted.is_of_several and needs_a_yes(wanted.edits, query):
                return self._proposed(wanted, query, dialogue)
            written = self._memory.apply(wanted.edits, asking.by, query.text)
        return AlignReply(wanted.response, tuple(written))

    def _asked(self, wanted: Wanted, query: Query, dialogue: Dialogue) -> AlignReply:
        """What was half understood is asked, unless an agent may understand it.

        Raises:
            ReasoningError: `not_understood`: the agent is to be asked, or nobody can answer.
        """
        question = question_of(wanted.response)
        if self._agent is not None or not dialogue.dialogue_id:
            raise ReasoningError("not_understood", f"{question} Then say just that.")
        self._propose(wanted, query, dialogue)
        return AlignReply(question, objects=wanted.objects, asks_back=True)

    def _left_to_agent(self, query: Query, dialogue: Dialogue, asking: Asking) -> AlignReply:
        """What takes back; the agent has no tool for it.

        Raises:
            ReasoningError: `not_understood`: anything else.
        """
        command, *more = parse_commands(query.text)
        if more or not isinstance(command, Undo | Redo):
            raise ReasoningError("not_understood", query.text)
        with asking.allowance.committing():
            return self._of_journal(command, dialogue)

    def _of_journal(self, wanted: Undo | Redo, dialogue: Dialogue) -> AlignReply:
        own_ids = dialogue.correction_ids
        if isinstance(wanted, Undo):
            return AlignReply(*taking_back.take_back(self._memory, wanted, own_ids))
        return AlignReply(*taking_back.let_stand(self._memory, wanted, own_ids))

    def _proposed(self, wanted: Wanted, query: Query, dialogue: Dialogue) -> AlignReply:
        """Ask for a yes: a plural means several objects, maybe more than the person thinks."""
        self._propose(wanted, query, dialogue)
        names = phrasing.listed(wanted.objects)
        text = f"That would change {len(wanted.objects)} objects: {names}. Shall I do that?"
        return AlignReply(text, objects=wanted.objects, asks_back=True)

    def _propose(self, wanted: Wanted, query: Query, dialogue: Dialogue) -> None:
        scene = self._memory.snapshot()
        dialogue.propose(Proposal.on(scene, wanted.edits, query.text, wanted.response))


def _is_not_understood(tried: Attempt[AlignReply]) -> bool:
    return tried.failure is not None and tried.failure.code == "not_understood"
