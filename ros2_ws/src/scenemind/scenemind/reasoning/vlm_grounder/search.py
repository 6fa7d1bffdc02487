"""Grounding and feedback: the model names an image and an object in it, is told what is wrong, and
tries again (VLM-Grounder, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from scenemind.config import VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.models import BadFormError
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.types import Picture, Policy
from scenemind.reasoning.vlm_grounder import questions
from scenemind.reasoning.vlm_grounder.album import Album, image_id
from scenemind.reasoning.vlm_grounder.candidates import Candidates
from scenemind.reasoning.vlm_grounder.choices import (
    Id,
    ImageChoice,
    ImagesChoice,
    ObjectChoice,
    ObjectsChoice,
    find_number,
    listed,
)
from scenemind.reasoning.vlm_grounder.conversation import Conversation
from scenemind.reasoning.vlm_grounder.filmed import Notes
from scenemind.reasoning.vlm_grounder.tries import MOST_IMAGES, Tries
from scenemind.reasoning.vlm_grounder.types import QueryAnalysis, Target
from scenemind.reasoning.vlm_grounder.visual_prompt import marked_picture
from scenemind.words.english import joined
from scenemind.words.quoting import quoted, tame

Form = TypeVar("Form", bound=BaseModel)

_LONGEST_THOUGHT = 2000


class TargetSearch:
    """Of one query.

    Attributes:
        retries: taken so far.
    """

    def __init__(
        self,
        conversation: Conversation,
        album: Album,
        candidates: Candidates,
        analysis: QueryAnalysis,
        policy: Policy,
        config: VlmGrounderConfig,
        asking: Asking,
        notes: Notes,
    ) -> None:
        """
        Args:
            conversation: has been told the task, with the sheets.
            notes: get what was answered, and what was looked at in full.
        """
        self._conversation = conversation
        self._album = album
        self._candidates = candidates
        self._analysis = analysis
        self._policy = policy
        self._config = config
        self._asking = asking
        self._notes = notes
        self._steps = notes.steps
        self._tries = Tries(config, wants_all=analysis.wants_all)

    @property
    def retries(self) -> int:
        return self._tries.retries

    def targets(self) -> list[Target]:
        """What the query means, at least one.

        Raises:
            ReasoningError: the model says that nothing fits, or pointed at nothing that could be
                it (`not_found`), or named what there is not, or its replies have not the form
                (`model_failed`); the text lists what was tried.
            ModelError: the model was not reached, refused, or the allowance is used up.
        """
        try:
            while True:
                targets, feedback = self._try()
                if targets:
                    return targets
                self._conversation.tell(feedback)
        except BadFormError as error:
            raise ReasoningError("model_failed", f"{error}{self._tries.told()}") from error

    def _try(self) -> tuple[list[Target], str]:
        """What was found, or what the model is to be told."""
        written = self._images()
        places = [place for i in written if (place := self._album.find(i)) is not None]
        unknown = [i for i in written if self._album.find(i) is None]
        if not places:
            self._retry(f"image {listed(unknown)} does not exist", is_misled=True)
            return [], questions.tell_image_invalid(unknown)
        if unknown:
            self._steps.append(f"left out image {listed(unknown)}, which does not exist")
        places = list(dict.fromkeys(places))[:MOST_IMAGES]
        targets = self._objects_in_all(places)
        if targets:
            return targets, ""
        ids, name = joined([*map(image_id, places)]), quoted(self._analysis.target_class)
        self._retry(f"image {ids} shows no such object of the class {name}", is_misled=False)
        return [], questions.tell_object_not_existing(places, self._analysis.target_class)

    def _images(self) -> list[Id]:
        """Ids of images in the model's words, at least one.

        Raises:
            ReasoningError: it says that there is none.
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
        self._steps.append(
            f"chose image {listed(choice.targets)} (seen with {references}): {thought}"
        )
        if not choice.targets:
            text = f"Nothing that was filmed fits: {thought}{self._tries.told()}"
            raise ReasoningError("not_found", text)
        return choice.targets

    def _objects_in_all(self, places: Sequence[int]) -> list[Target]:
        """What the model means in these images; one that it fails at takes nothing from the others.

        Raises:
            ReasoningError, BadFormError: it failed, and means nothing in the others.
        """
        targets: list[Target] = []
        failure: ReasoningError | BadFormError | None = None
        for place in places:
            try:
                targets += self._objects_in(place)
            except (ReasoningError, BadFormError) as error:
                self._steps.append(f"left out image {image_id(place)}: {error}")
                failure = failure or error
        if failure is not None and not targets:
            raise failure
        return targets

    def _objects_in(self, place: int) -> list[Target]:
        """What the model means of the candidates in an image; empty where there are none, where it
        says that it is none of them, or where the image is damaged."""
        frame = self._album.frames[place]
        candidates = self._candidates.targets(self._album.rows[place], frame)
        self._notes.looked_at.insert(0, frame)
        self._asking.report("choose", self._steps[-1], (frame,))
        if not candidates:
            return []
        if len(candidates) == 1 and not self._config.asks_about_one:
            self._steps.append(f"image {image_id(place)} shows one candidate")
            return candidates
        boxes_px = [candidate.box_px for candidate in candidates]
        try:
            marked = marked_picture(frame.jpeg, boxes_px, self._config.longest_px)
        except FrameError as error:
            self._steps.append(f"image {image_id(place)} cannot be looked at: {error}")
            return []
        self._notes.pictures.append(Picture(f"Image {image_id(place)} with its candidates", marked))
        question = questions.ask_for_object(
            place, len(candidates), self._policy, wants_all=self._analysis.wants_all
        )
        self._conversation.tell(question, (marked,))
        return self._choose(candidates)

    def _choose(self, candidates: Sequence[Target]) -> list[Target]:
        while True:
            choice: ObjectChoice | ObjectsChoice = (
                self._answer(ObjectsChoice, "choose")
                if self._analysis.wants_all
                else self._answer(ObjectChoice, "choose")
            )
            thought = tame(choice.reasoning, _LONGEST_THOUGHT)
            self._steps.append(f"chose object {listed(choice.chosen)}: {thought}")
            if not choice.chosen and (self._policy == "strict" or self._analysis.wants_all):
                return []
            numbers = dict.fromkeys(map(find_number, choice.chosen))
            known = [n for n in numbers if n is not None and n < len(candidates)]
            if known:
                return [candidates[n] for n in known]
            named = f"there is no object {listed(choice.chosen)} in it"
            self._retry(named if choice.chosen else "it names no object", is_misled=True)
            self._conversation.tell(
                questions.tell_object_id_invalid(choice.chosen, len(candidates))
            )

    def _answer(
        self, form: type[Form], stage: str, check: Callable[[Form], str | None] | None = None
    ) -> Form:
        self._tries.take_question()
        return self._conversation.answer(form, stage, check)

    def _retry(self, text: str, *, is_misled: bool) -> None:
        self._steps.append(text)
        self._asking.report("feedback", text)
        self._tries.take_retry(text, is_misled=is_misled)
