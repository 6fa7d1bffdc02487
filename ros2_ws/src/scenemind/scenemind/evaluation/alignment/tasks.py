"""Tasks of alignment, in the shape of SynergAI's table A.2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scenemind.geometry import Pose
from scenemind.memory import MapObject

Category = Literal["attribute", "spatial", "numeric"]
Difficulty = Literal["easy", "hard"]
ErrorKind = Literal["label", "color", "material", "shape", "twice", "joined", "ghost", "relation"]
Objects = Mapping[int, MapObject]


@dataclass(frozen=True, slots=True)
class PlantedError:
    """One thing that the robot perceives wrongly.

    Attributes:
        object_id: of the object in the perceived scene.
        second_id: for `twice` the other half; for `joined` the true object that it swallowed.
        noun: what the thing truly is, or is taken for where there is nothing (`ghost`).
        wrong, value: what is perceived, and what is true instead; of `relation` empty.
        anchor_id: what it stands on, where that is clear; for `relation` what it should stand on.
    """

    kind: ErrorKind
    object_id: int
    noun: str
    wrong: str = ""
    value: str = ""
    second_id: int | None = None
    anchor_id: int | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question and what is right, known in closed form from the true scene.

    Attributes:
        answers: any of them is right; empty: it is a phrase, and objects are right.
        object_ids: all of these, and no others.
    """

    question: str
    answers: tuple[str, ...] = ()
    object_ids: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentTask:
    """
    Attributes:
        novel: a further question that needs what the corrections told; None: none was found.
        true, perceived: the objects by id, as they are and as the robot has them.
        viewpoint: of the person's head, x forward and z up; None: nothing depends on it.
    """

    task_id: str
    scene_id: str
    category: Category
    difficulty: Difficulty
    wanted: Wanted
    novel: Wanted | None
    errors: tuple[PlantedError, ...]
    true: Objects
    perceived: Objects
    viewpoint: Pose | None = None
