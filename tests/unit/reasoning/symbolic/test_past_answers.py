"""Questions about the past, of a cup that was moved from the shelf and a vase that is gone.

Seconds before the newest frame: all was seen from 3600 on; the cup was on the shelf until 1800,
which was found empty at 900, and is on the table since 800; the vase was seen until 2000 and found
gone at 600.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, Stay
from scenemind.reasoning import Answer, Router
from tests.tables import read_table

from ..scene import ROOM, SmallMemory, query, snapshot_of, thing

TABLE = read_table(__file__, "past")
S = 1_000_000_000
NOW_NS = round(datetime(2026, 5, 4, 15, 30).timestamp()) * S
SHELF_TOP = Box3D((2, 2, 1.05), (0.1, 0.1, 0.1))
VASE_AT = Box3D((1, -1, 0.8), (0.1, 0.1, 0.2))


def ago(seconds: int) -> int:
    return NOW_NS - seconds * S


def at(box: Box3D, first_s: int, last_s: int, gone_s: int) -> Stay:
    return Stay(box, ago(first_s), ago(last_s), ago(gone_s))


def seen(obj: MapObject) -> MapObject:
    return replace(obj, first_seen_ns=ago(3600), last_seen_ns=ago(5), here_since_ns=ago(3600))


def memory(stamp_ns: int = NOW_NS) -> SmallMemory:
    objects = {obj.object_id: seen(obj) for obj in ROOM}
    was = at(SHELF_TOP, 3600, 1800, 900)
    objects[2] = replace(objects[2], stays=(was,), here_since_ns=ago(800))
    vase = thing(20, "vase", VASE_AT.center, VASE_AT.size)
    vase = replace(vase, first_seen_ns=ago(3600), last_seen_ns=ago(2000))
    vase = replace(vase, stays=(at(VASE_AT, 3600, 2000, 600),))
    snapshot = snapshot_of(list(objects.values()))
    return SmallMemory(replace(snapshot, stamp_ns=stamp_ns, gone={20: vase}))


def ask(text: str) -> Answer:
    return Router(memory()).ask(query(text))


@pytest.mark.parametrize(("text", "said"), TABLE["answers"].items())
def test_answers(text: str, said: list[str]) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert all(part in answer.text for part in said)


def test_removed_object_is_in_the_text_only() -> None:
    assert [obj.object_id for obj in ask("what changed since 14:40").objects] == [2]
    assert ask("where was the vase 40 minutes ago?").objects == ()


def test_moved_object_is_among_the_objects_of_the_answer() -> None:
    grounding = Router(memory()).ground(query("what was moved since 14:40?"))
    assert [obj.object_id for obj in grounding.objects] == [2]
    nothing = Router(memory()).ground(query("what was moved in the last minute?"))
    assert nothing.failure is not None


@pytest.mark.parametrize(("text", "said"), TABLE["failures"].items())
def test_failures_help_on(text: str, said: str) -> None:
    failure = ask(text).failure
    assert failure is not None
    assert failure.code == "not_found"
    assert said in failure.text


def test_stamps_that_count_from_a_start_know_no_time_of_day() -> None:
    failure = Router(memory(90 * S)).ask(query("where was the sofa at 10:05?")).failure
    assert failure is not None
    assert "the newest one is at 90.0 s" in failure.text


def test_steps_include_the_parsed_question() -> None:
    steps = ask("where was the red cup yesterday at 3 pm?").steps
    assert "the moment is at 2026-05-03 15:00:00 (24 h before the newest frame)" in steps


@pytest.mark.parametrize("text", ["is the lamp still where it was?", "has the lamp moved?"])
def test_of_what_was_first_seen_later_nobody_can_tell_whether_it_moved(text: str) -> None:
    lamp = replace(seen(thing(30, "lamp", (-1, 2, 0.5), (0.3, 0.3, 1.0))), first_seen_ns=ago(3))
    lamp = replace(lamp, here_since_ns=ago(3))
    objects = [*memory().snapshot().objects.values(), lamp]
    later = SmallMemory(replace(snapshot_of(objects), stamp_ns=NOW_NS))
    answer = Router(later).ask(query(text))
    assert answer.text.startswith("I cannot tell")
    assert answer.confidence <= 0.5
