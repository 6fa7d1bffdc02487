"""VADAR: questions on a picture, answered by a program on an API that grows with the questions.

Unlike the paper's code: programs run in a sandbox with limits and on any thread, a program that
fails sends back its whole traceback, and depths of key frames are measured rather than estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scenemind.config import VadarConfig
from scenemind.memory import MapObject, MemoryAccess, MemorySnapshot
from scenemind.models import ChatModel
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.learned_methods import Learner, forgetful_learner, offer_for
from scenemind.reasoning.memtree_qa.evidence import with_all_boxes, with_boxes_of
from scenemind.reasoning.memtree_qa.selectors.selection import FrameSelector
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.types import Query
from scenemind.reasoning.vadar.looking import look
from scenemind.reasoning.vadar.map_eyes import view_of_frame
from scenemind.reasoning.vadar.picture_methods import picture_methods
from scenemind.reasoning.vadar.program_agent import ProgramAgent
from scenemind.reasoning.vadar.question import messages_of
from scenemind.reasoning.vadar.results import Result
from scenemind.reasoning.vadar.view import BoxPx, View
from scenemind.reasoning.vadar.vision_api import VisionApi
from scenemind.words.quoting import tame

_MOST_OBJECTS = 8
# Rules of thumb: the model says nothing of how sure it is.
_AT_ONCE, _CORRECTED, _ONLY_THOUGHT = 0.7, 0.55, 0.3


@dataclass(frozen=True, slots=True, eq=False)
class ViewReply(MethodReply):
    """An answer about a picture that is in no memory.

    Attributes:
        boxes_px: what the answer names; none where that is no thing.
        found: words -> boxes of what they were found to mean.
    """

    boxes_px: tuple[BoxPx, ...] = ()
    found: Mapping[str, tuple[BoxPx, ...]] = field(default_factory=dict)


class Vadar:
    """An `AskMethod`. Stages that it reports: select, look, design, implement, program, run,
    rectify."""

    name = "vadar"

    def __init__(
        self,
        language: ChatModel,
        vision: ChatModel,
        selector: FrameSelector,
        sandbox: Sandbox,
        config: VadarConfig | None = None,
        learner: Learner | None = None,
        detector: SharedDetector | None = None,
    ) -> None:
        """
        Args:
            language: writes programs and methods.
            vision: answers what programs ask of the picture.
            selector: chooses the key frame.
            sandbox: stays open as long as the method is used.
            learner: of methods on pictures; None: they live as long as this object.
            detector: finds things in key frames; None: the map does.
        """
        self._language = language
        self._vision = vision
        self._selector = selector
        self._sandbox = sandbox
        self._config = config or VadarConfig()
        self._detector = detector
        self._learner = learner or forgetful_learner(language, sandbox, picture_methods())

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`; about the stored frame that shows best what the question is about, and
        what the map knows of it.

        Raises:
            SandboxError: no program can be run.
        """
        selection = self._selector.select(query, memory, 1, asking)
        steps = [f"{self._selector.name} chose the frame", *selection.steps]
        if not selection.key_frames:
            with asking.trail.kept(steps):
                raise ReasoningError(
                    "empty_memory", "No image is stored any more of what was chosen."
                )
        frame = with_all_boxes(selection.key_frames[0], memory)
        asking.report("look", selection.reasoning, (frame,))
        snapshot = memory.snapshot()
        with asking.trail.kept(steps, (frame,)):
            view = view_of_frame(frame, snapshot, self._detector, asking.allowance)
            result, agent = self._run(query, view, asking, steps, snapshot.objects)
        objects = _objects_of(result, agent, view, snapshot)
        return MethodReply(
            text=result.text,
            confidence=_sureness(agent),
            objects=objects,
            key_frames=(with_boxes_of({thing.object_id for thing in objects}, frame),),
            steps=tuple(steps),
            brief=result.text,
        )

    def ask_view(self, query: Query, view: View, asking: Asking) -> ViewReply:
        """The same on any picture: a photograph, or one of which an oracle knows all.

        Raises:
            SandboxError, ReasoningError, ModelError, PerceptionError: as `ask`.
        """
        steps: list[str] = []
        with asking.trail.kept(steps):
            result, agent = self._run(query, view, asking, steps, {})
        return ViewReply(
            text=result.text,
            confidence=_sureness(agent),
            steps=tuple(steps),
            brief=result.text,
            boxes_px=result.boxes_px,
            found=agent.found,
        )

    def close(self) -> None:
        """Close the file of learned methods; the next question opens it again."""
        self._learner.close()

    def _run(
        self,
        query: Query,
        view: View,
        asking: Asking,
        steps: list[str],
        objects: Mapping[int, MapObject],
    ) -> tuple[Result, ProgramAgent]:
        """
        Args:
            objects: of the map, by id.

        Raises:
            ReasoningError: the program found no answer.
        """
        offer = offer_for(query.text, self._learner, self._config.learns, asking, steps)
        api = VisionApi(
            (view,),
            lambda of, question, box: look(self._vision, of, question, box, asking),
            self._config.looks,
        )

        def name_of(box_px: BoxPx) -> str:
            found = view.find_object(box_px)
            if found is None or found not in objects:
                return api.name_of(box_px)
            return f"{tame(objects[found].label)} {found}"

        messages = messages_of(query, view, offer.declarations)
        agent = ProgramAgent(
            self._language, self._sandbox, api, messages, asking, steps, offer.source, name_of
        )
        try:
            result = agent.answer(self._config.program_retries, query.policy == "always_answer")
        finally:
            self._learner.note_uses(agent.programs)
        steps.append(_sources(view))
        if not result.text:
            raise ReasoningError("not_found", f"The program found no answer in {view.name}.")
        return result, agent


def _sources(view: View) -> str:
    """Last, since a detector has its name by then."""
    depth = "nobody" if view.depth is None else view.depth.name
    return f"{view.name}: {view.locator.name} finds things, {depth} knows depths"


def _sureness(agent: ProgramAgent) -> float:
    if not agent.has_looked:
        return _ONLY_THOUGHT
    return _AT_ONCE if agent.turns == 1 else _CORRECTED


def _objects_of(
    result: Result, agent: ProgramAgent, view: View, snapshot: MemorySnapshot
) -> tuple[MapObject, ...]:
    """What the result is, else what the program was about."""
    ids = view.find_objects(result.boxes_px) or agent.object_ids
    return tuple(snapshot.objects[i] for i in ids if i in snapshot.objects)[:_MOST_OBJECTS]
