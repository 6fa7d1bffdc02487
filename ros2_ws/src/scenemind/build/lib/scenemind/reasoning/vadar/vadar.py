"""VADAR: questions on a picture, answered by a program on an API that grows with the questions.

Differences from the paper: programs run in a sandbox with limits and on any thread; a program that
fails returns its whole traceback; depths of key frames are measured rather than estimated; and
learned methods are scored by their use, and retired where they fail.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from scenemind.config import VadarConfig
from scenemind.language.quoting import quoted, tame
from scenemind.memory import MapObject, MemoryAccess
from scenemind.models import ChatMessage, ChatModel
from scenemind.reasoning.learned_methods import Learner, forgetful_learner, offer_for
from scenemind.reasoning.learned_methods.library import declarations_prompt
from scenemind.reasoning.method import Asking, Attempt, MethodReply, attempt
from scenemind.reasoning.programs.map_evidence import MapEvidence
from scenemind.reasoning.prompts import fill_prompt, find_count, read_prompt
from scenemind.reasoning.query import CANCELLED, Answer, Query, ReasoningError, check_sentence
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.stored_frames import FrameSelector, with_all_boxes, with_boxes_of
from scenemind.reasoning.vadar.picture_methods import picture_methods
from scenemind.reasoning.vadar.program_agent import ProgramAgent, Result
from scenemind.reasoning.vadar.views import BoxPx, View, view_of_frame
from scenemind.reasoning.vadar.vision_api import VisionApi, documentation, look

_PROMPTS = "scenemind.reasoning.vadar"
_LONGEST_SAID = 500
_MOST_OBJECTS = 8
# Confidences by rule of thumb, as the model gives none: of the first program's answer, of a
# corrected program's, and of a program that did not look at the picture.
_AT_ONCE, _CORRECTED, _ONLY_THOUGHT = 0.7, 0.55, 0.3
# Most of a count in one picture, and of one where the map or another picture has more.
_COUNTED, _MORE_ELSEWHERE = 0.6, 0.3


@dataclass(frozen=True, slots=True, eq=False)
class ViewReply(MethodReply):
    """An answer about a picture that is in no memory.

    Attributes:
        boxes_px: boxes that the answer names, if any.
        found: words that programs looked for -> boxes that were found.
    """

    boxes_px: tuple[BoxPx, ...] = ()
    found: Mapping[str, tuple[BoxPx, ...]] = field(default_factory=dict)


class Vadar:
    """An `AskMethod`. It reports the stages select, look, design, implement, program, run,
    rectify."""

    name = "vadar"

    def __init__(
        self,
        language: ChatModel,
        vision: ChatModel,
        selector: FrameSelector,
        sandbox: Sandbox,
        *,
        config: VadarConfig | None = None,
        learner: Learner | None = None,
        detector: SharedDetector | None = None,
    ) -> None:
        """
        Args:
            language: writes programs and methods.
            vision: answers the questions of programs about the picture (`vqa`).
            selector: chooses the key frame.
            sandbox: stays open as long as the method is used.
            learner: of methods on pictures; None: they live as long as this object.
            detector: locates objects in key frames (`loc`); None: the map does.
        """
        self._language = language
        self._vision = vision
        self._selector = selector
        self._sandbox = sandbox
        self._config = config or VadarConfig()
        self._detector = detector
        self._learner = learner or forgetful_learner(language, sandbox, picture_methods())

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """Answer a question from the stored frame that shows best what it is about; see
        `AskMethod`.

        Raises:
            SandboxError: no program can be run.
        """
        progress = asking.progress
        selection = self._selector.select(query, memory, 1, asking)
        progress.note(f"{self._selector.name} chose the frame", *selection.steps)
        if not selection.key_frames:
            raise ReasoningError("empty_memory", "No image is stored any more of what was chosen.")
        frame = with_all_boxes(selection.key_frames[0], memory)
        progress.key_frames = [frame]
        progress.report("look", selection.reasoning, (frame,))
        snapshot = memory.snapshot()
        objects = snapshot.objects
        evidence = MapEvidence(snapshot, memory.frame_index())
        loose = evidence.unmapped_in(frame.frame_number)
        view = view_of_frame(frame, snapshot, self._detector, asking.allowance, loose)
        result, agent = self._answer(query, view, asking, objects)
        ids = view.find_objects(result.boxes_px) or agent.object_ids
        named = tuple(objects[i] for i in ids if i in objects)[:_MOST_OBJECTS]
        text, confidence = result.text, _confidence(agent)
        count = find_count(result.text, tuple(agent.found))
        if count is not None and agent.found:
            kind = evidence.of([list(agent.found)[-1]])
            is_more = max(kind.mapped, kind.in_one_frame) > count
            confidence = min(confidence, _MORE_ELSEWHERE if is_more else _COUNTED)
            text = f"{text} in {view.name}; {kind.describe()}" if is_more else text
        return MethodReply(
            text=text,
            confidence=confidence,
            objects=named,
            key_frames=(with_boxes_of({thing.object_id for thing in named}, frame),),
            steps=tuple(progress.steps),
            brief=result.text,
        )

    def ask_view(self, query: Query, view: View, asking: Asking) -> ViewReply:
        """Answer a question on any picture, such as a photograph.

        Raises:
            SandboxError, ReasoningError, ModelError, PerceptionError: as `ask`.
        """
        result, agent = self._answer(query, view, asking, {})
        return ViewReply(
            text=result.text,
            confidence=_confidence(agent),
            steps=tuple(asking.progress.steps),
            brief=result.text,
            boxes_px=result.boxes_px,
            found=agent.found,
        )

    def close(self) -> None:
        """Close the file of learned methods; the next question opens it again."""
        self._learner.close()

    def _answer(
        self, query: Query, view: View, asking: Asking, objects: Mapping[int, MapObject]
    ) -> tuple[Result, ProgramAgent]:
        """The three agents of VADAR on one picture.

        Args:
            objects: of the map, by id; they name the boxes of an answer.

        Raises:
            ReasoningError: the program found no answer.
        """
        # Signature agent: proposes methods that such questions need. API agent: implements them
        # depth first, each after the methods that it calls, and tests them (`Learner.learn`). The
        # library keeps them, so that later questions use them too.
        offer = offer_for(query.text, self._learner, self._config.learns, asking)

        # Predefined API: loc, vqa, depth, same_object, get_2D_object_size.
        names = {i: f"{tame(thing.label)} {i}" for i, thing in objects.items()}

        def vqa(of: View, question: str, box_px: BoxPx | None) -> str:
            return look(self._vision, of, question, box_px, asking)

        api = VisionApi((view,), vqa, self._config.looks, names)

        # Program agent: writes a program on the whole API, which leaves its answer in final_result,
        # and corrects it where it fails.
        seconds, looks = self._sandbox.limits.seconds, self._config.looks
        messages = messages_of(query, view, offer.declarations, seconds, looks)
        agent = ProgramAgent(self._language, self._sandbox, api, offer.source, messages, asking)
        try:
            result = agent.answer(self._config.program_retries, query.policy == "always_answer")
        finally:
            self._learner.note_uses(agent.programs)
        # Noted last: a detector is loaded, and has its name, only when the program calls loc.
        depth = "nobody" if view.depth is None else view.depth.name
        asking.progress.note(f"{view.name}: {view.locator.name} finds things, {depth} knows depths")
        if not result.text:
            raise ReasoningError("not_found", f"The program found no answer in {view.name}.")
        return result, agent


def _confidence(agent: ProgramAgent) -> float:
    if not agent.has_looked:
        return _ONLY_THOUGHT
    return _AT_ONCE if agent.turns == 1 else _CORRECTED


@dataclass(frozen=True, slots=True, eq=False)
class AskedView:
    """A picture that is in no memory, with the answer to a question on it.

    Attributes:
        boxes_px: boxes that the answer names, in pixels of the view, if any.
        found: words that programs looked for -> boxes that were found.
    """

    view: View
    answer: Answer
    boxes_px: tuple[BoxPx, ...] = ()
    found: Mapping[str, tuple[BoxPx, ...]] = field(default_factory=dict)


def ask_about_view(vadar: Vadar, query: Query, view: View, asking: Asking) -> AskedView:
    """The answer to a question on a picture. As of `Router.ask`, errors become the answer's
    `failure`; without a map there is no fallback for a model that fails."""
    start, asking = time.perf_counter(), asking.with_new_progress()
    tried = _try(vadar, query, view, asking)
    said = tried.failure.text if tried.failure else ""
    reply = tried.reply or ViewReply(said, 0.0, steps=tuple(asking.progress.steps))
    answer = Answer(
        query,
        reply.text,
        reply.confidence,
        (),
        (),
        vadar.name,
        time.perf_counter() - start,
        reply.steps,
        tried.failure,
        asking.allowance.used,
        brief=reply.brief,
    )
    return AskedView(view, answer, reply.boxes_px, reply.found)


def _try(vadar: Vadar, query: Query, view: View, asking: Asking) -> Attempt[ViewReply]:
    try:
        check_sentence(query, "question")
    except ReasoningError as error:
        return Attempt(vadar.name, failure=error.failure)
    tried = attempt(vadar.name, lambda: vadar.ask_view(query, view, asking))
    if tried.is_broken and asking.allowance.is_cancelled:
        return replace(tried, failure=CANCELLED)
    return tried


def messages_of(
    query: Query, view: View, learned: str, seconds: float, looks: int
) -> list[ChatMessage]:
    """The conversation up to the model's first turn. The constant parts come first, for providers
    that cache prompts.

    Args:
        learned: declarations of learned methods.
        seconds: of computing, for a program.
        looks: calls of `vqa`, for the question.

    Raises:
        ReasoningError: no marked object is in the picture.
    """
    question = fill_prompt(
        _PROMPTS,
        "program_question",
        learned=declarations_prompt(learned),
        question=quoted(query.text, _LONGEST_SAID),
        circumstances="\n".join(_circumstances(query, view)),
        policy=read_prompt(_PROMPTS, f"policy_{query.policy}"),
    )
    task = fill_prompt(
        _PROMPTS,
        "program",
        seconds=f"{seconds:g}",
        looks=str(looks),
        documentation=documentation(),
    )
    return [
        ChatMessage("system", task),
        ChatMessage("user", question.strip()),
    ]


def _circumstances(query: Query, view: View) -> Iterator[str]:
    yield f"The picture has {view.width} x {view.height} pixels."
    if query.situation.strip():
        yield f"The person's situation, in their words: {quoted(query.situation, _LONGEST_SAID)}"
    if query.marked_object_ids:
        boxes = [view.boxes_px[i] for i in query.marked_object_ids if i in view.boxes_px]
        if not boxes:
            raise ReasoningError("not_found", f"Nothing that was marked is in {view.name}.")
        shown = [f"[{', '.join(f'{v:.0f}' for v in box)}]" for box in boxes]
        yield f"The person points at what is in {' and '.join(shown)}."
