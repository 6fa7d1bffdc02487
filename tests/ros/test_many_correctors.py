"""Fifty people correct one map at once, over real DDS: each waits for its turn."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scenemind_interfaces.msg import Error
from scenemind_ros.client import SceneMindClient
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode

from .graph import SIMULATED, TIMEOUT_S, RosGraph

CALLERS = 50
SQL = "'); DROP TABLE corrections;--"
REFUSED = {Error.MEMORY_REFUSED, Error.NOT_FOUND, Error.INVALID_REQUEST}


@dataclass(frozen=True)
class Wish:
    """A correction that one person wants.

    Attributes:
        codes: allowed codes of its response.
    """

    said: str
    codes: frozenset[int]
    marked: tuple[int, ...] = ()
    speaker: str = ""


@dataclass(frozen=True)
class Answered:
    """A correction and its response.

    Attributes:
        sent_s, answered_s: times.
    """

    wish: Wish
    speaker: str
    result: Any
    sent_s: float
    answered_s: float


@pytest.fixture
def client(stored_room: Path, tmp_path: Path) -> Iterator[SceneMindClient]:
    shutil.copytree(stored_room, tmp_path / "room")
    graph = RosGraph(hears_processes=True)
    graph.add(MappingNode, SIMULATED | {"memory.root": str(tmp_path), "memory.name": "room"})
    graph.add(ReasoningNode, {})
    # Each of the fifty waits for all others, on a machine that may have much else to do.
    with SceneMindClient(timeout_s=3.0 * TIMEOUT_S) as client:
        client.wait_ready(TIMEOUT_S)
        yield client
    graph.close()


def wishes(ids: list[int]) -> list[Wish]:
    """Different ones of the same objects, some that cannot both be, and some that cannot be."""
    taken, wrong = frozenset({Error.NONE}), frozenset({Error.INVALID_REQUEST})
    either = frozenset({Error.NONE, *REFUSED})
    one, other, gone, *free = ids
    clashing = (
        Wish(f"object {one} is on object {other}", either),
        Wish(f"object {other} is on object {one}", either),
        Wish(f"object {gone} does not exist", either),
        Wish(f"object {gone} is a ghostly chair", either),
    )
    impossible = (
        Wish("", wrong),
        Wish("x" * 501, wrong),
        Wish(f"object {one} is red", wrong, speaker="A" * 500),
        Wish(f"object {one} is a {SQL}", frozenset({Error.NOT_UNDERSTOOD})),
        Wish("this is red", frozenset({Error.MEMORY_REFUSED}), marked=(98765,)),
        Wish("object 98765 is red", frozenset(REFUSED)),
    )
    fixed = [*clashing * 3, *impossible]
    renamings = [
        Wish(f"object {free[n % len(free)]} is a gadget{n}", taken)
        for n in range(CALLERS - len(fixed) - 1)
    ]
    hostile = Wish(f"object {free[0]} is a mug", taken, speaker=f"Bob{SQL}")
    return [*renamings, hostile, *fixed]


def say(client: SceneMindClient, number: int, wish: Wish, start: threading.Barrier) -> Answered:
    """Every second caller uses the action."""
    speaker = wish.speaker or f"caller {number}"
    fields: dict[str, Any] = {"marked_object_ids": wish.marked, "speaker": speaker}
    start.wait()
    sent_s = time.monotonic()
    if number % 2:
        result = client.start_aligning(wish.said, **fields).result(TIMEOUT_S)
    else:
        result = client.align(wish.said, **fields)
    return Answered(wish, speaker, result, sent_s, time.monotonic())


def test_no_correction_of_fifty_at_once_is_lost(client: SceneMindClient) -> None:
    wanted = wishes(sorted(int(thing.id) for thing in client.scene_graph().objects))
    assert len(wanted) == CALLERS
    start = threading.Barrier(CALLERS)
    with ThreadPoolExecutor(CALLERS) as pool:
        said = [pool.submit(say, client, n, wish, start) for n, wish in enumerate(wanted)]
        answers = [answer.result() for answer in said]
    journal = client.corrections(include_undone=True)

    for answer in answers:
        result = answer.result
        assert result.error.code in answer.wish.codes, (answer.wish, result.error)
        assert result.success == bool(result.edits) == (result.error.code == Error.NONE)
        assert bool(result.error.message) != result.success

    # The journal has what the answers say, in one order, and nothing else.
    numbers = [int(entry.id) for entry in journal]
    assert numbers == list(range(1, len(journal) + 1))
    written = {int(edit.id): (edit, a) for a in answers for edit in a.result.edits}
    assert sorted(written) == numbers
    assert sum(len(a.result.edits) for a in answers) == len(journal)
    for entry in journal:
        edit, answer = written[int(entry.id)]
        assert entry == edit
        assert (entry.by, entry.reason) == (answer.speaker, answer.wish.said)

    # Who was answered before another one spoke stands before it.
    done = [answer for answer in answers if answer.result.success]
    for before in done:
        for after in done:
            if before.answered_s < after.sent_s:
                assert before.result.edits[-1].id < after.result.edits[0].id

    # Of the same object, the last word holds.
    labels = {int(thing.id): thing.label for thing in client.scene_graph().objects}
    last = {int(e.object_ids[0]): e.value for e in journal if e.kind == "rename"}
    there = last.keys() & labels.keys()
    assert there
    assert {i: labels[i] for i in there} == {i: last[i] for i in there}
