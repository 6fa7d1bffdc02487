"""An inventory in the background of a scene that is mapped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import scenemind as sm
from scenemind.config import ConfigError, SceneMindConfig
from scenemind.memory import NAMED_BY
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.reasoning.inventory import BackgroundInventory
from scenemind.simulation import SimulatedSequence
from tests.chat_server import ChatServer, Step, fail, say
from tests.unit.reasoning.inventory.test_inventory import (
    KNOWN,
    Oracle,
    at,
    mapped,
    oracle,
    room,
    sequence,
)

__all__ = ["mapped", "oracle", "room", "sequence"]
CALLS = 2


@contextmanager
def opened(room: Path, step: Step) -> Iterator[tuple[sm.Scene, ChatServer]]:
    settings = {"inventory": {"calls": CALLS, "per_minute": 6000.0}}
    with (
        ChatServer(step) as server,
        sm.open(room, models=at(server), config=settings) as scene,
    ):
        yield scene, server


def wait_for(task: BackgroundInventory, holds: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1200):
        if holds():
            return
        pause.wait(0.05)
    pytest.fail(f"not within a minute: {task.counts}")


def test_it_names_within_its_budget_and_ends(
    room: Path, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def heard(self: object, stage: str, text: str = "", key_frames: Any = ()) -> None:  # noqa: ARG001
        oracle.hear(stage, text, key_frames)

    monkeypatch.setattr("scenemind.reasoning.method.Progress.report", heard)
    with opened(room, say(oracle.reply)) as (scene, server):
        before = {thing.object_id for thing in scene.objects}
        task = scene.start_inventory()
        assert scene.start_inventory() is task
        wait_for(task, lambda: task.is_over)
        counts = task.counts
        assert len(server.requests) == counts.usage.calls == CALLS
        assert counts.left_calls == 0
        new = [thing for thing in scene.objects if thing.object_id not in before]
        assert len(new) == counts.named > 0
        assert all(thing.attributes[NAMED_BY] == "oracle" for thing in new)


def test_failures_are_counted_and_end_nothing(room: Path) -> None:
    with opened(room, fail(400)) as (scene, _):
        before = scene.snapshot
        task = scene.start_inventory()
        wait_for(task, lambda: bool(task.counts.failed))
        assert not task.is_over
        assert scene.snapshot is before
    assert task.is_over


def test_closing_the_scene_cancels_a_call(room: Path) -> None:
    asked, release = threading.Event(), threading.Event()

    def never(_: object) -> str:
        asked.set()
        release.wait(60.0)
        return "{}"

    with opened(room, say(never)) as (scene, _):
        task = scene.start_inventory()
        assert asked.wait(60.0)
        scene.close()
        assert task.is_over
        release.set()


def test_frames_that_are_added_start_it_where_it_is_enabled(
    sequence: SimulatedSequence, oracle: Oracle
) -> None:
    names = {i: name for i, name in sequence.class_names.items() if name.lower() in KNOWN}
    with ChatServer(say('{"things": [], "wrong": []}')) as server:
        settings = {"inventory": {"enabled": True, "calls": 1}, "models": at(server)}
        camera = InstanceCamera(names)
        with sm.create(detector=camera, config=settings) as scene:
            for frame in oracle.frames.values():
                scene.add(frame)
            task = scene._inventory
            assert task is not None
            wait_for(task, lambda: task.is_over)
            assert len(server.requests) == 1
            assert scene.objects


def test_it_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="inventory"):
        SceneMindConfig.from_nested({"inventory": {"enabled": True}}, source="test")
