"""SynergAI: talks about the scene graph, and corrects it as people say.

Unlike the paper: what is to be corrected is written all together when the agent has ended, through
the journal, so that it can be taken back in one word; what the person's own words do not say, and
several objects that they have not named or marked each, are changed only after a yes; and what
perception or a person has called a thing is quoted data to the model, never an order.
"""

from __future__ import annotations

from scenemind.config import RelationConfig, SynergaiConfig
from scenemind.memory import MemoryAccess
from scenemind.models import ChatMessage, ChatModel
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.method import AlignReply, Asking, MethodReply
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.synergai.agent import Agent
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.editing_tools import EditingTools
from scenemind.reasoning.synergai.ending_tools import Ending, EndingTools
from scenemind.reasoning.synergai.reading_tools import ReadingTools
from scenemind.reasoning.synergai.settlement import Settlement
from scenemind.reasoning.synergai.staged_edits import StagedEdits
from scenemind.reasoning.synergai.toolbox import Toolbox
from scenemind.reasoning.types import Query
from scenemind.words.quoting import quoted

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
        written = tuple(correction.correction_id for correction in done.corrections)
        return MethodReply(
            done.text, done.confidence, shown, steps=done.steps, correction_ids=written
        )

    def align(self, query: Query, memory: MemoryAccess, asking: Asking) -> AlignReply:
        """Answer a question, or do what a person tells: the agent finds out which it is.

        Raises:
            ReasoningError: there are no objects.
            ModelError: the model failed or came to no end, or nobody waits any more; nothing was
                written.
        """
        scene = AgentScene(memory, query, asking, self._relations, self._config.objects)
        dialogue = asking.dialogue or Dialogue()
        staged, endings = StagedEdits(), EndingTools(scene)
        reading, editing = ReadingTools(scene, self._vision), EditingTools(scene, staged)
        toolbox = _toolbox(reading, editing, endings)
        agent = Agent(self._language, toolbox, endings, self._config, asking)
        settlement = Settlement(scene, staged, dialogue)
        with asking.trail.kept(agent.steps):
            ending = agent.run(_messages(query, scene, dialogue), settlement.settle)
        ratio = f"told {100.0 * scene.query_ratio():.1f} % of the scene graph (query ratio)"
        objects = memory.snapshot().objects
        return AlignReply(
            ending.text,
            tuple(settlement.written),
            tuple(objects[i] for i in ending.object_ids if i in objects),
            (*agent.steps, ratio),
            ending.asks_back,
            _confidence(ending, agent, bool(settlement.written)),
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


def _confidence(ending: Ending, agent: Agent, has_written: bool) -> float:
    if ending.asks_back:
        return _ASKS_BACK
    if has_written:
        return _WRITTEN
    return _OBSERVED if agent.actions > 1 else _ONLY_THOUGHT
