"""LLM-TPC: questions answered by programs that a language model writes and corrects.

Unlike the paper's code: a program that fails sends back its whole traceback with what would have
been right, programs run in a sandbox with limits, and what a model says after its own program, such
as an observation that it made up, is not believed.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.config import LlmTpcConfig, RelationConfig
from scenemind.memory import MapObject, MemoryAccess, MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.models import ChatModel
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods import Learner, forgetful_learner, offer_for
from scenemind.reasoning.llm_tpc.loop import Loop, is_no_answer
from scenemind.reasoning.llm_tpc.question import messages_of
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
from scenemind.reasoning.llm_tpc.turns import GiveAnswer
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.object_words import ObjectWords
from scenemind.reasoning.programs import SceneApi, find_viewpoint
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.types import Query

_MOST_OBJECTS = 8
# Rules of thumb: the model says nothing of how sure it is.
_OBSERVED, _ONLY_THOUGHT, _PRESSED = 0.75, 0.45, 0.6


class LlmTpc:
    """An `AskMethod`. Stages that it reports: think, program, observe, rectify, summarize; where it
    learns, design and implement before them."""

    name = "llm_tpc"

    def __init__(
        self,
        language: ChatModel,
        sandbox: Sandbox,
        config: LlmTpcConfig | None = None,
        relations: RelationConfig | None = None,
        learner: Learner | None = None,
    ) -> None:
        """
        Args:
            sandbox: stays open as long as the method is used.
            learner: of methods on scenes; None: they live as long as this object.
        """
        self._language = language
        self._sandbox = sandbox
        self._config = config or LlmTpcConfig()
        self._relations = relations or RelationConfig()
        self._learner = learner or forgetful_learner(language, sandbox, scene_methods())

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`; the reply's steps have the programs and what they printed.

        Raises:
            SandboxError: no program can be run.
        """
        snapshot = memory.snapshot()
        viewpoint = find_viewpoint(query, snapshot)
        steps = [_seen_from(viewpoint)]
        with asking.trail.kept(steps):
            offer = offer_for(query.text, self._learner, self._config.learns, asking, steps)
            api = SceneApi(snapshot, viewpoint, self._relations, offer)
            messages = messages_of(query, snapshot, api, viewpoint)
            loop = Loop(
                self._language,
                self._sandbox,
                api,
                self._config,
                messages,
                asking,
                query.policy == "always_answer",
                steps,
            )
            final = self._answer(loop)
        return MethodReply(
            text=final.answer,
            confidence=_confidence(loop),
            objects=_objects_of(final, loop.object_ids, snapshot),
            steps=tuple(steps),
            brief=final.answer,
        )

    def close(self) -> None:
        """Close the file of learned methods; the next question opens it again."""
        self._learner.close()

    def _answer(self, loop: Loop) -> GiveAnswer:
        """
        Raises:
            ReasoningError: nobody knows.
        """
        try:
            final = loop.answer()
        finally:
            self._learner.note_uses(loop.programs)
        if is_no_answer(final.answer):
            raise ReasoningError("not_found", f"No program told: {final.thought or final.answer}")
        return final


def _seen_from(viewpoint: Viewpoint | None) -> str:
    if viewpoint is None:
        return "it is not known where one stands"
    return f"seen from {viewpoint.describe()}"


def _confidence(loop: Loop) -> float:
    sure = _OBSERVED if loop.has_observed else _ONLY_THOUGHT
    return sure * (_PRESSED if loop.was_pressed else 1.0)


def _objects_of(
    final: GiveAnswer, spoken_of: Sequence[int], snapshot: MemorySnapshot
) -> tuple[MapObject, ...]:
    """What the model says that the answer rests on, else what the answer names, else what the last
    program was about."""
    words = ObjectWords(snapshot.objects)
    said = [i for name in final.objects for i in words.find(name, spoken_of) or ()]
    ids = said or words.find(final.answer, spoken_of) or spoken_of
    known = (snapshot.objects[i] for i in dict.fromkeys(ids) if i in snapshot.objects)
    return tuple(known)[:_MOST_OBJECTS]
