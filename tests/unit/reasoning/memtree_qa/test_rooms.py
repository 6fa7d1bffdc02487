"""A simulated room whose detector does not know some things: a model that thinks of what stands
beside them still finds frames that show them (paper, section 4.2, "robust to detector failure")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.reasoning.memtree_qa.tree_selector import TreeSelector
from scenemind.reasoning.query import Query
from scenemind.simulation import Sensors, SimulatedSequence, simulate
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.memtree_qa.talk import Place, asking, chat_with, choice

UNKNOWN = ("refrigerator", "lamp", "vase", "keyboard", "trash can")
_SEEN_PIXELS = 60  # of 160 x 120
_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class Drive:
    """
    Attributes:
        pixels: (frames, 1 + largest instance id) int: how much of a thing each frame shows.
    """

    sequence: SimulatedSequence
    memory: Memory
    pixels: NDArray[np.int64]


@pytest.fixture(scope="module")
def drive() -> Iterator[Drive]:
    sequence = simulate(2, 160, Sensors(160, 120))
    names = {i: name for i, name in sequence.class_names.items() if name not in UNKNOWN}
    largest = max(sequence.class_names)
    pixels = []
    with Memory.create(None, SceneMindConfig()) as memory:
        mapper = Mapper(InstanceCamera(names), memory, SceneMindConfig())
        for frame in read_sequence(sequence):
            mapper.process(frame)
            assert frame.instances is not None
            pixels.append(np.bincount(frame.instances.ravel(), minlength=largest + 1))
        memory.flush()
        yield Drive(sequence, memory, np.array(pixels))


def neighbours(drive: Drive, label: str) -> list[str]:
    """Labels of the known things nearest to it, which people would expect beside it."""
    things = drive.sequence.room.objects
    (place,) = (np.array(o.box.center) for o in things if o.label == label)
    others = [o for o in things if o.label not in UNKNOWN]
    others.sort(key=lambda o: float(np.linalg.norm(place - o.box.center)))
    return [o.label for o in others[:_NEIGHBOURS]]


def reasoned(request: Request, beside: list[str], count: int) -> str:
    """Picks the locations that list most of what the thing usually is beside."""
    lines = [json.loads(row) for row in request.text.splitlines() if row.startswith('{"id"')]

    def listed(line: dict) -> list[str]:
        return [label for label in beside if label in line.get("sees", {})]

    best = sorted(lines, key=lambda line: -len(listed(line)))[:count]
    places: list[Place] = [(line["id"], [], list(listed(line))) for line in best]
    return choice(*places)


@pytest.mark.parametrize("label", UNKNOWN)
def test_undetected_thing_is_in_a_chosen_frame(drive: Drive, label: str) -> None:
    labels = {thing.label for thing in drive.memory.snapshot().objects.values()}
    assert label not in labels
    beside = neighbours(drive, label)
    server = ChatServer(say(lambda request: reasoned(request, beside, 3)))
    with chat_with(server) as chat:
        query = Query(f"What colour is the {label}?")
        found = TreeSelector(chat).select(query, drive.memory, 3, asking())
    assert len(server.requests) == 1
    (instance_id,) = (i for i, name in drive.sequence.class_names.items() if name == label)
    shown = [drive.pixels[frame.frame_number, instance_id] for frame in found.key_frames]
    assert max(shown) >= _SEEN_PIXELS
