"""LLM-TPC: 3D situated reasoning by a Think-Program-reCtify loop of a language model.

Differences from the paper: the objects, attributes and relations are those of the memory's scene
graph; a program that fails returns its whole traceback with the valid names; programs run in a
sandbox with limits; text after the model's own program, such as an observation that it made up, is
ignored; programs may call learned methods, and look at pictures; and the model is told how complete
the map is, by which counts are checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from scenemind.config import LlmTpcConfig, RelationConfig, SandboxConfig
from scenemind.language.quoting import quoted
from scenemind.memory import MapObject, MemoryAccess, MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.models import ChatMessage, ChatModel, ModelError
from scenemind.reasoning.learned_methods import Learner, forgetful_learner, offer_for
from scenemind.reasoning.learned_methods.library import declarations_prompt
from scenemind.reasoning.llm_tpc.counts import check_count
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
from scenemind.reasoning.llm_tpc.turns import (
    GiveAnswer,
    Turn,
    Unreadable,
    WriteProgram,
    model_part,
    read_turn,
)
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.programs import SceneApi, documentation, find_viewpoint, run_program
from scenemind.reasoning.programs.looks import Looks
from scenemind.reasoning.programs.map_evidence import MapEvidence
from scenemind.reasoning.prompts import ObjectWords, fill_prompt, find_count, printable, read_prompt
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.sandbox import Sandbox

_PROMPTS = "scenemind.reasoning.llm_tpc"
_MOST_OBJECTS = 8
_MOST_CATEGORIES = 200
_LONGEST_SAID = 500
# Lengths of a model's turn and of a program's output in the messages of later turns.
_REPEATED_CHARACTERS, _OBSERVED_CHARACTERS = 6000, 4000
_LEAST_SECONDS = 0.05
# Confidences by rule of thumb, as the model gives none: after a program that ran, without one, and
# the factor for an answer that was given only when the turns for programs were over.
_OBSERVED, _ONLY_THOUGHT, _PRESSED = 0.75, 0.45, 0.6
_UNKNOWN_PLACE = "it is not known where one stands"
_NO_ANSWERS = frozenset(
    (
        *("unknown", "unclear", "uncertain", "not sure", "not known", "not visible"),
        *("i don't know", "i do not know", "can't tell", "cannot tell", "cannot be determined"),
    )
)


class LlmTpc:
    """An `AskMethod`. It reports the stages think, program, observe, rectify, summarize, and, where
    it learns, design and implement before them."""

    name = "llm_tpc"

    def __init__(
        self,
        language: ChatModel,
        sandbox: Sandbox,
        config: LlmTpcConfig | None = None,
        relations: RelationConfig | None = None,
        learner: Learner | None = None,
        vision: ChatModel | None = None,
    ) -> None:
        """
        Args:
            sandbox: stays open as long as the method is used.
            learner: of methods on scenes; None: they live as long as this object.
            vision: looks at pictures for programs; None: they cannot look.
        """
        self._language = language
        self._vision = vision
        self._sandbox = sandbox
        self._config = config or LlmTpcConfig()
        self._relations = relations or RelationConfig()
        self._learner = learner or forgetful_learner(language, sandbox, scene_methods())

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """Answer a question (paper, Fig. 3); see `AskMethod`. The reply's steps have the programs
        and their output.

        Raises:
            SandboxError: no program can be run.
        """
        progress = asking.progress
        # 3D visual perception module (section 3.2): the scene graph, as an API for programs.
        snapshot = memory.snapshot()
        viewpoint = find_viewpoint(query, snapshot)
        place = f"seen from {viewpoint.describe()}" if viewpoint else _UNKNOWN_PLACE
        progress.note(place)
        offer = offer_for(query.text, self._learner, self._config.learns, asking)
        evidence = MapEvidence(snapshot, memory.frame_index())
        looks = None
        if self._vision is not None and self._config.looks:
            most = self._config.looks
            looks = Looks(self._vision, memory, snapshot.objects, evidence, asking, most)
        api = SceneApi(snapshot, viewpoint, self._relations, offer, evidence, looks)

        # Prompt preparation stage (section 3.1).
        task = task_of(self._sandbox.limits, self._config.looks if looks else 0)
        question = question_of(query, snapshot, api, viewpoint, evidence.describe())
        messages = [ChatMessage("system", task), ChatMessage("user", question)]

        # Reasoning stage (section 3.3).
        must_answer = query.policy == "always_answer"
        loop = TpcLoop(self._language, self._sandbox, api, messages, asking, must_answer)
        try:
            final = loop.run(self._config.coder_turns, self._config.summary_turns)
        finally:
            self._learner.note_uses(loop.programs)
        if is_no_answer(final.answer):
            raise ReasoningError("not_found", f"No program told: {final.thought or final.answer}")
        text = answer = final.answer
        confidence = _OBSERVED if loop.has_observed else _ONLY_THOUGHT
        objects = _objects_of(final, loop.object_ids, snapshot)
        count = find_count(answer, api.kinds)
        if count is not None and api.kinds:
            checked = check_count(count, query.text, api, objects, looks)
            confidence = min(confidence, checked.confidence)
            answer = answer if checked.count == count else str(checked.count)
            text = f"{answer}; {checked.note}" if checked.note else answer
        return MethodReply(
            text=text,
            confidence=confidence * (_PRESSED if loop.was_pressed else 1.0),
            objects=objects[:_MOST_OBJECTS],
            key_frames=(looks.key_frames or None) if looks else None,
            steps=tuple(progress.steps),
            brief=answer,
        )

    def close(self) -> None:
        """Close the file of learned methods; the next question opens it again."""
        self._learner.close()


class TpcLoop:
    """The Think-Program-reCtify loop of one question.

    Attributes:
        programs: the programs that were run, with whether each came to its end.
        object_ids: objects that the last successful program was about, the latest first.
        has_observed: a program ran to its end.
        was_pressed: the turns for programs were over without an answer.
    """

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: SceneApi,
        messages: Sequence[ChatMessage],
        asking: Asking,
        must_answer: bool,
    ) -> None:
        """
        Args:
            messages: up to the model's first turn.
            must_answer: "unknown" is not accepted.
        """
        self._model = model
        self._sandbox = sandbox
        self._api = api
        self._messages = list(messages)
        self._asking = asking
        self._progress = asking.progress
        self._must_answer = must_answer
        self.programs: list[tuple[str, bool]] = []
        self.object_ids: tuple[int, ...] = ()
        self.has_observed = False
        self.was_pressed = False

    def run(self, coder_turns: int, summary_turns: int) -> GiveAnswer:
        """The model's final answer (section 3.3).

        Args:
            coder_turns: most turns with programs (the paper's maximum of iterations).
            summary_turns: most turns for the final answer after those.

        Raises:
            ModelError: the model failed, or gave no answer in all turns.
            SandboxError: no program can be run.
        """
        for left in reversed(range(coder_turns)):
            # Think: a plan in steps; Program: a program that follows them; or the final answer.
            turn = self._next_turn("think")
            if isinstance(turn, GiveAnswer):
                return turn
            if isinstance(turn, WriteProgram):
                # The program is run; where it fails, Rectify: the error goes back to the model.
                self._tell(self._run_program(turn))
                way_on = "" if self.programs[-1][1] else read_prompt(_PROMPTS, "rectify")
            else:
                self._complain(turn)
                way_on = read_prompt(_PROMPTS, "two_forms")
            if way_on and left:
                self._tell(way_on)
        # Summarization: the final answer from all observations.
        self.was_pressed = True
        self._progress.note("the turns for programs are over")
        self._tell(read_prompt(_PROMPTS, "summarize"))
        for _ in range(summary_turns):
            turn = self._next_turn("summarize")
            if isinstance(turn, GiveAnswer):
                return turn
            if isinstance(turn, WriteProgram):
                turn = Unreadable("it is a program")
            self._complain(turn)
            self._tell(read_prompt(_PROMPTS, "summarize"))
        turns = coder_turns + summary_turns
        raise ModelError("bad_reply", f"{self._model.name} gave no final answer in {turns} turns")

    def _next_turn(self, stage: str) -> Turn:
        self._progress.report(stage)
        hear = self._progress.hears_text(stage)
        text = self._model.ask(self._messages, self._asking.allowance, on_text=hear).text
        said = model_part(text).strip()[:_REPEATED_CHARACTERS]
        self._messages.append(ChatMessage("assistant", said or "-"))
        turn = read_turn(text)
        if not isinstance(turn, Unreadable):
            self._progress.note(f"thought: {turn.thought}")
        if isinstance(turn, GiveAnswer) and self._must_answer and is_no_answer(turn.answer):
            return Unreadable("it evades the question: give your best guess")
        return turn

    def _run_program(self, turn: WriteProgram) -> str:
        """The message to the model on its program: the output, or the error to rectify."""
        program = printable(turn.program)
        self._progress.report("program", program)
        allowance = self._asking.allowance
        allowance.check()
        seconds = max(allowance.left_s, _LEAST_SECONDS)
        observation = run_program(self._sandbox, self._api, turn.program, seconds, allowance.waking)
        allowance.check()
        seen = printable(observation.text)[:_OBSERVED_CHARACTERS]
        self._progress.note(f"program:\n{program}", f"observation: {seen}")
        self.programs.append((turn.program, observation.error is None))
        if observation.error is not None:
            self._progress.report("rectify", seen)
            return fill_prompt(_PROMPTS, "program_failed", error=seen)
        self.has_observed = True
        self.object_ids = observation.object_ids
        self._progress.note(*observation.notes)
        self._progress.report("observe", seen)
        return "\n".join((f"Observation: {seen}", *observation.notes))

    def _complain(self, turn: Unreadable) -> None:
        self._progress.note(f"asked again: {turn.complaint}")
        self._progress.report("rectify", turn.complaint)
        self._tell(fill_prompt(_PROMPTS, "unreadable", complaint=turn.complaint))

    def _tell(self, text: str) -> None:
        """Add to the user's turn: many models require that turns alternate."""
        last = self._messages[-1]
        if last.role == "user":
            self._messages[-1] = ChatMessage("user", f"{last.text}\n\n{text}")
        else:
            self._messages.append(ChatMessage("user", text))


def is_no_answer(answer: str) -> bool:
    """Whether an answer evades the question."""
    return answer.strip(" .!?").lower() in _NO_ANSWERS


def _objects_of(
    final: GiveAnswer, last_ids: Sequence[int], snapshot: MemorySnapshot
) -> tuple[MapObject, ...]:
    """The objects that the model says its answer rests on, else those that the answer names, else
    those of the last program."""
    words = ObjectWords(snapshot.objects)
    listed = [i for name in final.objects for i in words.find(name, last_ids) or ()]
    ids = listed or words.find(final.answer, last_ids) or last_ids
    known = (snapshot.objects[i] for i in dict.fromkeys(ids) if i in snapshot.objects)
    return tuple(known)


def task_of(limits: SandboxConfig, looks: int) -> str:
    """Task definition, format, API documentation and examples, the same for every question, so that
    providers cache it (supplement, Fig. S2 to S5).

    Args:
        limits: of a program.
        looks: of programs at pictures, a question; 0: none.
    """
    looking = read_prompt(_PROMPTS, "not_looking")
    if looks:
        looking = fill_prompt(_PROMPTS, "looking", looks=str(looks))
    return fill_prompt(
        _PROMPTS,
        "task",
        looking=looking,
        seconds=f"{limits.seconds:g}",
        calls=str(limits.host_calls),
        documentation=documentation(looks=looks > 0).strip(),
        examples=read_prompt(_PROMPTS, "examples"),
    )


def question_of(
    query: Query,
    snapshot: MemorySnapshot,
    api: SceneApi,
    viewpoint: Viewpoint | None,
    completeness: str = "",
) -> str:
    """Categories, situation and question (supplement, Fig. S2).

    Args:
        completeness: of the map, in words.

    Raises:
        ReasoningError: all marked objects are gone.
    """
    told = [completeness, *_circumstances(query, snapshot, viewpoint)]
    return fill_prompt(
        _PROMPTS,
        "question",
        learned=declarations_prompt(api.declared),
        objects=_listed(api.categories),
        circumstances="\n".join(filter(None, told)),
        question=quoted(query.text, _LONGEST_SAID),
        policy=read_prompt(_PROMPTS, f"policy_{query.policy}"),
    ).strip()


def _listed(categories: Mapping[str, int]) -> str:
    """'2 "chair", 1 "table"'; of very many kinds the commonest."""
    commonest = sorted(categories, key=lambda name: -categories[name])[:_MOST_CATEGORIES]
    counts = [f"{categories[name]} {quoted(name)}" for name in sorted(commonest)]
    left_out = len(categories) - len(commonest)
    return ", ".join([*counts, f"{left_out} more kinds of things"] if left_out else counts)


def _circumstances(
    query: Query, snapshot: MemorySnapshot, viewpoint: Viewpoint | None
) -> Iterator[str]:
    if query.situation.strip():
        yield f"My situation: {quoted(query.situation, _LONGEST_SAID)}"
    if viewpoint is None:
        yield (
            "Where I stand is not known to the functions: relate_agent, query_relation_agent and"
            " the attribute distance cannot be used, nor left, right, front and behind."
        )
    else:
        heading = np.degrees(np.arctan2(viewpoint.ahead[1], viewpoint.ahead[0])) % 360.0
        yield (
            f"The functions place me at {viewpoint.describe()}, heading {heading:.0f} degrees"
            " (counterclockwise from x)."
        )
    if query.marked_object_ids:
        marked = [snapshot.objects[i] for i in query.marked_object_ids if i in snapshot.objects]
        if not marked:
            raise ReasoningError("not_found", "The marked object is not in the memory any more.")
        names = [f"{quoted(thing.label)} with id {thing.object_id}" for thing in marked]
        yield f"I point at: {', '.join(names)}"
