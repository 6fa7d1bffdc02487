"""The end of a request: the agent's corrections are written, or proposed to the person first."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.language.quoting import tame
from scenemind.language.speech_acts import is_question
from scenemind.memory import Correction, Edit, SceneMemoryError
from scenemind.reasoning.consent import Consent, needs_a_yes
from scenemind.reasoning.dialogue import Dialogue, Proposal
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.tools import Ending, StagedEdits, changes_in_words

_LONGEST_SUMMARY = 600
_NOT_SAID = "You have not said this yourself, so I ask first."
_SHALL_I = "Shall I do that?"
_SAY_SO = "Say so yourself, with their numbers or by marking them, to have it done."


class Settlement:
    """The settlement of one request.

    Attributes:
        written: new entries of the journal.
    """

    def __init__(self, scene: AgentScene, staged: StagedEdits, dialogue: Dialogue) -> None:
        self._scene = scene
        self._staged = staged
        self._dialogue = dialogue
        self.written: list[Correction] = []

    def settle(self, ending: Ending) -> Ending:
        """Write the corrections that the person's words cover and propose the others; the reply to
        the person. Where the covered ones change several objects that the person did not name each,
        all are proposed.

        Raises:
            ModelError: the request was cancelled; nothing was written or proposed.
            SceneMemoryError: the memory refused; nothing was written, and no edit is staged now.
        """
        if ending.asks_back or not len(self._staged):
            return ending
        scene, edits = self._scene, self._staged.edits
        consent = Consent(scene.query, self._dialogue, scene.snapshot, scene.asking.by)
        said = [edit for edit in edits if consent.covers(edit)]
        with scene.asking.allowance.committing():
            if needs_a_yes(said, scene.query):
                return self._proposed(edits, Ending("", ()))
            if said:
                self._write(said)
            unsaid = [edit for edit in edits if edit not in said]
            return self._proposed(unsaid, self._introduced(ending)) if unsaid else ending

    def _write(self, edits: Sequence[Edit]) -> None:
        asking = self._scene.asking
        try:
            self.written += self._scene.memory.apply(edits, asking.by, self._scene.query.text)
        except SceneMemoryError:
            self._staged.clear()  # else the refused edit would block later ones
            raise

    def _introduced(self, ending: Ending) -> Ending:
        """The text before a proposal: the agent's answer, unless it may claim changes that were not
        made."""
        is_true = bool(self.written) or is_question(self._scene.query.text)
        text = f"{ending.text} {_NOT_SAID} " if is_true else f"{_NOT_SAID} "
        return Ending(text, ending.object_ids if is_true else ())

    def _proposed(self, edits: Sequence[Edit], before: Ending) -> Ending:
        """Ask for a yes; without a dialogue, ask for a full sentence."""
        summary = " ".join(changes_in_words(self._scene, edits))
        ids = tuple(dict.fromkeys(i for edit in edits for i in edit.object_ids if i >= 0))
        if self._dialogue.dialogue_id:
            said = self._scene.query.text
            self._dialogue.propose(Proposal.on(self._scene.snapshot, edits, said, summary))
        way_out = _SHALL_I if self._dialogue.dialogue_id else _SAY_SO
        things = f"object {ids[0]}" if len(ids) == 1 else f"{len(ids)} objects"
        changes = f"That would change {things}: {tame(summary, _LONGEST_SUMMARY)}"
        known = tuple(dict.fromkeys((*before.object_ids, *ids)))
        return Ending(f"{before.text}{changes} {way_out}", known, asks_back=True)
