"""How far a method came is kept where it fails, and forgotten where it does not."""

from __future__ import annotations

import pytest

from scenemind.models import ModelError
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.trail import Trail
from scenemind.reasoning.types import Picture
from tests.unit.report.made import make_key_frame

FRAME = make_key_frame({})


@pytest.mark.parametrize(
    "error", [ReasoningError("not_found", "no cat"), ModelError("refused", "no")]
)
def test_a_failure_keeps_the_steps_as_they_are_by_then(error: Exception) -> None:
    trail, steps = Trail(), ["chose"]

    def look() -> None:
        with trail.kept(steps, [FRAME]):
            steps.append("looked")
            raise error

    with pytest.raises(type(error)):
        look()
    assert (trail.steps, trail.key_frames) == (("chose", "looked"), (FRAME,))


def test_a_failure_keeps_pictures_for_reports() -> None:
    trail, picture = Trail(), Picture("A sheet", FRAME.jpeg)
    with pytest.raises(ModelError), trail.kept([], [], [picture]):
        raise ModelError("refused", "no")
    assert trail.pictures == (picture,)


def test_a_success_keeps_nothing() -> None:
    trail = Trail()
    with trail.kept(["chose"], [FRAME]):
        pass
    assert (trail.steps, trail.key_frames) == ((), ())


def test_who_asks_others_adds_to_what_they_tried() -> None:
    trail = Trail()
    for steps, frames in ((["looked"], [FRAME]), (["all failed"], [])):
        with pytest.raises(ModelError), trail.kept(steps, frames):
            raise ModelError("refused", "no")
    assert (trail.steps, trail.key_frames) == (("looked", "all failed"), (FRAME,))
