"""Rows of benchmarks in types that are common to all files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """A description of one object, which is to be found.

    Attributes:
        row_id: unique in the benchmark.
        scene_id: such as scene0011_00.
        target_id: the object's id in the objects file.
        is_easy: the scene has at most one other object of its class (ReferIt3D); None: not given.
        is_view_dependent: it depends on a viewpoint (ReferIt3D); None: not given.
        is_unique: the scene has no other object of its class (ScanRefer); None: not given.
        category: kind of reference (Sr3D); empty: not given.
        was_guessed: a person found the object by it (ReferIt3D); None: not given.
        program: a recorded program in ZSVG3D's language, or empty.
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
    """Pose of an agent in SQA3D's frame: axes of the raw scan, origin in the centre of its
    bounding box.

    Attributes:
        position: x, y, z, metres.
        quaternion_xyzw: a rotation about z.
    """

    position: tuple[float, float, float]
    quaternion_xyzw: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers.

    Attributes:
        row_id, scene_id: as in `ReferringExpression`; for OpenEQA the scene is the episode.
        answers: right answers; empty: not published (test splits).
        situation: the asker's place in words; empty: not given.
        pose: the asker's pose; None: not given.
        category: the benchmark's type of question; empty: not given.
        target_ids: ids in the objects file of the objects that are asked about (ScanQA).
        image: file name of the image that is asked about (Omni3D-Bench).
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
    """Names of a row's groups, as far as its benchmark contains them."""
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
