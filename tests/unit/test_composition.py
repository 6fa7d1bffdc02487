"""Detectors, memories, methods and selectors of a configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from scenemind.composition import Reasoner, user_name
from scenemind.config import (
    ConfigError,
    DetectorConfig,
    LearnedMethodsConfig,
    MemTreeConfig,
    ModelsConfig,
    SceneMindConfig,
    VlmGrounderConfig,
)
from scenemind.config.reasoning import SelectorName
from scenemind.memory import Memory
from scenemind.models import open_models
from scenemind.reasoning import Query, ReasoningError, Router
from scenemind.reasoning.symbolic import scene
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.chair_row import form_of, honest, make_memory, settings
from tests.unit.reasoning.learned_methods.talk import Author, designs, method

NOWHERE = "http://127.0.0.1:9/v1"  # nobody is asked


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


def reasoner_of(endpoint: str, **sections: Any) -> Reasoner:
    return Reasoner(SceneMindConfig(models=settings(endpoint), **sections))


@pytest.mark.parametrize("role", ["language", "vision"])
def test_one_model_is_enough_whichever_role_names_it(role: str) -> None:
    models = ModelsConfig.model_validate({role: {"model": "any", "endpoint": NOWHERE}})
    with Reasoner(SceneMindConfig(models=models)) as reasoner:
        names = ("memtree", "vlm_grounder", "synergai", "llm_tpc", "vadar", "ensemble")
        assert {name: m.name for name, m in reasoner.methods.items()} == {n: n for n in names}
        for name in get_args(SelectorName):
            assert reasoner.selector(name).name == name
            assert reasoner.selector(name) is reasoner.selector(name)  # it knows frames by now


@pytest.mark.parametrize("reads", [True, False])
def test_a_language_model_reads_sentences_unless_that_is_off(memory: Memory, reads: bool) -> None:
    with (
        ChatServer(say(json.dumps({"question": "how many chairs are there?"}))) as server,
        Reasoner(
            SceneMindConfig(models=settings(server.endpoint, reads_sentences=reads))
        ) as reasoner,
    ):
        said = Query("to what figure doth the company of chairs run")
        answer = reasoner.router(memory).ask(said, "symbolic")
    assert (answer.failure is None) == reads
    assert len(server.requests) == reads


def test_a_question_is_answered_by_a_program(memory: Memory) -> None:
    looked_up = (
        "Thought: I count\nAction: Program\nAction Input:\n```python\nprint(len(scene()))\n```"
    )
    summed_up = "Thought: four\nAction: Final Answer\nAction Input: four\nObjects: 1, 2, 3, 4"
    with (
        ChatServer(say(looked_up), say(summed_up)) as server,
        reasoner_of(server.endpoint) as reasoner,
    ):
        answer = reasoner.router(memory).ask(Query("how many chairs?"), "llm_tpc")
    assert (answer.brief, answer.method, answer.failure) == ("four", "llm_tpc", None)
    assert [thing.object_id for thing in answer.objects] == [1, 2, 3, 4]
    assert "observation: 4" in answer.steps
    assert answer.key_frames
    assert answer.usage.calls == 2


def test_a_phrase_is_grounded_by_looking(memory: Memory) -> None:
    """With what is configured: no segmenting model, and word vectors that nobody needs here."""
    facts = {"attributes": [], "conditions": [], "labels": []}
    wanted = {"target_class": "chair", "wants_all": False, **facts}
    pointed = {"target_image_id": "00001", "target_place": [], "reference_image_ids": []}
    pointed["reasoning"] = "there"
    config = VlmGrounderConfig.from_nested(
        {"text_encoder": "clip_vit_b32", "segmenter": {"backend": "depth"}}
    )
    with (
        ChatServer(
            say(json.dumps(wanted)),
            say(json.dumps(pointed)),
            say(json.dumps({"reasoning": "it", "object_id": 0, "box": []})),
        ) as server,
        reasoner_of(server.endpoint, vlm_grounder=config) as reasoner,
    ):
        found = reasoner.router(memory).ground(Query("the chair"), "vlm_grounder")
    assert (found.method, found.failure) == ("vlm_grounder", None)
    assert {thing.label for thing in found.objects} == {"chair"}
    assert found.usage.calls == len(server.requests) <= 3


def test_a_layouts_file_that_cannot_be_used_is_an_error_at_the_start(tmp_path: Path) -> None:
    """And not of the first query, after what that has cost by then."""
    config = VlmGrounderConfig(layouts_file=str(tmp_path / "absent.json"))
    with (
        reasoner_of(NOWHERE, vlm_grounder=config) as reasoner,
        pytest.raises(ConfigError, match=r"absent\.json"),
    ):
        reasoner.router(None)  # type: ignore[arg-type]  # which no memory is needed for


def test_a_sandbox_that_cannot_run_is_a_failure_of_the_method(
    memory: Memory, tmp_path: Path
) -> None:
    looked_up = "Thought: I count\nAction: Program\nAction Input:\n```python\nprint(1)\n```"
    with (
        ChatServer(say(looked_up)) as server,
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
    ):
        with Reasoner(SceneMindConfig(), models) as reasoner:
            router = reasoner.router(memory)
            strict_router = reasoner.router(memory, falls_back=False)
        question = Query("how many chairs are there?")
        answer = router.ask(question, "llm_tpc")
        alone = strict_router.ask(question, "llm_tpc")
    assert answer.method == "symbolic"
    assert answer.fallback.startswith("llm_tpc failed: the sandbox is closed")
    assert alone.failure is not None
    assert alone.failure.code == "method_unavailable"


def test_a_program_on_a_key_frame_is_a_method_as_well(memory: Memory, tmp_path: Path) -> None:
    config = MemTreeConfig(selector="objects")
    program = "```python\nfinal_result = len(loc(image, 'chair')) > 0\n```"
    design = json.dumps({"think": "all is there", "methods": []})
    with (
        ChatServer(say(design), say(program)) as server,
        reasoner_of(
            server.endpoint,
            memtree=config,
            learned_methods=LearnedMethodsConfig(library=str(tmp_path / "learned.sqlite")),
        ) as reasoner,
    ):
        answer = reasoner.router(memory).ask(Query("is there a chair?"), "vadar")
    assert (answer.brief, answer.method, answer.failure) == ("yes", "vadar", None)
    assert not (tmp_path / "learned.sqlite").exists()  # nothing was learned
    assert len(answer.key_frames) == 1
    assert {thing.label for thing in answer.objects} == {"chair"}


def test_methods_close_what_they_have_opened(memory: Memory, tmp_path: Path) -> None:
    author = Author(
        designs(method("_kinds", "int", image="Image", kind="str")),
        {"_kinds": "def _kinds(image, kind):\n    return len(loc(image, kind))"},
        ["final_result = _kinds(image, 'chair') > 0"],
    )
    folder = tmp_path / "learned"
    with (
        ChatServer(author.step) as server,
        reasoner_of(
            server.endpoint,
            memtree=MemTreeConfig(selector="objects"),
            learned_methods=LearnedMethodsConfig(library=str(folder / "methods.sqlite")),
        ) as reasoner,
    ):
        answer = reasoner.router(memory).ask(Query("is there a chair?"), "vadar")
    left = [path.name for path in folder.iterdir()]
    assert answer.brief == "yes"
    assert left == ["methods.sqlite"]


def test_programs_do_without_a_library_that_cannot_be_used(memory: Memory, tmp_path: Path) -> None:
    broken = tmp_path / "learned.sqlite"
    broken.write_text("not a database" * 100)
    config = MemTreeConfig(selector="objects")
    program = "```python\nfinal_result = len(loc(image, 'chair')) > 0\n```"
    with (
        ChatServer(say(program)) as server,
        reasoner_of(
            server.endpoint,
            memtree=config,
            learned_methods=LearnedMethodsConfig(library=str(broken)),
        ) as reasoner,
    ):
        answer = reasoner.router(memory).ask(Query("is there a chair?"), "vadar")
    assert (answer.brief, answer.failure) == ("yes", None)
    assert any("learned.sqlite cannot be used" in step for step in answer.steps)


@pytest.mark.parametrize("name", ["llm_tpc", "vadar", "ensemble"])
def test_a_method_that_needs_a_model_says_so(name: str, memory: Memory) -> None:
    failure = Router(memory).ask(Query("what is odd here?"), name).failure
    assert failure is not None
    assert failure.code == "method_unavailable"
    assert "models.language.model" in failure.text


def test_without_a_model_there_are_the_grammar_and_selectors_without_models(
    memory: Memory,
) -> None:
    with Reasoner(SceneMindConfig()) as reasoner:
        for name in ("objects", "uniform", "retrieval"):
            assert reasoner.selector(name).name == name
        for name in ("tree", "detector"):
            with pytest.raises(ReasoningError, match=r"models\.language\.model") as error:
                reasoner.selector(name)
            assert error.value.failure.code == "method_unavailable"
        assert reasoner.methods == {}
        failure = reasoner.router(memory).ask(Query("what is odd here?"), "memtree").failure
    assert failure is not None
    assert failure.code == "method_unavailable"
    assert "models.vision.model" in failure.text


def test_questions_about_an_unchanged_map_share_what_was_made_of_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    class Counted(scene.Scene):
        def __init__(self, *args: Any) -> None:
            made.append(self)
            super().__init__(*args)

    monkeypatch.setattr(scene, "Scene", Counted)
    with Reasoner(SceneMindConfig()) as reasoner:
        for question in ("how many chairs are there?", "is there a chair?"):
            assert reasoner.router(memory).ask(Query(question)).failure is None
        assert len(made) == 1
        reasoner.router(memory).align(Query("object 1 is a stool"), "Anna")
        assert "stool" in reasoner.router(memory).ask(Query("what is object 1?")).text
        assert len(made) == 2


def test_a_selector_that_does_not_exist_is_an_error_that_names_those_that_do() -> None:
    with Reasoner(SceneMindConfig()) as reasoner:
        with pytest.raises(ReasoningError, match="use one of tree, objects, uniform") as error:
            reasoner.selector("best")
        assert error.value.failure.code == "invalid_request"


def answered_by(config: MemTreeConfig, memory: Memory, question: str) -> list[str]:
    """The steps of an answer of a model that does as it is told."""

    def reply(request: Request) -> str:
        if form_of(request) == "TargetClasses":
            return json.dumps({"think": "children like chairs", "classes": ["chair"]})
        return honest(request)

    # Only simulations have its names.
    no_camera = DetectorConfig(backend="instance_camera")
    with (
        ChatServer(say(reply)) as server,
        reasoner_of(server.endpoint, memtree=config, detector=no_camera) as reasoner,
    ):
        answer = reasoner.router(memory).ask(Query(question), "memtree")
    assert answer.failure is None
    return [answer.method, answer.fallback, *answer.steps]


@pytest.mark.parametrize("name", ["tree", "objects", "uniform"])
@pytest.mark.parametrize("frames", [1, 3])
def test_the_configured_selector_chooses_so_many_frames(
    name: SelectorName, frames: int, memory: Memory
) -> None:
    config = MemTreeConfig(selector=name, frames=frames)
    told = answered_by(config, memory, "is a chair good for a child?")
    assert told[:2] == ["memtree", ""]
    why = ": chairs are everywhere" if name == "tree" else ""
    assert told[2] == f"{name} chose the frames{why}"
    assert any(f"looked at {frames} of them" in step for step in told)


def test_a_detector_that_cannot_be_had_is_a_failure_of_the_method(memory: Memory) -> None:
    config = MemTreeConfig(selector="detector")
    method, fallback, *_ = answered_by(config, memory, "how many chairs are there?")
    assert method == "symbolic"
    assert fallback.startswith("memtree failed: detector.backend is instance_camera")


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has no entry, as in a container that is run with `--user 54321`."""
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    assert user_name() == "user 54321"
    monkeypatch.setenv("USER", "anna")
    assert user_name() == "anna"
