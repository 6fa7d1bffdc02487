"""SynergAI: an agent that answers about the scene graph with tools, and corrects it as people say.

Differences from the paper: corrections are written together when the agent has ended, through the
journal, so that one "undo" takes them back; changes that the person's own words do not name, and
changes of several objects that they did not name or mark each, need a yes first; and names that
perception or a person gave are quoted data to the model, never an order.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence

from scenemind.config import RelationConfig, SynergaiConfig
from scenemind.language.quoting import quoted, tame
from scenemind.memory import MemoryAccess, SceneMemoryError
from scenemind.models import ChatMessage, ChatModel, ChatReply, ModelError, ToolCall
from scenemind.reasoning.dialogue import Dialogue
from scenemind.reasoning.method import AlignReply, Asking, MethodReply
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.query import Query
from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.settlement import Settlement
from scenemind.reasoning.synergai.toolbox import Toolbox, ToolError
from scenemind.reasoning.synergai.tools import (
    EditingTools,
    Ending,
    EndingTools,
    ReadingTools,
    StagedEdits,
)

_PROMPTS = "scenemind.reasoning.synergai"
_LONGEST_SAID = 600
# Confidences by rule of thumb, as the model gives none.
_OBSERVED, _ONLY_THOUGHT, _ASKS_BACK, _WRITTEN = 0.75, 0.4, 0.3, 1.0
# Lengths of a model's turn and of an observation in later turns, and of both in the steps.
_REPEATED_CHARACTERS, _OBSERVED_CHARACTERS, _STEP_CHARACTERS = 4000, 6000, 800
_REFUSED = "That cannot be written, and nothing was changed; all that you have noted is dropped"
_MOST_REPEATS = 3  # of one call with the same arguments


class Synergai:
    """An `AskMethod` and `AlignMethod`. It reports the stages plan, think, act, look."""

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
            vision: answers about pictures of single objects; None: only attributes are known.
        """
        self._language = language
        self._vision = vision
        self._config = config or SynergaiConfig()
        self._relations = relations or RelationConfig()

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`. Corrections in the question are written to the journal."""
        done = self.align(query, memory, asking)
        objects = memory.snapshot().objects
        shown = tuple(objects[i] for i in done.object_ids if i in objects)
        written = tuple(correction.correction_id for correction in done.corrections)
        return MethodReply(
            done.text, done.confidence, shown, steps=done.steps, correction_ids=written
        )

    def align(self, query: Query, memory: MemoryAccess, asking: Asking) -> AlignReply:
        """Answer a question, or correct the memory as the person says: the agent decides which
        (paper, section III-B).

        Raises:
            ReasoningError: there are no objects.
            ModelError: the model failed or came to no end, or the request was cancelled; nothing
                was written.
        """
        # The 3D scene graph (section III-A) as one snapshot, seen from where the robot stands.
        scene = AgentScene(memory, query, asking, self._relations, self._config.objects)
        dialogue = asking.dialogue or Dialogue()

        # Tools (table I): for 3D reasoning, for alignment, and for the response.
        staged, endings = StagedEdits(), EndingTools(scene)
        reading, editing = ReadingTools(scene, self._vision), EditingTools(scene, staged)
        toolbox = _toolbox(reading, editing, endings)

        # Task decomposition: a plan, then thought, action and observation until final_answer.
        agent = Agent(self._language, toolbox, endings, self._config, asking)
        # Alignment: the corrections that the agent has noted are written, or proposed.
        settlement = Settlement(scene, staged, dialogue)
        ending = agent.run(_messages(query, scene, dialogue), settlement.settle)

        ratio = f"told {100.0 * scene.query_ratio():.1f} % of the scene graph (query ratio)"
        objects = memory.snapshot().objects
        return AlignReply(
            ending.text,
            tuple(settlement.written),
            tuple(objects[i] for i in ending.object_ids if i in objects),
            (*asking.progress.steps, ratio),
            ending.asks_back,
            _confidence(ending, agent, bool(settlement.written)),
        )


class Agent:
    """The agent for one request. It logs plan, thoughts, actions and observations.

    Attributes:
        actions: number of tool calls so far.
    """

    def __init__(
        self,
        language: ChatModel,
        toolbox: Toolbox,
        endings: EndingTools,
        config: SynergaiConfig,
        asking: Asking,
    ) -> None:
        """
        Args:
            toolbox: with the tools of `endings`.
        """
        self._language = language
        self._toolbox = toolbox
        self._endings = endings
        self._config = config
        self._asking = asking
        self._progress = asking.progress
        self._repeats: Counter[str] = Counter()
        self.actions = 0

    def run(self, messages: Sequence[ChatMessage], finish: Callable[[Ending], Ending]) -> Ending:
        """Plan, then thought, action and observation until the final answer (Fig. 2).

        Args:
            messages: up to the model's first turn.
            finish: carries out an ending; its result is the agent's.

        Raises:
            ModelError: the model failed, or came to no end.
        """
        turns = list(messages)
        was_talking = False
        for number in range(self._config.steps):
            # The first turn is the plan, each later one a thought; both come with actions.
            reply = self._next_turn(turns, "plan" if number == 0 else "think")
            calls = reply.calls[: self._config.calls]
            turns.append(ChatMessage("assistant", reply.text[:_REPEATED_CHARACTERS], calls=calls))
            if not calls and was_talking:
                # A second turn without an action: its text is the answer.
                return finish(Ending(tame(reply.text, _STEP_CHARACTERS), ()))
            was_talking = not calls
            for call in calls:
                # Action, and the observation that the next thought starts from.
                observation = self._act(call)
                if self._endings.ending is not None:
                    try:
                        return finish(self._endings.ending)
                    except SceneMemoryError as error:
                        self._endings.ending = None
                        observation = f"{_REFUSED}: {error}"
                        self._note("observation", observation)
                turns.append(ChatMessage("tool", observation, call_id=call.call_id))
            left = self._config.steps - number - 1
            if left == 1:
                turns.append(ChatMessage("user", read_prompt(_PROMPTS, "last_step")))
            elif was_talking:
                turns.append(ChatMessage("user", read_prompt(_PROMPTS, "act")))
        raise ModelError(
            "bad_reply", f"{self._language.name} came to no answer in {self._config.steps} steps"
        )

    def _next_turn(self, turns: Sequence[ChatMessage], stage: str) -> ChatReply:
        self._progress.report(stage)
        hear = self._progress.hears_text(stage)
        tools = self._toolbox.tools
        reply = self._language.ask(turns, self._asking.allowance, None, hear, tools)
        if reply.text:
            self._note("plan" if stage == "plan" else "thought", reply.text)
        return reply

    def _act(self, call: ToolCall) -> str:
        """Call a tool; its observation.

        Raises:
            ModelError: the model repeats one call without end.
        """
        self._asking.allowance.check()
        self.actions += 1
        shown = f"{tame(call.name)}({tame(call.arguments, _STEP_CHARACTERS)})"
        self._progress.report("act", shown)
        self._note("action", shown)
        key = f"{call.name}({_canonical(call.arguments)})"
        self._repeats[key] += 1
        if self._repeats[key] > _MOST_REPEATS:
            raise ModelError(
                "bad_reply", f"{self._language.name} goes round in circles: {shown} again and again"
            )
        try:
            observation = self._toolbox.run(call)[:_OBSERVED_CHARACTERS]
        except ToolError as error:
            observation = f"Error: {error}"[:_OBSERVED_CHARACTERS]
        if observation:
            self._note("observation", observation)
        if self._repeats[key] > 1:
            observation += "\nYou have done just this before: go on to something else."
        return observation

    def _note(self, what: str, text: str) -> None:
        self._progress.note(f"{what}: {tame(text, _STEP_CHARACTERS)}")


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
    speaker = quoted(query.by) if query.by else "The person, whose name is not known,"
    request = fill_prompt(
        _PROMPTS,
        "request",
        before=before or "Nothing was said before.",
        where=where,
        situation=quoted(query.situation, _LONGEST_SAID),
        marked=marked,
        speaker=speaker,
        said=quoted(query.text, _LONGEST_SAID),
    )
    return [ChatMessage("system", read_prompt(_PROMPTS, "system")), ChatMessage("user", request)]


def _confidence(ending: Ending, agent: Agent, has_written: bool) -> float:
    if ending.asks_back:
        return _ASKS_BACK
    if has_written:
        return _WRITTEN
    return _OBSERVED if agent.actions > 1 else _ONLY_THOUGHT


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
