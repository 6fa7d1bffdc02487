"""Plan, then thought, action and observation until the final answer (paper, section III-B)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence

from scenemind.config import SynergaiConfig
from scenemind.memory import SceneMemoryError
from scenemind.models import ChatMessage, ChatModel, ChatReply, ModelError, ToolCall
from scenemind.reasoning.method import Asking, say_nothing
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.synergai.ending_tools import Ending, EndingTools
from scenemind.reasoning.synergai.toolbox import Toolbox, ToolError
from scenemind.words.quoting import tame

_PROMPTS = "scenemind.reasoning.synergai"
# Of what the model said and saw, when it is shown again; and in the steps that people read.
_REPEATED_CHARACTERS, _OBSERVED_CHARACTERS, _STEP_CHARACTERS = 4000, 6000, 800
_REFUSED = "That cannot be written, and nothing was changed; all that you have noted is dropped"
# The same call so often, and nothing new comes of it.
_MOST_REPEATS = 3


class Agent:
    """One request.

    Attributes:
        steps: plan, thoughts, actions and observations, in order.
        actions: how many there were.
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
            toolbox: the tools of `endings` among them.
        """
        self._language = language
        self._toolbox = toolbox
        self._endings = endings
        self._config = config
        self._asking = asking
        self._repeats: Counter[str] = Counter()
        self.steps: list[str] = []
        self.actions = 0

    def run(self, messages: Sequence[ChatMessage], finish: Callable[[Ending], Ending]) -> Ending:
        """How it ended.

        Args:
            messages: up to the model's first turn.
            finish: does what was decided; what it says is the end.

        Raises:
            ModelError: it came to no end, or the model failed.
        """
        turns = list(messages)
        was_talking = False
        for number in range(self._config.steps):
            reply = self._next(turns, "plan" if number == 0 else "think")
            calls = reply.calls[: self._config.calls]
            turns.append(ChatMessage("assistant", reply.text[:_REPEATED_CHARACTERS], calls=calls))
            if not calls and was_talking:
                # It does not act, but it says something.
                return finish(Ending(tame(reply.text, _STEP_CHARACTERS), ()))
            was_talking = not calls
            for call in calls:
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

    def _next(self, turns: Sequence[ChatMessage], stage: str) -> ChatReply:
        report = self._asking.report
        report(stage)
        hear = None if report is say_nothing else (lambda text: report(stage, text))
        tools = self._toolbox.tools
        reply = self._language.ask(turns, self._asking.allowance, None, hear, tools)
        if reply.text:
            self._note("plan" if stage == "plan" else "thought", reply.text)
        return reply

    def _act(self, call: ToolCall) -> str:
        """What the model is told of it.

        Raises:
            ModelError: it goes round in circles.
        """
        self._asking.allowance.check()
        self.actions += 1
        shown = f"{tame(call.name)}({tame(call.arguments, _STEP_CHARACTERS)})"
        self._asking.report("act", shown)
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
        self.steps.append(f"{what}: {tame(text, _STEP_CHARACTERS)}")


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return arguments
