"""Questions, answers, groundings, alignments and failures as values, the same for all methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from scenemind.errors import SceneMindError
from scenemind.geometry import Pose
from scenemind.memory import KeyFrame, MapObject
from scenemind.memory.graph.corrections import LONGEST_TEXT
from scenemind.models import Usage

METHODS = (
    "auto",
    "symbolic",
    "memtree",
    "vlm_grounder",
    "llm_tpc",
    "vadar",
    "synergai",
    "ensemble",
)
_EARLIER = "(as an earlier visit saw it: the camera is not located in this memory yet)"
ErrorCode = Literal[
    "not_understood",  # the sentence does not parse; see `ReasoningFailure.suggestion`
    "not_found",  # understood, but nothing in the memory fits
    "ambiguous",  # several objects fit where one was needed; they are listed
    "method_unavailable",  # the method needs a model that is not configured
    "invalid_request",  # an unknown method name, an empty question
    "timeout",
    "empty_memory",  # nothing has been mapped yet
    "memory_refused",  # the memory does not take the correction: unknown object, full disk
    "model_failed",  # a model was not reached or gave no usable reply
    "budget_exceeded",  # the tokens or the money of the question or of the day are spent
    "cancelled",  # by the person
]
Policy = Literal["balanced", "strict", "always_answer"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
"""The reply where nothing that was seen answers a question: what is likely (`balanced`), the
failure `not_found` (`strict`), or a guess, as benchmarks require (`always_answer`). `symbolic`
guesses for `always_answer` only."""
MEASURED = 0
"""Id of a box that was measured for one answer and is no object of the map. If it is the box of
one, its attribute `SAME_AS` has that object's id."""
SAME_AS = "same_as"
MOST_CHARACTERS = 500  # of a sentence
_MOST_SITUATION_CHARACTERS = 1000
_MOST_NAMED = 5  # objects in a `repr`
_SHOWN_CHARACTERS = 40  # of an invalid speaker


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An image for a report: its title in one line, and the JPEG file."""

    title: str
    jpeg: bytes

    def __repr__(self) -> str:
        return f"Picture({self.title!r}, {len(self.jpeg)} bytes)"


@dataclass(frozen=True, slots=True)
class ReasoningFailure:
    """The reason for no answer, or for no sure one, and the way out.

    Attributes:
        suggestion: a sentence that is understood, and may be what was meant; empty for none.
    """

    code: ErrorCode
    text: str
    suggestion: str = ""


CANCELLED = ReasoningFailure("cancelled", "It was cancelled, and nothing was changed.")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A question, phrase or correction, with its context.

    Attributes:
        text: the person's words.
        situation: where they stand, in words ("I am facing the window"); may be empty.
        viewpoint: pose of the asking agent's head, x forward and z up (REP-103), world; None for
            the camera's latest pose.
        marked_object_ids: objects that the person pointed at ("this", "the marked object").
        policy: where nothing that was seen answers it.
        dialogue_id: of its conversation; empty: it stands alone.
        by: name of the person, who "me" and "mine" are; empty: not known.
        before: the question before it in the conversation; empty: none.
    """

    text: str
    situation: str = ""
    viewpoint: Pose | None = None
    marked_object_ids: tuple[int, ...] = ()
    policy: Policy = "balanced"
    dialogue_id: str = ""
    by: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """An answer with its evidence.

    Attributes:
        text: one sentence.
        confidence: in [0, 1].
        objects: objects of the answer, most relevant first.
        key_frames: frames that show it; with a failure, frames that were looked at.
        steps: how it was reached (program, plan or transcript), or how far.
        method: the method that answered; another than the requested one where `fallback` says why.
        usage: of models.
        brief: the answer in a word or few, as benchmarks compare it; empty where there is none.
    """

    query: Query
    text: str
    confidence: float
    objects: tuple[MapObject, ...]
    key_frames: tuple[KeyFrame, ...]
    method: str
    seconds: float
    steps: tuple[str, ...] = ()
    failure: ReasoningFailure | None = None
    usage: Usage = field(default_factory=Usage)
    fallback: str = ""
    brief: str = ""

    def __repr__(self) -> str:
        result = f"confidence={self.confidence:.2f}, {_named(self.objects)}"
        if self.failure is not None:
            result = f"failure={self.failure.code!r}"
        return f"Answer({self.text!r}, {result}, method={self.method!r})"

    def of_earlier_visit(self) -> Answer:
        """The same, saying that the camera is not located in the memory yet."""
        return replace(self, text=f"{self.text} {_EARLIER}")


class NothingFoundError(SceneMindError, IndexError):
    """An object was taken from a grounding that has failed; the message is its failure."""


class _NoObjects(tuple[MapObject, ...]):
    """The empty objects of a failed grounding: `objects[0]` raises the failure."""

    failure: ReasoningFailure

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ()
        raise NothingFoundError(self.failure.text)


@dataclass(frozen=True, slots=True, eq=False)
class Grounding:
    """The objects that a phrase means, best first, with a reason for the choice.

    Attributes:
        pictures: images that the method saw and measured, in order; only `vlm_grounder` has them.
        steps: how the objects were found, or how far the method came; `reasoning` in pieces.
    """

    query: Query
    objects: tuple[MapObject, ...]
    confidences: tuple[float, ...]
    reasoning: str
    key_frames: tuple[KeyFrame, ...]
    method: str
    seconds: float
    failure: ReasoningFailure | None = None
    usage: Usage = field(default_factory=Usage)
    fallback: str = ""
    pictures: tuple[Picture, ...] = ()
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.failure is not None and not self.objects:
            nothing = _NoObjects()
            nothing.failure = self.failure
            object.__setattr__(self, "objects", nothing)

    def __repr__(self) -> str:
        result = _named(self.objects) if self.failure is None else str(self.failure)
        return f"Grounding({self.query.text!r}, {result}, method={self.method!r})"

    def of_earlier_visit(self) -> Grounding:
        """The same, saying that the camera is not located in the memory yet."""
        return replace(self, reasoning=f"{self.reasoning} {_EARLIER}".lstrip())


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The result of a correction in words.

    Attributes:
        correction_ids: entries of the journal that were written, undone or redone; none for a
            question back to the person.
        object_ids: objects of the correction, parts of a split object included; for a question
            back to the person, the candidates.
        method: the method that understood it.
        steps: how the result was reached.
        usage: of models.
    """

    query: Query
    response: str
    correction_ids: tuple[int, ...]
    object_ids: tuple[int, ...]
    seconds: float
    failure: ReasoningFailure | None = None
    method: str = "symbolic"
    steps: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def asks_back(self) -> bool:
        """Whether nothing was written, and the response waits for an answer."""
        is_done = self.failure is not None or bool(self.correction_ids)
        return not is_done and self.response.endswith("?")

    def __repr__(self) -> str:
        result = f"corrections={list(self.correction_ids)}"
        if self.failure is not None:
            result = f"failure={self.failure.code!r}"
        return f"Alignment({self.response!r}, {result}, method={self.method!r})"


def _named(objects: Sequence[MapObject]) -> str:
    """ "objects=[chair 3, cup 7, ...]", at most five."""
    shown = [f"{thing.label} {thing.object_id}" for thing in objects[:_MOST_NAMED]]
    more = ["..."] if len(objects) > _MOST_NAMED else []
    return f"objects=[{', '.join(shown + more)}]"


class ReasoningError(SceneMindError, RuntimeError):
    """No answer, with the reason for the person. The router turns it into a `ReasoningFailure`."""

    def __init__(self, code: ErrorCode, text: str, suggestion: str = "") -> None:
        super().__init__(text)
        self.failure = ReasoningFailure(code, text, suggestion)


def check_sentence(query: Query, what: str = "question") -> None:
    """Check the length of a sentence.

    Args:
        what: name of the sentence in the error.

    Raises:
        ReasoningError: it is empty or too long.
    """
    if not query.text.strip():
        raise ReasoningError("invalid_request", f"The {what} is empty.")
    for said, name, limit in (
        (query.text, what, MOST_CHARACTERS),
        (query.situation, "situation", _MOST_SITUATION_CHARACTERS),
    ):
        if len(said) > limit:
            raise ReasoningError(
                "invalid_request",
                f"The {name} has {len(said)} characters, the limit is {limit}.",
            )


def check_speaker(by: str) -> None:
    """
    Args:
        by: who speaks, as the journal will name them: a name is no order, and not a long one.

    Raises:
        ReasoningError: it cannot be written.
    """
    if len(by) > LONGEST_TEXT or not by.isprintable():
        raise ReasoningError(
            "invalid_request",
            f"The speaker's name has to be plain text of {LONGEST_TEXT} characters at most, it is"
            f" {by[:_SHOWN_CHARACTERS]!r} of {len(by)}.",
        )
