"""Questions whose programs call what was learned on scenes."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from scenemind.config import LearnedMethodsConfig, LlmTpcConfig
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.models import Allowance, ModelError
from scenemind.reasoning import Query
from scenemind.reasoning.learned_methods import Learner, MethodLibrary
from scenemind.reasoning.learned_methods.library import LearnedMethod
from scenemind.reasoning.learned_methods.method_api import Signature
from scenemind.reasoning.llm_tpc import LlmTpc
from scenemind.reasoning.llm_tpc.scene_methods import scene_methods
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.sandbox import Sandbox
from tests.chat_exchange import Request
from tests.chat_server import ChatServer
from tests.unit.reasoning.learned_methods.talk import Author, designs, method
from tests.unit.reasoning.llm_tpc.talk import final, program
from tests.unit.reasoning.memtree_qa.talk import chat_with
from tests.unit.reasoning.scene import room_memory

MEMORY = ObjectsMemory(room_memory().snapshot())
QUESTION = Query("What is on the table?")
ON = method("_things_on", "Set[ObjectAttribute]", thing="ObjectAttribute")
ON_CODE = "def _things_on(thing):\n    return relate(scene(), thing, 'on')"
USING_IT = program("print(_things_on(filter(scene(), 'table').pop()))")
SAID = (USING_IT, final("a cup and a laptop"))


def asked(
    sandbox: Sandbox,
    library: MethodLibrary,
    author: Author,
    learns: bool = False,
    **learning: int,
) -> tuple[MethodReply, list[Request]]:
    server = ChatServer(author.step)
    with chat_with(server) as chat:
        settings = LearnedMethodsConfig.model_validate(learning)
        learner = Learner(chat, sandbox, scene_methods(), library, settings)
        tpc = LlmTpc(chat, sandbox, LlmTpcConfig(learns=learns), learner=learner)
        return tpc.ask(QUESTION, MEMORY, Asking(Allowance(20.0))), server.requests


def known(
    name: str, source: str = ON_CODE, form: dict[str, object] = ON, **counts: int
) -> LearnedMethod:
    signature = Signature.model_validate({**form, "name": name})
    return LearnedMethod(signature, source.replace("_things_on", name), (), name, **counts)


@pytest.fixture
def library(tmp_path: Path) -> MethodLibrary:
    return MethodLibrary(tmp_path / "methods.sqlite", "scene", 60)


def test_a_question_is_answered_by_a_method_that_was_written_for_it(
    sandbox: Sandbox, library: MethodLibrary
) -> None:
    author = Author(designs(ON), {"_things_on": ON_CODE}, turns=SAID)
    reply, requests = asked(sandbox, library, author, learns=True)
    assert reply.text == "a cup and a laptop"
    assert len(requests) == 2 + 2
    assert "def _things_on(thing: ObjectAttribute) -> Set[ObjectAttribute]:" in requests[2].text
    assert "observation: {<cup 2>, <laptop 3>}" in reply.steps
    assert "_things_on works on made-up data" in reply.steps
    # What the model is told first stays the same, whatever has been learned.
    assert "_things_on" not in requests[2].body["messages"][0]["content"]


def test_known_methods_are_used_without_learning(sandbox: Sandbox, library: MethodLibrary) -> None:
    library.add([known("_things_on")])
    reply, requests = asked(sandbox, library, Author(turns=SAID))
    assert len(requests) == 2
    assert "_things_on" in requests[0].text
    assert "observation: {<cup 2>, <laptop 3>}" in reply.steps
    noted = library.methods()["_things_on"]
    assert (noted.uses, noted.successes) == (1, 1)


def test_prompt_and_library_are_unchanged_without_learning(
    sandbox: Sandbox, library: MethodLibrary
) -> None:
    _, requests = asked(sandbox, library, Author(turns=[program("print(1)"), final("one")]))
    assert requests[0].body["messages"][1]["content"].startswith("I am in a room.")
    assert library.path is not None
    assert not library.path.exists()


def test_methods_on_pictures_are_not_offered(sandbox: Sandbox, library: MethodLibrary) -> None:
    pictures = MethodLibrary(library.path, "picture", 60)
    of_pictures = method("_farthest", "Box", image="Image")
    pictures.add([known("_farthest", "def _farthest(image): pass", of_pictures)])
    wrong = program("print(_farthest(3))")
    reply, requests = asked(sandbox, library, Author(turns=[wrong, final("unclear which")]))
    assert "_farthest" not in requests[0].text
    assert any("name '_farthest' is not defined" in step for step in reply.steps)
    assert pictures.methods()["_farthest"].uses == 0


def test_the_best_are_offered_first_and_no_more_than_so_many(
    sandbox: Sandbox, library: MethodLibrary
) -> None:
    library.add([known(f"_m{i}") for i in range(8)])
    for name, succeeded in (("_m5", True), ("_m5", True), ("_m2", True), ("_m0", False)):
        library.note_use([name], succeeded)
    author = Author(turns=[final("things")])
    _, requests = asked(sandbox, library, author, offered=3)
    told = requests[0].body["messages"][1]["content"]
    names = [line.split("(")[0] for line in told.splitlines() if line.startswith("def ")]
    assert names == ["def _m5", "def _m2", "def _m1"]
    _, requests = asked(sandbox, library, Author(turns=[final("things")]), offered=0)
    assert requests[0].body["messages"][1]["content"].startswith("I am in a room.")


def test_one_that_fails_in_real_scenes_is_retired(sandbox: Sandbox, library: MethodLibrary) -> None:
    """It works in the made-up ones."""
    careless = "def _things_on(thing):\n    return filter(scene(), 'unicorn')"
    library.add([known("_things_on", careless)])
    turns = [USING_IT] * 4 + [final("nothing")]
    reply, requests = asked(sandbox, library, Author(turns=turns))
    assert reply.text == "nothing"
    told = requests[1].body["messages"][-1]["content"]
    assert "line 1, in <module>: print(_things_on(" in told
    assert "category must be one of" in told
    assert library.methods() == {}


def test_a_checker_knows_learned_methods(sandbox: Sandbox, library: MethodLibrary) -> None:
    library.add([known("_things_on")])
    wrong = program("print(scene(1))\nprint(_things_on(thing=scene().pop()))\nprint(scene(2))")
    reply, _ = asked(sandbox, library, Author(turns=[wrong, final("nothing")]))
    (told,) = [step for step in reply.steps if "A checker finds" in step]
    assert told.count("too-many-positional-arguments") == 2
    assert "_things_on" not in told.partition("A checker finds")[2]


@pytest.mark.parametrize("learns", [False, True])
def test_unusable_library_does_not_end_a_question(
    learns: bool, sandbox: Sandbox, library: MethodLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    assert library.path is not None
    library.path.write_bytes(b"no database at all, but text that is long enough" * 50)
    turns = [program("print(_x())"), final("a cup")]
    with caplog.at_level(logging.WARNING, "scenemind.reasoning"):
        reply, _ = asked(sandbox, library, Author(turns=turns), learns)
    assert reply.text == "a cup"
    assert any("learned_methods.library" in step for step in reply.steps)
    assert "cannot use the learned methods" in caplog.text


def test_a_model_that_fails_while_it_learns_fails_the_question(
    sandbox: Sandbox, library: MethodLibrary
) -> None:
    """Methods that were complete by then are kept."""
    allowance = Allowance(20.0)

    def cancel() -> str:
        allowance.cancel()
        return ON_CODE

    count = method("_count_on", "int", thing="ObjectAttribute")
    author = Author(designs(ON, count), {"_things_on": ON_CODE, "_count_on": iter(cancel, "")})
    with chat_with(ChatServer(author.step)) as chat:
        learner = Learner(chat, sandbox, scene_methods(), library, LearnedMethodsConfig())
        tpc = LlmTpc(chat, sandbox, LlmTpcConfig(learns=True), learner=learner)
        with pytest.raises(ModelError) as error:
            tpc.ask(QUESTION, MEMORY, Asking(allowance))
    assert error.value.kind == "cancelled"
    assert list(library.methods()) == ["_things_on"]
