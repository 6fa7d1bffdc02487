"""Questions, answers and groundings: the same for every method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from scenemind.geometry import Pose
from scenemind.memory import KeyFrame, MapObject
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

ErrorCode = Literal[
    "not_understood",  # the sentence does not parse; the text says what can be asked
    "not_found",  # understood, but nothing in the memory fits
    "ambiguous",  # several objects fit where one was needed; they are listed
    "method_unavailable",  # the method needs a model that is not configured
    "invalid_request",  # an unknown method name, an empty question
    "timeout",
    "empty_memory",  # nothing has been mapped yet
    "memory_refused",  # the memory does not take the correction: unknown object, full disk
    "model_failed",  # a model was not reached or gave no usable reply
    "budget_exceeded",  # the tokens or the money of the question or of the day are spent
    "cancelled",  # by who asked
]

Policy = Literal["balanced", "strict", "always_answer"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
"""What to do where nothing that was seen answers a question: say what is likely, fail with
`not_found` rather than guess, or guess as benchmarks want it. `symbolic` guesses for
`always_answer` only: else it fails, or says that it knows of none."""


MEASURED = 0
"""Id of a box that was measured for one answer and is no object of the map; where it is about one,
its attribute `SAME_AS` has that object's id."""
SAME_AS = "same_as"


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Something to look at in a report.

    Attributes:
        title: one line: what it shows.
        jpeg: JPEG file.
    """

    title: str
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class ReasoningFailure:
    """Why there is no (sure) answer, and what the person can do."""

    code: ErrorCode
    text: str


CANCELLED = ReasoningFailure("cancelled", "It was cancelled, and nothing was changed.")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What is asked, with all that its meaning may depend on.

    Attributes:
        text: the person's words.
        situation: where they stand, in words ("I am facing the window"); may be empty.
        viewpoint: pose of the asking agent's head, x forward and z up (REP-103), world;
            None for the camera's latest pose.
        marked_object_ids: objects that the person pointed at ("this", "the marked object").
        policy: where nothing that was seen answers it.
        dialogue_id: of the conversation that it belongs to; empty: it stands alone.
    """

    text: str
    situation: str = ""
    viewpoint: Pose | None = None
    marked_object_ids: tuple[int, ...] = ()
    policy: Policy = "balanced"
    dialogue_id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A reply with its evidence. No evidence, no claim.

    Attributes:
        text: one sentence.
        confidence: in [0, 1].
        objects: what the answer speaks of, most relevant first.
        key_frames: frames that show it; where there is a failure, what was looked at.
        steps: how it was reached, in words (program, plan or transcript), or how far.
        method: which answered; another than was asked for where `fallback` says why.
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


@dataclass(frozen=True, slots=True, eq=False)
class Grounding:
    """The objects that a phrase means, best first, with a reason for the choice.

    Attributes:
        pictures: what the method looked at and measured, in order; of `vlm_grounder` alone.
        steps: how they were found, or how far the method came; `reasoning` in pieces.
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


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """What a correcting sentence did.

    Attributes:
        correction_ids: entries of the journal that it wrote, or that it took back or let stand
            again; none where it only asked what could be done as well.
        object_ids: what it speaks of; the parts of what was split included. Of a question back
            to the person, the candidates.
        method: which understood it.
        steps: how it was reached, in words.
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
