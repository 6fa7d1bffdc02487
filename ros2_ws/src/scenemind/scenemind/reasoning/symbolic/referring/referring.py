"""What a referring expression means on a scene: candidates, best first, with how sure each is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.symbolic.referring.description import Description
from scenemind.reasoning.symbolic.referring.doubts import KEPT, doubts
from scenemind.reasoning.symbolic.referring.grounder import Grounder
from scenemind.reasoning.symbolic.referring.reader import read
from scenemind.reasoning.symbolic.referring.sides import Onlooker
from scenemind.reasoning.symbolic.referring.space import Space, Vector
from scenemind.reasoning.symbolic.referring.telling import told, unused
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.viewpoint import viewpoint_of
from scenemind.reasoning.types import Query
from scenemind.words.english import joined, shown
from scenemind.words.vocabulary import Vocabulary, did_you_mean

_LONGEST = 1000  # characters that are read
_MOST_CANDIDATES = 10
# Of the best one's share, what another must have to be named.
_LEAST_SHARE = 0.1


def refer(query: Query, scene: Scene, vocabulary: Vocabulary) -> GroundReply:
    """The objects that an expression of any shape may mean; their confidences sum to at most 1.

    A confidence is how often such a choice is right where what is described is in the map: on
    ScanRefer's and Nr3D's validation rows with ground-truth boxes, shares of the scores are off by
    5 % on average. Where something that is said is not so of the best one, less of it is left (see
    `doubts`).

    Where something must be named (`always_answer`) and nothing of the kind is known, all else that
    is said counts.

    Raises:
        ReasoningError: `not_found`: nothing of the kind that it names is known.
    """
    description = read(query.text[:_LONGEST])
    if not _says_something(description):
        raise ReasoningError("not_found", "That names no kind of object.")
    grounder = _grounder(query, scene, vocabulary, description)
    scores = _scores(grounder, scene)
    unnamed = []
    if not scores.any():
        noun, description = description.mentions[description.target].noun, description.nameless()
        if query.policy != "always_answer" or not _says_something(description):
            raise ReasoningError("not_found", _missing(noun, scene, vocabulary))
        unnamed, grounder = [noun], _grounder(query, scene, vocabulary, description)
        scores = _scores(grounder, scene)
    sure = scores / scores.sum() * scene.confidence
    order = np.argsort(-sure, kind="stable")[:_MOST_CANDIDATES]
    wrong = unnamed + doubts(description, grounder, int(order[0]))
    sure *= KEPT if wrong else 1.0
    rows = order[sure[order] >= _LEAST_SHARE * sure.max()]
    tied = int(np.count_nonzero(sure == sure.max()))
    objects = tuple(scene.objects[row] for row in rows)
    steps = _steps(description, grounder, wrong, tied)
    return GroundReply(objects, tuple(sure[rows].tolist()), steps)


def _grounder(
    query: Query, scene: Scene, vocabulary: Vocabulary, description: Description
) -> Grounder:
    onlooker = _find_onlooker(query, scene, vocabulary)
    return Grounder(scene, Space(scene.low, scene.high), vocabulary, description, onlooker)


def _scores(grounder: Grounder, scene: Scene) -> Vector:
    """(N,) of objects; 0 for parts of the building."""
    return np.where(scene.is_object, grounder.target_scores(), 0.0)


def _steps(
    description: Description, grounder: Grounder, wrong: Sequence[str], tied: int
) -> tuple[str, ...]:
    steps = [f"read as: {told(description)}"]
    left_out = unused(description, grounder)
    if left_out:
        steps.append(f"not used: {joined(left_out)}")
    if wrong:
        steps.append(f"not so of the best one: {joined(wrong)}")
    if tied > 1:
        steps.append(f"{tied} objects fit equally well")
    return tuple(steps)


def _find_onlooker(query: Query, scene: Scene, vocabulary: Vocabulary) -> Onlooker | None:
    """Who asks, or the camera."""
    try:
        seen_from = viewpoint_of(query, scene, vocabulary)
    except ReasoningError:
        return None  # expressions that need one take who stands in the middle of the room
    return Onlooker(seen_from.position[:2], seen_from.ahead)


def _says_something(description: Description) -> bool:
    target = description.mentions[description.target]
    said_of_it = any(description.target in link.subjects for link in description.links)
    return bool(target.noun or target.traits or said_of_it or description.places)


def _missing(noun: str, scene: Scene, vocabulary: Vocabulary) -> str:
    labels = list(scene.rows_of_label)
    return f"I know of no {shown(noun or 'such object')}.{did_you_mean(noun, labels, vocabulary)}"
