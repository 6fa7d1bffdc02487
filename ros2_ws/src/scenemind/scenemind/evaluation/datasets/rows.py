"""What a row of a benchmark is, whichever file it comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """A description of one object, which is to be found by it.

    Attributes:
        row_id: unlike any other of the benchmark.
        scene_id: such as scene0011_00.
        target_id: the object's id in the objects file.
        is_easy: at most one other object of its class stands in the scene (ReferIt3D); None: the
            benchmark does not say.
        is_view_dependent: it is said as seen from somewhere (ReferIt3D); None as above.
        is_unique: no other object of its benchmark class stands in the scene (ScanRefer); None as
            above.
        category: the kind of reference (Sr3D); empty: the benchmark has none.
        was_guessed: a person found the object by it (ReferIt3D); None as above.
        program: in ZSVG3D's language, where one is recorded; else empty.
    """

    row_id: str
    scene_id: str
    text: str
    target_id: int
    is_easy: bool | None = None
    is_view_dependent: bool | None = None
    is_unique: bool | None = None
    category: str = ""
    was_guessed: bool | None = None
    program: str = ""


@dataclass(frozen=True, slots=True)
class ScanPose:
    """Where an agent stands, as SQA3D writes it: in the scan's raw axes, from the middle of its
    bounding box.

    Attributes:
        position: x, y, z in metres.
        quaternion_xyzw: a turn about z.
    """

    position: tuple[float, float, float]
    quaternion_xyzw: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers.

    Attributes:
        row_id, scene_id: as of `ReferringExpression`; for OpenEQA the episode is the scene.
        answers: every one is right; empty: the benchmark keeps them to itself (test splits).
        situation: where who asks stands, in words; empty: nowhere said.
        pose: the same as a pose.
        category: the benchmark's own kind of question; empty: it has none.
        target_ids: of the objects that it is about, in the objects file; for ScanQA.
        image: file name of the one image that it is about; for Omni3D-Bench.
    """

    row_id: str
    scene_id: str
    question: str
    answers: tuple[str, ...]
    situation: str = ""
    pose: ScanPose | None = None
    category: str = ""
    target_ids: tuple[int, ...] = ()
    image: str = ""


Row = ReferringExpression | Question


def row_groups(row: Row) -> tuple[str, ...]:
    """What rows a row is counted with, as far as its benchmark says."""
    names = [row.category] if row.category else []
    if isinstance(row, ReferringExpression):
        for flag, (if_true, if_false) in (
            (row.is_easy, ("easy", "hard")),
            (row.is_view_dependent, ("view_dependent", "view_independent")),
            (row.is_unique, ("unique", "multiple")),
            (row.was_guessed, ("guessed_by_people", "missed_by_people")),
        ):
            if flag is not None:
                names.append(if_true if flag else if_false)
    return tuple(names)
