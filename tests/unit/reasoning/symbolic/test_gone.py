"""Questions about what is no longer there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.memory import MapObject, Stay
from scenemind.reasoning import Answer, Router

from ..scene import ROOM, SmallMemory, query, snapshot_of, thing

S = 1_000_000_000
NEWEST_NS = 1000 * S


def gone(object_id: int, label: str, **attributes: str) -> MapObject:
    """Last seen 400 s before the newest frame, and gone since 30 s before it."""
    obj = thing(object_id, label, (1.0, -1.0, 0.8), (0.1, 0.1, 0.1), **attributes)
    return replace(obj, stays=(Stay(obj.box, 0, NEWEST_NS - 400 * S, NEWEST_NS - 30 * S),))


def ask(text: str, *vanished: MapObject) -> Answer:
    """In the room, from which these are gone."""
    by_id = {obj.object_id: obj for obj in vanished}
    snapshot = replace(snapshot_of(ROOM), stamp_ns=NEWEST_NS, gone=by_id)
    return Router(SmallMemory(snapshot)).ask(query(text))


@pytest.mark.parametrize(
    "text", ["where is the vase?", "where is the red vase on the table?", "where is object 17?"]
)
def test_answer_has_last_place_and_time_of_a_gone_object(text: str) -> None:
    answer = ask(text, gone(17, "vase", color="red"))
    assert answer.failure is None
    assert answer.text == (
        "The vase (object 17) was at x 1.0, y -1.0, 0.8 m above the floor, last seen there 7 min"
        " before the newest frame, and is no longer there since 30 s before it."
    )
    assert answer.confidence == pytest.approx(0.9)


def test_a_ghost_is_said_to_be_one() -> None:
    answer = ask("where is the vase?", replace(gone(17, "vase"), is_ghost=True))
    assert answer.text == (
        "The vase (object 17) was at x 1.0, y -1.0, 0.8 m above the floor, last seen there 7 min"
        " before the newest frame, but I looked there often and hardly ever saw it: it was"
        " probably never there."
    )
    assert answer.objects == ()


def test_gone_object_is_not_grounded() -> None:
    answer = ask("where is the vase?", gone(17, "vase"))
    assert answer.objects == ()
    assert answer.key_frames == ()


def test_several_gone_objects_are_listed() -> None:
    answer = ask("where are the vases?", gone(17, "vase"), gone(18, "vase"))
    assert answer.text.startswith("2 vases are gone: object 17 was at x 1.0, y -1.0")
    assert "object 18 was at" in answer.text


def test_present_objects_come_before_gone_ones() -> None:
    answer = ask("where is the sofa?", gone(17, "sofa"))
    assert [obj.object_id for obj in answer.objects] == [8]
    assert "no longer" not in answer.text


def test_exact_label_comes_before_a_similar_one() -> None:
    """A cup may be meant by "the mug", but here a mug was known."""
    assert "may be meant" in ask("where is the mug?").text
    assert ask("where is the mug?", gone(17, "mug")).text.startswith("The mug (object 17) was at")
    assert "may be meant" in ask("where is the mug?", gone(17, "bowl")).text


@pytest.mark.parametrize("text", ["where is the bathtub?", "where is the blue vase?"])
def test_other_things_that_are_gone_do_not_count(text: str) -> None:
    answer = ask(text, gone(17, "vase", color="red"))
    assert answer.failure is not None
    assert answer.failure.code == "not_found"
    assert answer.failure.text.startswith("There is no")
