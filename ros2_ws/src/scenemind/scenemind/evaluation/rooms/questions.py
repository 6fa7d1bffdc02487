"""What is asked about a room, as rows of a benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from scenemind.evaluation.datasets import Question as QuestionRow
from scenemind.evaluation.datasets import ReferringExpression, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.simulation import (
    Question,
    Room,
    SimulationError,
    VisibilityCounter,
    make_questions,
    make_room,
    simulate,
)

_PREFIX = "sim:"
# Other rooms than those that examples and tests show.
_FIRST_SEED = 1001
_ROOMS_KEPT = 32
# Enough to count what a drive sees.
_FRAMES, _WIDTH, _HEIGHT = 60, 160, 120
_SEEN_PIXELS, _SEEN_FRAMES = 25, 2


def room_names(count: int) -> list[str]:
    """Scenes of the benchmark; the same ones every time."""
    return [f"{_PREFIX}{seed}" for seed in range(_FIRST_SEED, _FIRST_SEED + count)]


def room_rows(scene_ids: Iterable[str]) -> Iterator[Row]:
    """Phrases and questions about rooms.

    Raises:
        EvaluationError: as `get_room`.
    """
    for scene_id in scene_ids:
        for row_id, question in room_questions(scene_id).items():
            yield _row(row_id, scene_id, question)


@lru_cache(_ROOMS_KEPT)
def get_room(scene_id: str) -> Room:
    """
    Raises:
        EvaluationError: it is no simulated room's name.
    """
    seed = scene_id.removeprefix(_PREFIX)
    if not scene_id.startswith(_PREFIX) or not seed.isdecimal():
        raise EvaluationError(f"{scene_id!r} is no simulated room: they are {_PREFIX}SEED")
    try:
        return make_room(int(seed))
    except SimulationError as error:
        raise EvaluationError(f"{scene_id}: {error}") from error


@lru_cache(_ROOMS_KEPT)
def room_questions(scene_id: str) -> Mapping[str, Question]:
    """By row id: all kinds of `simulation.questions`, about what a drive sees well.

    Raises:
        EvaluationError: as `get_room`.
    """
    room = get_room(scene_id)
    questions = make_questions(room, _seen_well(room.seed))
    return {f"{scene_id}/{number:03d}": one for number, one in enumerate(questions)}


def _row(row_id: str, scene_id: str, question: Question) -> Row:
    if question.kind == "ground":
        return ReferringExpression(
            row_id, scene_id, question.text, question.target_ids[0], category=_kind(question)
        )
    return QuestionRow(
        row_id,
        scene_id,
        question.text,
        (", ".join(question.expected),),
        category=_kind(question),
        target_ids=question.target_ids,
    )


def _kind(question: Question) -> str:
    """Of phrases also what tells the object apart."""
    if question.kind != "ground":
        return question.kind
    relations = ("closest to", "next to", "on")
    found = next((name for name in relations if f" {name} the " in question.text), "colour")
    return f"ground_{found.replace(' ', '_')}"


def _seen_well(seed: int) -> Collection[int]:
    drive = simulate(seed, _FRAMES, _WIDTH, _HEIGHT, depth_noise=0.0)
    counter = VisibilityCounter(drive.room, _SEEN_PIXELS)
    for frame in drive:
        assert frame.instances is not None, "simulated frames carry instances"
        counter.add(frame.instances)
    return counter.seen(_SEEN_FRAMES)
