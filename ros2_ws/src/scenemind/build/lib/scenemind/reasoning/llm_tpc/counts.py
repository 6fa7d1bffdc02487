"""Counts in answers, checked against pictures.

A program counts what is mapped, and says nothing of what is not. So a count is compared with the
largest number of such things in one picture, and with detections that belong to no object; where
that leaves it open and a vision model is there, it looks once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scenemind.language.english import find_number
from scenemind.memory import MapObject
from scenemind.reasoning.frame_choice import Wanted
from scenemind.reasoning.programs import SceneApi
from scenemind.reasoning.programs.looks import Looked, Looks
from scenemind.reasoning.programs.map_evidence import KindEvidence
from scenemind.reasoning.sandbox import ApiError

# Confidences of a count: pictures and a look agree with it; a look alone, or pictures alone; a look
# that counts otherwise; nothing that speaks for or against it, such as a look at a part of the
# place; pictures that show more.
_SETTLED, _AGREED, _LOOKED, _OPEN, _DOUBTED = 0.75, 0.6, 0.5, 0.5, 0.3


@dataclass(frozen=True, slots=True)
class CheckedCount:
    """A count after the check.

    Attributes:
        count: perhaps that of a look, in place of the program's.
        note: what speaks against it, without a full stop; may be empty.
    """

    count: int
    note: str
    confidence: float


def check_count(
    count: int,
    question: str,
    api: SceneApi,
    objects: Sequence[MapObject],
    looks: Looks | None,
) -> CheckedCount:
    """The count of an answer, checked.

    Args:
        objects: that the answer rests on; may be none.
        looks: None: there is no vision model.

    Raises:
        ModelError: the question's time, tokens or money are over.
    """
    kind = _counted(api, objects)
    said = [looked for looked in looks.done if _number(looked) is not None] if looks else []
    if not said and looks is not None and (kind is None or not kind.is_confirmed):
        looked = _look(count, question, api, objects, looks)
        said = [looked] if looked is not None else []
    agreeing = [looked for looked in said if _number(looked) == count]
    if agreeing:
        if not any(looked.complete for looked in agreeing):
            return CheckedCount(count, "", _OPEN)
        is_doubted = kind is not None and kind.in_one_frame > count
        return CheckedCount(count, "", _AGREED if is_doubted else _SETTLED)
    for looked in reversed(said):
        number = _number(looked)
        if number is not None and (looked.complete or number > count):
            return CheckedCount(number, f"pictures show {number}, the map has {count}", _LOOKED)
    if kind is None or kind.is_confirmed:
        return CheckedCount(count, "", _AGREED)
    if kind.speaks_for_more:
        return CheckedCount(count, f"there may be more: {kind.describe()}", _DOUBTED)
    return CheckedCount(count, "", _OPEN)


def _look(
    count: int, question: str, api: SceneApi, objects: Sequence[MapObject], looks: Looks
) -> Looked | None:
    """A look of our own at what was counted: at the objects where they are a part of their kind,
    else at all of the kind."""
    ids = tuple(thing.object_id for thing in objects)
    wanted = Wanted(ids if ids and len(ids) == count else (*ids, *api.kinds))
    try:
        return looks.look(question, wanted)
    except ApiError:
        return None


def _counted(api: SceneApi, objects: Sequence[MapObject]) -> KindEvidence | None:
    """The evidence on what was counted: the commonest kind of the objects, else what programs
    filtered for last."""
    labels = Counter(thing.label for thing in objects if thing.label in api.kinds)
    named = [label for label, _ in labels.most_common(1)]
    return api.evidence_of(named or api.kinds[-1:])


def _number(looked: Looked) -> int | None:
    return find_number(looked.answer.lower().split(" ")[0].strip(" .,;"))
