"""Doubtful objects in crops: what the model says settles labels, and people stand above it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import scenemind as sm
from scenemind.memory import NAMED_BY, Edit
from scenemind.reasoning.inventory.review import doubtful, is_of_kind
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.inventory.test_inventory import (
    Oracle,
    at,
    mapped,
    oracle,
    room,
    sequence,
    take,
)

__all__ = ["mapped", "oracle", "room", "sequence"]


def all_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenemind.reasoning.inventory.review._DOUBTED", 1.1)


def test_only_labels_that_nobody_settled_are_doubtful(room: Path) -> None:
    with sm.open(room, read_only=True) as scene:
        thing, *_ = scene.objects
    sure = replace(thing, confidence=0.9, label_probabilities={thing.label: 0.9})
    shaky, either = replace(sure, confidence=0.3), {thing.label: 0.7, "stool": 0.25}
    mixed = replace(sure, object_id=99, label_probabilities=either)
    named = replace(shaky, attributes={NAMED_BY: "seer"})
    renamed = replace(shaky, label="throne")
    assert doubtful([sure, mixed, shaky, named, renamed]) == [shaky, mixed]


@pytest.mark.parametrize(
    ("name", "label", "same"),
    [
        ("sofa", "couch", True),
        ("office chair", "chair", True),
        ("table", "dining table", True),
        ("cabinet", "refrigerator", False),
    ],
)
def test_the_same_kind_confirms(name: str, label: str, same: bool) -> None:
    assert is_of_kind(name, label) is same


def test_crops_confirm_rename_and_doubt(
    room: Path, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_doubtful(monkeypatch)
    with ChatServer(say(oracle.reply)) as server, sm.open(room, models=at(server)) as scene:
        first, second, third, *_ = due = doubtful(scene.objects)
        oracle.crops = (f"wooden {first.label}", "barrel", "nothing")
        report = take(scene, oracle, calls=1, reviews=1)
        assert report.usage.calls == 1
        assert not report.pictures
        assert report.reviewed == tuple(thing.object_id for thing in due[:4])
        assert report.confirmed == {first.object_id: first.label}
        assert report.renamed == {second.object_id: "barrel"}
        assert report.doubted == {third.object_id: 1}
        now = scene.snapshot.objects
        assert now[second.object_id].label == "barrel"
        for settled in (first, second):
            assert now[settled.object_id].attributes[NAMED_BY] == "oracle"
        assert now[third.object_id].label == third.label  # one look proves little
        again = take(scene, oracle, calls=1, reviews=1)
        assert not {first.object_id, second.object_id} & set(again.reviewed)


def test_what_people_said_stands_above_the_model(
    room: Path, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_doubtful(monkeypatch)
    with ChatServer(say(oracle.reply)) as server, sm.open(room, models=at(server)) as scene:
        first, *_ = doubtful(scene.objects)
        preview = take(scene, oracle, calls=1, reviews=1, preview=True)
        assert first.object_id in preview.reviewed
        scene.memory.apply([Edit("rename", (first.id,), value="throne")], "Ada", "it is")
        oracle.crops = ("barrel",) * 4
        report = take(scene, oracle, calls=1, reviews=1)
        assert first.object_id not in report.reviewed
        assert scene.snapshot.objects[first.object_id].label == "throne"
        scene.writable_memory.settle_label(first.object_id, "barrel", "oracle")
        assert scene.snapshot.objects[first.object_id].label == "throne"


@pytest.mark.parametrize("reply", ['{"things": [{"number": 7, "name": "x"}]}', "no JSON"])
def test_replies_of_no_use_cost_one_repair(
    room: Path, oracle: Oracle, monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    all_doubtful(monkeypatch)
    with ChatServer(say(reply)) as server, sm.open(room, models=at(server)) as scene:
        labels = {thing.id: thing.label for thing in scene.objects}
        report = take(scene, oracle, calls=2, reviews=1)
        assert len(server.requests) == 2
        assert not report.renamed
        assert not report.confirmed
        assert {thing.id: thing.label for thing in scene.objects} == labels
