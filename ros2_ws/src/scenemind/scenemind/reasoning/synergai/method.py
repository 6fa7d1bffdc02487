"""SynergAI: talks about the scene graph, and corrects it as people say.

Unlike the paper: what is to be corrected is written all together when the agent has ended, through
the journal, so that it can be taken back in one word; several objects are changed only after a yes,
unless the person has named or marked each of them; and what perception or a person has called a
thing is quoted data to the model, never an order.
"""

from __future__ import annotations

from scenemind.config import RelationConfig, SynergaiConfig
from scenemind.memory import Correction, MemoryAccess
from scenemind.models import ChatMessage, ChatModel
from scenemind.reasoning.dialogue import Dialogue, Proposal
from scenemind.reasoning.method import AlignReply, Asking, MethodReply
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.synergai.agent import Agent
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.editing_tools import EditingTools, changes_in_words
from scenemind.reasoning.synergai.ending_tools import Ending, EndingTools
from scenemind.reasoning.synergai.reading_tools import ReadingTools
from scenemind.reasoning.synergai.staged_edits import StagedEdits
from scenemind.reasoning.synergai.toolbox import Toolbox
from scenemind.reasoning.types import Query
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.synergai"
_LONGEST_SAID = 600
# Rules of thumb: the model says nothing of how sure it is.
_OBSERVED, _ONLY_THOUGHT, _ASKS_BACK, _WRITTEN = 0.75, 0.4, 0.3, 1.0


class Synergai:
    """An `AskMethod` that also corrects. Stages that it reports: plan, think, act, look."""

    name = "synergai"

    def __init__(
        self,
        language: ChatModel,
        vision: ChatModel | None = None,
        config: SynergaiConfig | None = None,
        relations: RelationConfig | None = None,
    ) -> None:
        """
        Args:
            vision: looks at single objects; None: attributes have to do.
        """
        self._language = language
        self._vision = vision
        self._config = config or SynergaiConfig()
        self._relations = relations or RelationConfig()

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`. What the person tells is written to the journal."""
        done = self.align(query, memory, asking)
        objects = memory.snapshot().objects
        shown = tuple(objects[i] for i in done.object_ids if i in objects)
        return MethodReply(done.text, done.confidence, shown, steps=done.steps)

    def align(self, query: Query, memory: MemoryAccess, asking: Asking) -> AlignReply:
        """Answer a question, or do what a person tells: the agent finds out which it is.

        Raises:
            ReasoningError: there are no objects.
            ModelError: the model failed, or came to no end; nothing was written.
        """
        scene = AgentScene(memory, query, asking, self._relations, self._config.objects)
        dialogue = asking.dialogue or Dialogue()
        staged, endings = StagedEdits(query), EndingTools(scene)
        reading, editing = ReadingTools(scene, self._vision), EditingTools(scene, staged)
        toolbox = _toolbox(reading, editing, endings)
        agent = Agent(self._language, toolbox, endings, self._config, asking)
        written: list[Correction] = []

        def finish(ending: Ending) -> Ending:
            if ending.asks_back or not len(staged):
                return ending
            if staged.needs_a_yes:
                return _proposed(scene, staged, dialogue)
            written.extend(memory.apply(staged.edits, asking.by, query.text))
            return ending

        with asking.trail.kept(agent.steps):
            ending = agent.run(_messages(query, scene, dialogue), finish)
        ratio = f"told {100.0 * scene.query_ratio():.1f} % of the scene graph (query ratio)"
        objects = memory.snapshot().objects
        return AlignReply(
            ending.text,
            tuple(written),
            tuple(objects[i] for i in ending.object_ids if i in objects),
            (*agent.steps, ratio),
            ending.asks_back,
            _confidence(ending, agent, bool(written)),
        )


def _toolbox(reading: ReadingTools, editing: EditingTools, endings: EndingTools) -> Toolbox:
    return Toolbox(
        (
            reading.query_for_objects,
            reading.query_for_relations,
            reading.query_from_robot,
            reading.find_marked_object,
            reading.calculate_mid_point,
            reading.find_object_closest,
            reading.query_for_changes,
            reading.look_at_object,
            editing.update_name,
            editing.update_attributes,
            editing.add_relation,
            editing.delete_relation,
            editing.merge_objects,
            editing.split_object,
            editing.delete_object,
            endings.post_process,
            endings.ask_back,
            endings.final_answer,
        )
    )


def _messages(query: Query, scene: AgentScene, dialogue: Dialogue) -> list[ChatMessage]:
    before = "\n".join(
        f"The person said: {quoted(turn.said, _LONGEST_SAID)}\n"
        f"You answered: {quoted(turn.answered, _LONGEST_SAID)}"
        for turn in dialogue.turns
    )
    where = scene.viewpoint.describe() if scene.viewpoint else "nobody knows where"
    marked = "yes: see find_marked_object" if query.marked_object_ids else "nothing"
    request = fill_prompt(
        _PROMPTS,
        "request",
        before=before or "Nothing was said before.",
        where=where,
        situation=quoted(query.situation, _LONGEST_SAID),
        marked=marked,
        said=quoted(query.text, _LONGEST_SAID),
    )
    return [ChatMessage("system", read_prompt(_PROMPTS, "system")), ChatMessage("user", request)]


def _proposed(scene: AgentScene, staged: StagedEdits, dialogue: Dialogue) -> Ending:
    """Ask for a yes: several objects would change."""
    summary = " ".join(changes_in_words(scene, staged.edits))
    ids = tuple(dict.fromkeys(i for edit in staged.edits for i in edit.object_ids if i >= 0))
    way_out = "Shall I do that?"
    if dialogue.dialogue_id:
        dialogue.propose(Proposal(staged.edits, scene.query.text, summary))
    else:
        way_out = "Name them by their numbers, or mark them, to have it done."
    text = f"That would change {len(ids)} objects: {tame(summary, _LONGEST_SAID)} {way_out}"
    return Ending(text, ids, asks_back=True)


def _confidence(ending: Ending, agent: Agent, has_written: bool) -> float:
    if ending.asks_back:
        return _ASKS_BACK
    if has_written:
        return _WRITTEN
    return _OBSERVED if agent.actions > 1 else _ONLY_THOUGHT
