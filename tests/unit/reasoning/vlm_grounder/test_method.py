"""What ends a query, and what takes nothing from what is found already, on a row of four chairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from scenemind.config import SegmenterConfig, VlmGrounderConfig
from scenemind.memory import DepthImage, KeyFrame, Memory, MemorySnapshot, SceneMemoryError
from scenemind.models import Allowance, ModelError, Usage
from scenemind.perception.backends import make_segmenter
from scenemind.reasoning import Asking, Query, ReasoningError
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.vlm_grounder import VlmGrounder
from scenemind.reasoning.vlm_grounder.result import BEST_VIEW
from scenemind.reasoning.vlm_grounder.shared_segmenter import SharedSegmenter
from scenemind.reasoning.vlm_grounder.stitching.measured_layouts import LayoutScore, MeasuredLayouts
from tests.unit.reasoning.chair_row import make_memory

from .parrot import Parrot

FIRST_CHAIR, LAST_CHAIR = "00000", "00013"
WITHOUT_DEPTH = "is stored without depth"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


@dataclass
class Poorer:
    """A memory without some objects and some depth images, that says when an image is read."""

    memory: Memory
    without_objects: Collection[int] = ()
    without_depth: Collection[int] = ()
    on_read: Callable[[], object] = field(default=lambda: None)
    read: int = 0

    def snapshot(self) -> MemorySnapshot:
        now = self.memory.snapshot()
        objects = {i: thing for i, thing in now.objects.items() if i not in self.without_objects}
        return replace(now, objects=objects)

    def depth_image(self, number: int) -> DepthImage:
        if number in self.without_depth:
            raise SceneMemoryError(f"frame {number}: no depth")
        return self.memory.depth_image(number)

    def key_frame(self, number: int, *more: Any) -> KeyFrame:
        self.read += 1
        self.on_read()
        return self.memory.key_frame(number, *more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.memory, name)


def grounder(config: VlmGrounderConfig | None = None, last: str = LAST_CHAIR) -> VlmGrounder:
    """By a model that points at the first chair and at the last."""
    analysis = {"target_class": "chair", "attributes": [], "conditions": [], "wants_all": True}
    both = {"reasoning": "both", "target_image_ids": [FIRST_CHAIR, last]}
    said = {"AnalysisForm": analysis, "ImagesChoice": {**both, "reference_image_ids": []}}
    parrot = Parrot({name: [json.dumps(form)] for name, form in said.items()})
    segmenter = SharedSegmenter(lambda: make_segmenter(SegmenterConfig(backend="depth")))
    return VlmGrounder(parrot, parrot, segmenter, config)


def ground_chairs(memory: Any, asking: Asking | None = None) -> GroundReply:
    return grounder().ground(Query("all chairs"), memory, asking or Asking())


def measured_in(reply: GroundReply) -> set[int]:
    """Numbers of the frames that things were pointed at in."""
    return {int(thing.attributes[BEST_VIEW]) for thing in reply.objects}


def test_a_thing_without_depth_that_the_map_does_not_know_takes_nothing_from_the_others(
    memory: Memory,
) -> None:
    assert measured_in(ground_chairs(memory)) == {0, 58}
    reply = ground_chairs(Poorer(memory, without_objects=[1], without_depth=[0]))
    assert measured_in(reply) == {58}
    assert any(s.startswith("left out target 1: ") and WITHOUT_DEPTH in s for s in reply.steps)


def test_without_a_place_of_any_thing_there_is_no_reply(memory: Memory) -> None:
    with pytest.raises(ReasoningError, match=WITHOUT_DEPTH) as caught:
        ground_chairs(Poorer(memory, without_objects=[1, 4], without_depth=[0, 58]))
    assert caught.value.failure.code == "not_found"


@dataclass
class AtSecond:
    """A report that does something when the second thing is to be measured."""

    act: Callable[[], object]
    measured: int = 0

    def __call__(self, stage: str, text: str = "", key_frames: Any = ()) -> None:
        del text
        self.measured += stage == "measure" and bool(key_frames)
        if self.measured == 2:
            self.act()


class Ending(Allowance):
    """Its time ends when it is told so."""

    is_over = False

    @property
    def left_s(self) -> float:
        return -1.0 if self.is_over else super().left_s

    def end(self) -> None:
        self.is_over = True


def test_what_is_measured_when_the_time_ends_is_the_reply(memory: Memory) -> None:
    allowance = Ending(60.0)
    reply = ground_chairs(memory, Asking(allowance, AtSecond(allowance.end)))
    assert measured_in(reply) == {0}
    assert any(step.startswith("not measured from target 2 on: ") for step in reply.steps)


def test_spent_tokens_do_not_end_what_needs_no_model(memory: Memory) -> None:
    allowance = Allowance(60.0, tokens=100)
    spend = AtSecond(lambda: allowance.spend(Usage(prompt_tokens=100)))
    assert measured_in(ground_chairs(memory, Asking(allowance, spend))) == {0, 58}


def test_who_cancels_gets_no_reply(memory: Memory) -> None:
    allowance = Allowance(60.0)
    with pytest.raises(ModelError, match="cancelled"):
        ground_chairs(memory, Asking(allowance, AtSecond(allowance.cancel)))


def test_images_are_read_no_longer_than_somebody_waits(memory: Memory) -> None:
    allowance = Allowance(60.0)
    slow = Poorer(memory, on_read=allowance.cancel)
    with pytest.raises(ModelError, match="cancelled"):
        ground_chairs(slow, Asking(allowance))
    assert slow.read == 1


def test_layouts_that_are_all_small_bound_the_images(memory: Memory) -> None:
    """By the sheets that a query should come to."""
    config = VlmGrounderConfig(sheets=2, layouts=[(1, 1), (2, 2)])
    method = grounder(config, last="00007")
    reply = method.ground(Query("all chairs"), memory, Asking())
    assert "stitched: 8 images on sheets: 2 of 2x2" in reply.steps


def test_layouts_are_read_once_and_for_all(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "layouts.json"
    score = LayoutScore(rows=3, columns=3, sheets=1, requests=1, pictures=9, recalled=9)
    measured = MeasuredLayouts(
        model=Parrot.name,
        longest_px=2048,
        picture_px=(640, 480),
        seed=0,
        is_whole=True,
        scores=[score],
    )
    path.write_text(measured.model_dump_json())
    method = grounder(VlmGrounderConfig(layouts_file=str(path)))
    path.unlink()
    reply = method.ground(Query("all chairs"), memory, Asking())
    assert "stitched: 14 images on sheets: 2 of 3x3" in reply.steps
