"""The end of a request: the agent's corrections are written, or proposed to the person first; and
the reply, which tells what was written and what is proposed, whatever the model says of it."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.language.assertions import assents, asserts
from scenemind.language.quoting import tame
from scenemind.language.speech_acts import asks, begins_with_no, sentences
from scenemind.memory import Correction, Edit, SceneMemoryError
from scenemind.reasoning.consent import Consent
from scenemind.reasoning.dialogue import Dialogue, Proposal
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.tools import Ending, StagedEdits, changes_in_words

_LONGEST_SUMMARY = 600
_NOT_SAID = "You have not said this yourself, so I ask first."
_SHALL_I = "Shall I do that?"
_SAY_SO = "Say so yourself, with their numbers or by marking them, to have it done."
_NOTHING = "Nothing was changed."


class Settlement:
    """The settlement of one request.

    Attributes:
        written: new entries of the journal.
    """

    def __init__(self, scene: AgentScene, staged: StagedEdits, dialogue: Dialogue) -> None:
        self._scene = scene
        self._staged = staged
        self._dialogue = dialogue
        self._consent = Consent(scene.query, dialogue, scene.snapshot, scene.query.by)
        self.written: list[Correction] = []

    def settle(self, ending: Ending) -> Ending:
        """Write the corrections that the person has said outright, or has said yes to, and propose
        the others; the reply to the person. What was proposed just before and refused is dropped.

        Raises:
            ModelError: the request was cancelled; nothing was written or proposed.
            SceneMemoryError: the memory refused; nothing was written, and no edit is staged now.
        """
        if ending.asks_back:
            return ending
        said = self._scene.query.text
        agreed, refused = self._answered(said)
        edits = [edit for edit in self._staged.edits if edit not in refused]
        if not edits:
            is_told = bool(refused) or asserts(said)
            text = "" if refused else f"{ending.text} "
            return Ending(f"{text}{_NOTHING}", ()) if is_told else ending
        outright = self._consent.outright(edits)
        sure = [edit for edit in edits if edit in outright or edit in agreed]
        unsure = [edit for edit in edits if edit not in sure]
        with self._scene.asking.allowance.committing():
            if sure:
                self._write(sure)
            if unsure:
                return self._proposed(unsure, sure, ending)
        return Ending(f"{ending.text} {self._told(sure)}", ending.object_ids)

    def _answered(self, said: str) -> tuple[Sequence[Edit], Sequence[Edit]]:
        """The edits proposed in the last turn, if the words say yes to them; or if they refuse."""
        proposal = self._dialogue.last_proposal
        if proposal is None or not proposal.is_of(self._scene.snapshot):
            return (), ()
        if assents(said):
            return proposal.edits, ()
        return (), proposal.edits if begins_with_no(said) else ()

    def _write(self, edits: Sequence[Edit]) -> None:
        asking = self._scene.asking
        try:
            self.written += self._scene.memory.apply(edits, asking.by, self._scene.query.text)
        except SceneMemoryError:
            self._staged.clear()  # else the refused edit would block later ones
            raise

    def _told(self, edits: Sequence[Edit]) -> str:
        return f"Written: {self._in_words(edits)}" if edits else ""

    def _in_words(self, edits: Sequence[Edit]) -> str:
        return tame(" ".join(changes_in_words(self._scene, edits)), _LONGEST_SUMMARY)

    def _proposed(self, edits: Sequence[Edit], sure: Sequence[Edit], ending: Ending) -> Ending:
        """Ask for a yes; without a dialogue, ask for a full sentence."""
        summary = " ".join(changes_in_words(self._scene, edits))
        ids = tuple(dict.fromkeys(i for edit in edits for i in edit.object_ids if i >= 0))
        if self._dialogue.dialogue_id:
            said = self._scene.query.text
            self._dialogue.propose(Proposal.on(self._scene.snapshot, edits, said, summary))
        way_out = _SHALL_I if self._dialogue.dialogue_id else _SAY_SO
        things = f"object {ids[0]}" if len(ids) == 1 else f"{len(ids)} objects"
        changes = f"That would change {things}: {tame(summary, _LONGEST_SUMMARY)}"
        is_other = bool(ending.object_ids) and set(ids).isdisjoint(ending.object_ids)
        answer = ending.text if is_other and self._is_asked() else ""
        why = "" if all(map(self._consent.covers, edits)) else _NOT_SAID
        parts = (answer, self._told(sure), why, changes, way_out)
        shown = ending.object_ids if answer or sure else ()
        return Ending(" ".join(filter(None, parts)), tuple(dict.fromkeys((*shown, *ids))), True)

    def _is_asked(self) -> bool:
        """Whether the person asks something: the model's text may then be an answer, if it is about
        other objects than a proposal; else it may claim what is only proposed."""
        return any(map(asks, sentences(self._scene.query.text)))
