"""Methods and selectors of what is configured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from scenemind.config import (
    ConfigError,
    DetectorConfig,
    LearnedMethodsConfig,
    MemTreeConfig,
    ModelsConfig,
    VlmGrounderConfig,
)
from scenemind.config.memtree import SelectorName
from scenemind.memory import Memory
from scenemind.models import Models, open_models
from scenemind.reasoning import (
    Asking,
    Query,
    ReasoningError,
    Router,
    open_methods,
    open_selector,
)
from scenemind.reasoning.detecting import open_detector
from scenemind.reasoning.memtree_qa.selectors.objects import ObjectSelector
from scenemind.reasoning.open_methods import close_methods
from scenemind.reasoning.sandbox import Sandbox
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, say

from .chair_row import form_of, honest, make_memory, settings
from .learned_methods.talk import Author, designs, method

NOWHERE = "http://127.0.0.1:9/v1"  # nobody is asked


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with make_memory(tmp_path_factory.mktemp("memory") / "row") as memory:
        yield memory


def models_of(folder: Path, **roles: Any) -> Models:
    return open_models(ModelsConfig.model_validate(roles), folder / "ledger.sqlite")


@pytest.mark.parametrize("role", ["language", "vision"])
def test_one_model_is_enough_whichever_role_names_it(role: str, tmp_path: Path) -> None:
    with models_of(tmp_path, **{role: {"model": "any", "endpoint": NOWHERE}}) as models:
        assert set(open_methods(models, MemTreeConfig())) == {"memtree", "vlm_grounder", "synergai"}
        for name in get_args(SelectorName):
            assert open_selector(name, models, MemTreeConfig()).name == name


def test_with_a_sandbox_there_are_methods_that_write_programs(tmp_path: Path) -> None:
    with models_of(tmp_path, language={"model": "any", "endpoint": NOWHERE}) as models:
        with Sandbox() as sandbox:
            methods = open_methods(models, MemTreeConfig(), sandbox=sandbox)
        assert {name: method.name for name, method in methods.items()} == {
            name: name
            for name in ("memtree", "vlm_grounder", "synergai", "llm_tpc", "vadar", "ensemble")
        }
    with models_of(tmp_path) as models, Sandbox() as sandbox:
        assert open_methods(models, MemTreeConfig(), sandbox=sandbox) == {}


def test_a_question_is_answered_by_a_program(memory: Memory, tmp_path: Path) -> None:
    looked_up = (
        "Thought: I count\nAction: Program\nAction Input:\n```python\nprint(len(scene()))\n```"
    )
    summed_up = "Thought: four\nAction: Final Answer\nAction Input: four\nObjects: 1, 2, 3, 4"
    with (
        ChatServer(say(looked_up), say(summed_up)) as server,
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
        Sandbox() as sandbox,
    ):
        methods = open_methods(models, MemTreeConfig(), sandbox=sandbox)
        answer = Router(memory, methods=methods).ask(Query("how many chairs?"), "llm_tpc")
    assert (answer.brief, answer.method, answer.failure) == ("four", "llm_tpc", None)
    assert [thing.object_id for thing in answer.objects] == [1, 2, 3, 4]
    assert "observation: 4" in answer.steps
    assert answer.key_frames
    assert answer.usage.calls == 2


def test_a_phrase_is_grounded_by_looking(memory: Memory, tmp_path: Path) -> None:
    """With what is configured: no segmenting model, and word vectors that nobody needs here."""
    wanted = {"target_class": "chair", "attributes": [], "conditions": [], "wants_all": False}
    pointed = {"reasoning": "there", "target_image_id": "00001", "reference_image_ids": []}
    config = VlmGrounderConfig.from_nested(
        {"text_encoder": "clip_vit_b32", "segmenter": {"backend": "depth"}}
    )
    with (
        ChatServer(
            say(json.dumps(wanted)),
            say(json.dumps(pointed)),
            say(json.dumps({"reasoning": "it", "object_id": 0})),
        ) as server,
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
    ):
        methods = open_methods(models, MemTreeConfig(), vlm_grounder=config)
        found = Router(memory, methods=methods).ground(Query("the chair"), "vlm_grounder")
    assert (found.method, found.failure) == ("vlm_grounder", None)
    assert {thing.label for thing in found.objects} == {"chair"}
    assert found.usage.calls == len(server.requests) <= 3


def test_a_layouts_file_that_cannot_be_used_is_an_error_at_the_start(tmp_path: Path) -> None:
    """And not of the first query, after what that has cost by then."""
    config = VlmGrounderConfig(layouts_file=str(tmp_path / "absent.json"))
    with (
        open_models(settings(NOWHERE), tmp_path / "ledger.sqlite") as models,
        pytest.raises(ConfigError, match=r"absent\.json"),
    ):
        open_methods(models, MemTreeConfig(), vlm_grounder=config)


def test_a_sandbox_that_cannot_run_is_a_failure_of_the_method(
    memory: Memory, tmp_path: Path
) -> None:
    looked_up = "Thought: I count\nAction: Program\nAction Input:\n```python\nprint(1)\n```"
    with (
        ChatServer(say(looked_up)) as server,
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
        Sandbox() as sandbox,
    ):
        sandbox.close()
        methods = open_methods(models, MemTreeConfig(), sandbox=sandbox)
        question = Query("how many chairs are there?")
        answer = Router(memory, methods=methods).ask(question, "llm_tpc")
        alone = Router(memory, methods=methods, falls_back=False).ask(question, "llm_tpc")
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
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
        Sandbox() as sandbox,
    ):
        learned = LearnedMethodsConfig(library=str(tmp_path / "learned.sqlite"))
        methods = open_methods(models, config, sandbox=sandbox, learned_methods=learned)
        answer = Router(memory, methods=methods).ask(Query("is there a chair?"), "vadar")
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
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
        Sandbox() as sandbox,
    ):
        config = MemTreeConfig(selector="objects")
        learned = LearnedMethodsConfig(library=str(folder / "methods.sqlite"))
        methods = open_methods(models, config, sandbox=sandbox, learned_methods=learned)
        answer = Router(memory, methods=methods).ask(Query("is there a chair?"), "vadar")
        close_methods(methods)
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
        open_models(settings(server.endpoint), tmp_path / "ledger.sqlite") as models,
        Sandbox() as sandbox,
    ):
        learned = LearnedMethodsConfig(library=str(broken))
        methods = open_methods(models, config, sandbox=sandbox, learned_methods=learned)
        answer = Router(memory, methods=methods).ask(Query("is there a chair?"), "vadar")
    assert (answer.brief, answer.failure) == ("yes", None)
    assert any("learned.sqlite cannot be used" in step for step in answer.steps)


@pytest.mark.parametrize("name", ["llm_tpc", "vadar", "ensemble"])
def test_a_method_that_needs_a_model_says_so(name: str, memory: Memory) -> None:
    failure = Router(memory).ask(Query("what is odd here?"), name).failure
    assert failure is not None
    assert failure.code == "method_unavailable"
    assert "models.language.model" in failure.text


def test_a_selector_that_is_open_already_is_asked(memory: Memory, tmp_path: Path) -> None:
    with models_of(tmp_path, language={"model": "any", "endpoint": NOWHERE}) as models:
        method = open_methods(models, MemTreeConfig(), selector=ObjectSelector())["memtree"]
        with pytest.raises(ReasoningError, match="names no object of the map"):
            method.ask(Query("xyz?"), memory, Asking())


def test_without_a_model_there_is_the_grammar_and_what_chooses_frames_by_itself(
    memory: Memory, tmp_path: Path
) -> None:
    with models_of(tmp_path) as models:
        methods = open_methods(models, MemTreeConfig())
        for name in ("objects", "uniform", "retrieval"):
            assert open_selector(name, models, MemTreeConfig()).name == name
        for name in ("tree", "detector"):
            with pytest.raises(ReasoningError, match=r"models\.language\.model") as error:
                open_selector(name, models, MemTreeConfig())
            assert error.value.failure.code == "method_unavailable"
    assert methods == {}
    failure = Router(memory, methods=methods).ask(Query("what is odd here?"), "memtree").failure
    assert failure is not None
    assert failure.code == "method_unavailable"
    assert "models.vision.model" in failure.text


def answered_by(config: MemTreeConfig, memory: Memory, folder: Path, question: str) -> list[str]:
    """The steps of an answer of a model that does as it is told."""

    def reply(request: Request) -> str:
        if form_of(request) == "TargetClasses":
            return json.dumps({"think": "children like chairs", "classes": ["chair"]})
        return honest(request)

    # Only simulations have its names.
    no_camera = open_detector(DetectorConfig(backend="instance_camera"))
    with (
        ChatServer(say(reply)) as server,
        open_models(settings(server.endpoint), folder / "ledger.sqlite") as models,
    ):
        methods = open_methods(models, config, no_camera)
        answer = Router(memory, methods=methods).ask(Query(question), "memtree")
    assert answer.failure is None
    return [answer.method, answer.fallback, *answer.steps]


@pytest.mark.parametrize("name", ["tree", "objects", "uniform"])
@pytest.mark.parametrize("frames", [1, 3])
def test_the_configured_selector_chooses_so_many_frames(
    name: SelectorName, frames: int, memory: Memory, tmp_path: Path
) -> None:
    config = MemTreeConfig(selector=name, frames=frames)
    told = answered_by(config, memory, tmp_path, "is a chair good for a child?")
    assert told[:2] == ["memtree", ""]
    why = ": chairs are everywhere" if name == "tree" else ""
    assert told[2] == f"{name} chose the frames{why}"
    assert any(f"looked at {frames} of them" in step for step in told)


def test_a_detector_that_cannot_be_had_is_a_failure_of_the_method(
    memory: Memory, tmp_path: Path
) -> None:
    config = MemTreeConfig(selector="detector")
    method, fallback, *_ = answered_by(config, memory, tmp_path, "how many chairs are there?")
    assert method == "symbolic"
    assert fallback.startswith("memtree failed: detector.backend is instance_camera")
