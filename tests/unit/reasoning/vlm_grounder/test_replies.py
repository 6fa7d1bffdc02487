"""Whatever a model says, what comes back is a grounding with evidence or a failure, after a bounded
number of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import SegmenterConfig, VlmGrounderConfig
from scenemind.memory import Memory
from scenemind.models import Allowance
from scenemind.perception.backends import make_segmenter
from scenemind.reasoning import POLICIES, Asking, Query, Router
from scenemind.reasoning.types import MEASURED
from scenemind.reasoning.vlm_grounder import VlmGrounder
from scenemind.reasoning.vlm_grounder.shared_segmenter import SharedSegmenter
from scenemind.reasoning.vlm_grounder.tries import most_calls
from tests.unit.reasoning.chair_row import make_memory

from .parrot import Parrot

ids = st.integers(-2, 12) | st.integers() | st.sampled_from(["00001", "", "the left", "-1"])
ids = ids | st.text(max_size=8)
lists = st.lists(ids, max_size=4)
texts = st.text(max_size=30)
facts = st.lists(texts, max_size=3)
classes = st.sampled_from(["chair", "chairs", "unknown", "settle", ""]) | texts
forms = {
    "AnalysisForm": st.fixed_dictionaries(
        {
            "target_class": classes,
            "attributes": facts,
            "conditions": facts,
            "wants_all": st.booleans(),
        }
    ),
    "LabelChoice": st.fixed_dictionaries({"labels": facts | st.just(["chair"])}),
    "ImageChoice": st.fixed_dictionaries(
        {"reasoning": texts, "target_image_id": ids, "reference_image_ids": lists}
    ),
    "ImagesChoice": st.fixed_dictionaries(
        {"reasoning": texts, "target_image_ids": lists, "reference_image_ids": lists}
    ),
    "ObjectChoice": st.fixed_dictionaries({"reasoning": texts, "object_id": ids}),
    "ObjectsChoice": st.fixed_dictionaries({"reasoning": texts, "object_ids": lists}),
}
replies = {
    name: st.lists(form.map(json.dumps) | st.text(max_size=20), min_size=1, max_size=4)
    for name, form in forms.items()
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


@given(said=st.fixed_dictionaries(replies), policy=st.sampled_from(POLICIES))
@settings(max_examples=80, deadline=None)
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
        },
        "ImageChoice": {
            "reasoning": "there",
            "target_image_id": "00001",
            "reference_image_ids": [],
        },
        "ObjectChoice": {"reasoning": "this", "object_id": 0},
    }
    parrot = Parrot({name: [json.dumps(form)] for name, form in said.items()})
    method = VlmGrounder(parrot, parrot, SharedSegmenter(lambda: make_segmenter(config)))
    return Router(memory, methods={"vlm_grounder": method})


@pytest.mark.parametrize("question", ["where is a chair?", "the chair"])
def test_a_question_is_answered_by_the_thing_that_it_means(memory: Memory, question: str) -> None:
    router = pointing_at_a_chair(memory, SegmenterConfig(backend="depth"))
    answer = router.ask(Query(question), "vlm_grounder")
    assert answer.failure is None
    assert answer.text.startswith("That is ")
    assert "chair" in answer.text
    assert answer.key_frames
    assert answer.steps


def test_a_segmenter_that_cannot_be_had_leaves_the_box_of_the_map(memory: Memory) -> None:
    router = pointing_at_a_chair(memory, SegmenterConfig(weights="absent.onnx"))
    found = router.ground(Query("the chair"), "vlm_grounder")
    assert [thing.object_id > MEASURED for thing in found.objects] == [True]
    assert "the segmenter failed on an image: " in found.steps[-1]
    assert "absent" in found.steps[-1]
