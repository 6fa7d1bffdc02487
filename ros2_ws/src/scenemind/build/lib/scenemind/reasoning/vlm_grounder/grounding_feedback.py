"""Grounding and feedback (VLM-Grounder, section 3.3): the vision model names an image and an object
in it; an invalid choice is returned with feedback, and it tries again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from scenemind.config import VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.language.english import joined
from scenemind.language.quoting import tame
from scenemind.memory import KeyFrame
from scenemind.models import BadFormError, ChatMessage, ChatModel
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_form
from scenemind.reasoning.query import ErrorCode, Picture, Policy, ReasoningError
from scenemind.reasoning.vlm_grounder import questions
from scenemind.reasoning.vlm_grounder.album import (
    Album,
    Id,
    ImageChoice,
    ImagesChoice,
    ObjectChoice,
    ObjectsChoice,
    find_box_px,
    find_number,
    image_id,
    is_at,
    listed,
    marked_picture,
)
from scenemind.reasoning.vlm_grounder.questions import MOST_IMAGES
from scenemind.reasoning.vlm_grounder.targets import QueryAnalysis, Target
from scenemind.reasoning.vlm_grounder.view_preselection import ViewSelection

Form = TypeVar("Form", bound=BaseModel)
_LONGEST_THOUGHT = 2000


class TargetSearch:
    """The search for the targets of one query.

    Attributes:
        retries: taken so far.
    """

    def __init__(
        self,
        conversation: Conversation,
        album: Album,
        selection: ViewSelection,
        analysis: QueryAnalysis,
        policy: Policy,
        config: VlmGrounderConfig,
    ) -> None:
        """
        Args:
            conversation: has the task, with the sheets.
            selection: has the detections that may be the target.
        """
        self._conversation = conversation
        self._progress = conversation.progress
        self._album = album
        self._selection = selection
        self._analysis = analysis
        self._policy = policy
        self._config = config
        self._budget = RetryBudget(config, wants_all=analysis.wants_all)

    @property
    def retries(self) -> int:
        return self._budget.retries

    def targets(self) -> list[Target]:
        """The objects that the query means, at least one.

        Raises:
            ReasoningError: the model found nothing, or chose images without a candidate
                (`not_found`); or it named a missing id, or a malformed reply (`model_failed`). The
                text lists the retries.
            ModelError: the model was not reached, refused, or the allowance is used up.
        """
        try:
            while True:
                targets, feedback = self._try()
                if targets:
                    return targets
                self._conversation.tell(feedback)
        except BadFormError as error:
            raise ReasoningError("model_failed", f"{error}{self._budget.summary()}") from error

    def _try(self) -> tuple[list[Target], str]:
        """The targets of one choice of images, or the feedback to the model."""
        choice = self._images()
        written = choice.targets
        at = choice.target_place if isinstance(choice, ImageChoice) else []
        places = [place for i in written if (place := self._album.find(i)) is not None]
        unknown = [i for i in written if self._album.find(i) is None]
        if not places:
            self._retry(f"image {listed(unknown)} does not exist", is_misled=True)
            return [], questions.image_invalid(unknown)
        if unknown:
            self._progress.note(f"left out image {listed(unknown)}, which does not exist")
        places = list(dict.fromkeys(places))[:MOST_IMAGES]
        sheets = self._album.sheets_with([*written, *choice.reference_image_ids])
        targets = self._objects_in_all(places, at, sheets)
        if targets:
            return targets, ""
        self._retry(f"nothing was pointed at in image {joined([*map(image_id, places)])}")
        return [], questions.object_not_existing(places)

    def _images(self) -> ImageChoice | ImagesChoice:
        """The choice of at least one target image.

        Raises:
            ReasoningError: the model says that there is none.
        """

        def complaint(choice: ImageChoice | ImagesChoice) -> str | None:
            if self._policy == "always_answer" and not choice.targets:
                return "it names no target image: give your best guess"
            return None

        choice: ImageChoice | ImagesChoice = (
            self._answer(ImagesChoice, "look", complaint)
            if self._analysis.wants_all
            else self._answer(ImageChoice, "look", complaint)
        )
        thought = tame(choice.reasoning, _LONGEST_THOUGHT)
        references = listed(choice.reference_image_ids)
        self._progress.note(
            f"chose image {listed(choice.targets)} (seen with {references}): {thought}"
        )
        if not choice.targets:
            text = f"Nothing that was filmed fits: {thought}{self._budget.summary()}"
            raise ReasoningError("not_found", text)
        return choice

    def _objects_in_all(
        self, places: Sequence[int], at: Sequence[float], sheets: Sequence[int]
    ) -> list[Target]:
        """The objects that the model chooses in these images; images where it fails are left out.

        Args:
            at: where the model saw the target in the image (`is_at`); empty: it did not say.
            sheets: that it still sees: those with the images that it named.

        Raises:
            ReasoningError, BadFormError: it failed, and chose no object in the others.
        """
        targets: list[Target] = []
        failure: ReasoningError | BadFormError | None = None
        for place in places:
            try:
                targets += self._objects_in(place, at, sheets)
            except (ReasoningError, BadFormError) as error:
                self._progress.note(f"left out image {image_id(place)}: {error}")
                failure = failure or error
        if failure is not None and not targets:
            raise failure
        return targets

    def _objects_in(self, place: int, at: Sequence[float], sheets: Sequence[int]) -> list[Target]:
        """The objects in an image that the model chooses: candidates are marked with IDs (visual
        prompt, section 3.1), and others it draws. Empty where it chooses none, or where the image
        is damaged."""
        frame, row = self._album.frames[place], self._album.rows[place]
        candidates = self._selection.targets(row, frame)
        self._progress.key_frames.insert(0, frame)
        self._progress.report("choose", self._progress.steps[-1], (frame,))
        if self._is_plain(candidates, at):
            self._progress.note(f"image {image_id(place)} shows one candidate, where it was seen")
            return [replace(candidates[0], is_asked=False)]
        boxes_px = [candidate.box_px for candidate in candidates]
        try:
            marked = marked_picture(frame.jpeg, boxes_px, self._config.longest_px)
        except FrameError as error:
            self._progress.note(f"image {image_id(place)} cannot be looked at: {error}")
            return []
        title = f"Image {image_id(place)} with its candidates"
        self._progress.pictures.append(Picture(title, marked))
        wants_all = self._analysis.wants_all
        question = questions.ask_for_object(place, len(candidates), wants_all=wants_all)
        self._conversation.tell(question, (marked,), sheets)
        return self._choose(candidates, row, frame)

    def _is_plain(self, candidates: Sequence[Target], at: Sequence[float]) -> bool:
        """Whether an image has one candidate, surely of the class, where the model saw the
        target."""
        if len(candidates) != 1 or self._config.asks_about_one or self._selection.by != "words":
            return False
        (one,) = candidates
        return is_at(at, one.box_px, one.frame.camera)

    def _choose(self, candidates: Sequence[Target], row: int, frame: KeyFrame) -> list[Target]:
        """The targets of one reply. An invalid ID or box costs one repair; then, as after no box
        twice, there is none."""
        form: type[ObjectChoice | ObjectsChoice] = (
            ObjectsChoice if self._analysis.wants_all else ObjectChoice
        )

        def complaint(choice: ObjectChoice | ObjectsChoice) -> str | None:
            if any(not _is_id(i, len(candidates)) for i in choice.chosen):
                return questions.object_id_invalid(choice.chosen, len(candidates))
            if any(find_box_px(box, frame.camera) is None for box in choice.drawn):
                return questions.BAD_BOX
            if isinstance(choice, ObjectChoice) and not choice.chosen and not choice.drawn:
                return questions.NO_BOX
            return None

        try:
            choice = self._answer(form, "choose", complaint)
        except BadFormError as error:
            if not isinstance(error.form, (ObjectChoice, ObjectsChoice)):
                raise
            choice = error.form
            if choice.chosen or choice.drawn:
                self._progress.note(str(error))
                self._budget.is_misled = True
        thought = tame(choice.reasoning, _LONGEST_THOUGHT)
        boxes_px = [px for box in choice.drawn if (px := find_box_px(box, frame.camera))]
        drawn = f" and {len(choice.drawn)} drawn" if choice.drawn else ""
        self._progress.note(f"chose object {listed(choice.chosen)}{drawn}: {thought}")
        numbers = [find_number(i) for i in choice.chosen if _is_id(i, len(candidates))]
        chosen = [candidates[n] for n in dict.fromkeys(numbers) if n is not None]
        return chosen + [self._selection.drawn(row, frame, box_px) for box_px in boxes_px]

    def _answer(
        self, form: type[Form], stage: str, check: Callable[[Form], str | None] | None = None
    ) -> Form:
        self._budget.take_question()
        return self._conversation.answer(form, stage, check)

    def _retry(self, text: str, *, is_misled: bool = False) -> None:
        self._progress.note(text)
        self._progress.report("feedback", text)
        self._budget.take_retry(text, is_misled=is_misled)


def _is_id(written: Id, count: int) -> bool:
    number = find_number(written)
    return number is not None and number < count


class Conversation:
    """A conversation with a vision model about one query, with its whole history.

    Attributes:
        progress: takes the repairs of replies.
    """

    def __init__(self, model: ChatModel, system: str, asking: Asking) -> None:
        self._model = model
        self._asking = asking
        self._messages = [ChatMessage("system", system)]
        self._sheets: Sequence[int] | None = None
        self.progress = asking.progress

    def tell(
        self, text: str, jpegs: tuple[bytes, ...] = (), sheets: Sequence[int] | None = None
    ) -> None:
        """Add a turn to the model. Turns alternate: `answer` comes before the next one.

        Args:
            jpegs: in the size in which the model sees them.
            sheets: the pictures of the first turn that the model sees with this one, as each call
                pays for all pictures again; None: all.
        """
        self._sheets = sheets
        self._messages.append(ChatMessage("user", text, jpegs, sized=True))

    def answer(
        self, form: type[Form], stage: str, check: Callable[[Form], str | None] | None = None
    ) -> Form:
        """The model's turn, as of `ask_form`. A turn without a reply of the form is taken back.

        Raises:
            BadFormError: neither of two replies is valid.
            ModelError: the model failed.
        """
        self.progress.report(stage)
        try:
            reply = ask_form(self._model, self._told(), form, self._asking, stage, check)
        except BadFormError as error:
            if error.form is None:
                self._messages.pop()
            else:
                self._messages.append(ChatMessage("assistant", error.form.model_dump_json()))
            raise
        self._messages.append(ChatMessage("assistant", reply.model_dump_json()))
        return reply

    def _told(self) -> list[ChatMessage]:
        if self._sheets is None:
            return self._messages
        system, task, *turns = self._messages
        kept = tuple(task.jpegs[number] for number in self._sheets)
        return [system, replace(task, jpegs=kept), *turns]


class RetryBudget:
    """Limits on the questions and retries of one query, with a log of the retries.

    Attributes:
        is_misled: the model named what does not exist.
    """

    def __init__(self, config: VlmGrounderConfig, *, wants_all: bool) -> None:
        self._most_retries = config.retries
        # One for an image, one for the objects in each image, and one for each of the M retries. In
        # the paper's code retries nest, and come to 18 questions for a single object.
        self._questions_left = 1 + (MOST_IMAGES if wants_all else 1) + config.retries
        self._log: list[str] = []
        self.is_misled = False

    @property
    def retries(self) -> int:
        """Retries that were taken so far."""
        return len(self._log)

    def take_question(self) -> None:
        """Count a question to the vision model.

        Raises:
            ReasoningError: the questions are used up.
        """
        if not self._questions_left:
            raise self._failure()
        self._questions_left -= 1

    def take_retry(self, text: str, *, is_misled: bool) -> None:
        """Count a retry.

        Args:
            text: the mistake.
            is_misled: the model named a missing id.

        Raises:
            ReasoningError: the retries are used up.
        """
        self._log.append(text)
        self.is_misled |= is_misled
        if self.retries > self._most_retries:
            raise self._failure()

    def summary(self) -> str:
        """The mistakes in brackets; empty without any."""
        return f" (tried: {'; '.join(self._log)})" if self._log else ""

    def _failure(self) -> ReasoningError:
        code: ErrorCode = "model_failed" if self.is_misled else "not_found"
        text = f"The vision model pointed at no object in {self.retries} tries{self.summary()}."
        return ReasoningError(code, text)
