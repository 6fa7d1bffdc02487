"""Tools by which the agent ends its turn (paper, table I, the last two; and asking back)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenemind.reasoning.synergai.agent_scene import AgentScene
from scenemind.reasoning.synergai.reading_tools import Ids
from scenemind.reasoning.synergai.toolbox import ToolError
from scenemind.words.quoting import tame

_LONGEST_ANSWER = 1200


@dataclass(frozen=True, slots=True)
class Ending:
    """How the agent ended.

    Attributes:
        asks_back: it is a question to the person, whose candidates are `object_ids`.
    """

    text: str
    object_ids: tuple[int, ...]
    asks_back: bool = False


class EndingTools:
    """Of one request.

    Attributes:
        ending: None until one was chosen.
    """

    def __init__(self, scene: AgentScene) -> None:
        self._scene = scene
        self._shown: tuple[int, ...] = ()
        self.ending: Ending | None = None

    def post_process(self, object_ids: Ids) -> str:
        """Show the objects that your answer is about to the person, the most relevant first. Use it
        right before final_answer, when there are such objects."""
        self._shown = tuple(t.object_id for t in self._scene.get_all(object_ids))
        return "They are shown to the person."

    def final_answer(
        self, answer: Annotated[str, Field(description="one or two sentences for the person")]
    ) -> str:
        """End with the answer, or with what you did. Name objects with their ids."""
        self.ending = Ending(_plain(answer), self._shown)
        return ""

    def ask_back(
        self,
        question: Annotated[str, Field(description="one sentence for the person")],
        candidate_ids: Ids,
    ) -> str:
        """End with a question to the person, where several objects could be meant: all of them are
        shown as candidates, and nothing is changed."""
        ids = tuple(t.object_id for t in self._scene.get_all(candidate_ids))
        self.ending = Ending(_plain(question), ids, asks_back=True)
        return ""


def _plain(text: str) -> str:
    """
    Raises:
        ToolError: nothing is left of it.
    """
    plain = tame(text, _LONGEST_ANSWER)
    if not plain:
        raise ToolError("that is empty: write a sentence")
    return plain
