"""VLM-Grounder as a method: its replies to questions and phrases."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import SegmenterConfig, VlmGrounderConfig
from scenemind.memory import DepthImage, KeyFrame, Memory, MemorySnapshot, SceneMemoryError
from scenemind.models import Allowance, ModelError, Usage
from scenemind.perception.backends import make_segmenter
from scenemind.reasoning import POLICIES, Asking, Progress, Query, ReasoningError, Router
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.query import MEASURED
from scenemind.reasoning.shared_models import SharedSegmenter
from scenemind.reasoning.vlm_grounder import VlmGrounder
from scenemind.reasoning.vlm_grounder.grounded import BEST_VIEW
from scenemind.reasoning.vlm_grounder.measured_layouts import LayoutScore, MeasuredLayouts
from tests.unit.reasoning.chair_row import make_memory
from tests.unit.reasoning.vlm_grounder.parrot import Parrot
from tests.unit.reasoning.vlm_grounder.searching import most_calls

FIRST_CHAIR, LAST_CHAIR = "00000", "00013"
WITHOUT_DEPTH = "is stored without depth"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        memory.flush()  # images are written on a thread of their own
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
    analysis["labels"] = []
    both = {"reasoning": "both", "target_image_ids": [FIRST_CHAIR, last]}
    one = {"reasoning": "it", "object_ids": [0], "boxes": []}
    said = {"AnalysisForm": analysis, "ImagesChoice": {**both, "reference_image_ids": []}}
    said["ObjectsChoice"] = one
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


def test_boxes_measured_by_the_deadline_are_the_reply(memory: Memory) -> None:
    allowance = Ending(60.0)
    reply = ground_chairs(memory, Asking(allowance, Progress(AtSecond(allowance.end))))
    assert measured_in(reply) == {0}
    assert any(step.startswith("not measured from target 2 on: ") for step in reply.steps)


def test_without_tokens_steps_without_a_model_go_on(memory: Memory) -> None:
    allowance = Allowance(60.0, tokens=100)
    spend = AtSecond(lambda: allowance.spend(Usage(prompt_tokens=100)))
    assert measured_in(ground_chairs(memory, Asking(allowance, Progress(spend)))) == {0, 58}


def test_cancelled_query_gets_no_reply(memory: Memory) -> None:
    allowance = Allowance(60.0)
    with pytest.raises(ModelError, match="cancelled"):
        ground_chairs(memory, Asking(allowance, Progress(AtSecond(allowance.cancel))))


def test_images_are_read_no_longer_than_somebody_waits(memory: Memory) -> None:
    allowance = Allowance(60.0)
    slow = Poorer(memory, on_read=allowance.cancel)
    with pytest.raises(ModelError, match="cancelled"):
        ground_chairs(slow, Asking(allowance))
    assert slow.read == 1


def test_layouts_that_are_all_small_bound_the_images(memory: Memory) -> None:
    """The number of sheets in a query limits the number of images."""
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


ids = st.integers(-2, 12) | st.integers() | st.sampled_from(["00001", "", "the left", "-1"])
ids = ids | st.text(max_size=8)
lists = st.lists(ids, max_size=4)
texts = st.text(max_size=30)
facts = st.lists(texts, max_size=3)
places = st.lists(st.floats(-100, 1100) | st.integers(), max_size=5) | st.just([200, 200, 700, 900])
classes = st.sampled_from(["chair", "chairs", "unknown", "settle", ""]) | texts
forms = {
    "AnalysisForm": st.fixed_dictionaries(
        {
            "target_class": classes,
            "attributes": facts,
            "conditions": facts,
            "wants_all": st.booleans(),
            "labels": facts | st.just(["chair"]),
        }
    ),
    "ImageChoice": st.fixed_dictionaries(
        {
            "reasoning": texts,
            "target_image_id": ids,
            "target_place": places,
            "reference_image_ids": lists,
        }
    ),
    "ImagesChoice": st.fixed_dictionaries(
        {"reasoning": texts, "target_image_ids": lists, "reference_image_ids": lists}
    ),
    "ObjectChoice": st.fixed_dictionaries({"reasoning": texts, "object_id": ids, "box": places}),
    "ObjectsChoice": st.fixed_dictionaries(
        {"reasoning": texts, "object_ids": lists, "boxes": st.lists(places, max_size=2)}
    ),
}
replies = {
    name: st.lists(form.map(json.dumps) | st.text(max_size=20), min_size=1, max_size=4)
    for name, form in forms.items()
}


@given(said=st.fixed_dictionaries(replies), policy=st.sampled_from(POLICIES))
@settings(max_examples=50, deadline=None)
def test_nothing_that_a_model_says_breaks_a_grounding(
    memory: Memory, said: dict[str, list[str]], policy: str
) -> None:
    parrot = Parrot(said)
    segmenter = make_segmenter(SegmenterConfig(backend="depth"))
    method = VlmGrounder(parrot, parrot, SharedSegmenter(lambda: segmenter))
    router = Router(memory, methods={"vlm_grounder": method}, falls_back=False)
    query = Query("the chairs", policy=policy)  # type: ignore[arg-type]
    found = router.ground(query, "vlm_grounder", Asking(Allowance(60.0)))
    assert parrot.calls <= most_calls(VlmGrounderConfig(), wants_all=True)
    assert found.reasoning.isprintable()
    if found.failure is None:
        assert {thing.object_id for thing in found.objects} <= {MEASURED, 1, 2, 3, 4}
        assert all(0.0 < sure <= 1.0 for sure in found.confidences)
        assert found.key_frames
        assert found.pictures
    else:
        assert found.failure.code in ("model_failed", "not_found")
        assert not found.objects
        assert found.failure.text.isprintable()


def pointing_at_a_chair(memory: Memory, config: SegmenterConfig) -> Router:
    said = {
        "AnalysisForm": {
            "target_class": "chair",
            "attributes": [],
            "conditions": [],
            "wants_all": False,
            "labels": [],
        },
        "ImageChoice": {
            "reasoning": "there",
            "target_image_id": "00001",
            "target_place": [],
            "reference_image_ids": [],
        },
        "ObjectChoice": {"reasoning": "this", "object_id": 0, "box": []},
    }
    parrot = Parrot({name: [json.dumps(form)] for name, form in said.items()})
    method = VlmGrounder(parrot, parrot, SharedSegmenter(lambda: make_segmenter(config)))
    return Router(memory, methods={"vlm_grounder": method})


@pytest.mark.parametrize("question", ["where is a chair?", "the chair"])
def test_a_question_is_answered_by_the_thing_that_it_means(memory: Memory, question: str) -> None:
    router = pointing_at_a_chair(memory, SegmenterConfig(backend="depth"))
    answer = router.ask(Query(question), "vlm_grounder")
    assert answer.failure is None
    assert answer.text.startswith("Not for sure: that is ")
    assert "chair" in answer.text
    assert answer.key_frames
    assert answer.steps


def test_a_segmenter_that_cannot_be_had_leaves_the_box_of_the_map(memory: Memory) -> None:
    router = pointing_at_a_chair(memory, SegmenterConfig(weights="absent.onnx"))
    found = router.ground(Query("the chair"), "vlm_grounder")
    assert [thing.object_id > MEASURED for thing in found.objects] == [True]
    assert "the segmenter failed on an image: " in found.steps[-1]
    assert "absent" in found.steps[-1]
