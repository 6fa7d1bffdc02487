"""Whole questions on an API that grows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from scenemind.config import LearnedMethodsConfig, VadarConfig
from scenemind.models import Allowance, ChatModel, ModelError
from scenemind.reasoning import Query
from scenemind.reasoning.learned_methods import Learner, Lesson, MethodLibrary
from scenemind.reasoning.memtree_qa.baseline_selectors import ObjectSelector
from scenemind.reasoning.method import Asking, MethodReply
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar import Vadar
from scenemind.reasoning.vadar.picture_methods import picture_methods
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.learned_methods.talk import Author, designs, method
from tests.unit.reasoning.memtree_qa.talk import chat_with
from tests.unit.reasoning.vadar.room import photographed_room

FARTHEST = method("_farthest", "Box", image="Image", kind="str")
FARTHEST_CODE = """def _farthest(image, kind):
    boxes = loc(image, kind)
    return max(boxes, key=lambda box: depth(image, box)) if boxes else None"""
QUESTION = Query("Which cup is the farthest?")
PROGRAM = "final_result = _farthest(image, 'cup')"


def learner_of(chat: ChatModel, sandbox: Sandbox, library: MethodLibrary) -> Learner:
    return Learner(chat, sandbox, picture_methods(), library, LearnedMethodsConfig())


def asked(
    sandbox: Sandbox, library: MethodLibrary | None, author: Author, **settings: object
) -> tuple[MethodReply, list[Request]]:
    config = VadarConfig.model_validate(settings)
    server = ChatServer(author.step)
    with chat_with(server) as chat:
        learner = None if library is None else learner_of(chat, sandbox, library)
        vadar = Vadar(chat, chat, ObjectSelector(), sandbox, config=config, learner=learner)
        return vadar.ask(QUESTION, photographed_room(), Asking(Allowance(20.0))), server.requests


def test_a_question_is_answered_by_a_method_that_was_written_for_it(sandbox: Sandbox) -> None:
    author = Author(designs(FARTHEST), {"_farthest": FARTHEST_CODE}, [PROGRAM])
    reply, requests = asked(sandbox, None, author)
    assert reply.text == "cup 10"
    assert len(requests) == 3
    assert "def _farthest(image: Image, kind: str) -> Box:" in requests[2].text
    assert f"method:\n{FARTHEST_CODE}" in reply.steps
    assert "_farthest works on made-up data" in reply.steps


def test_later_questions_use_methods_of_earlier_ones(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "methods.sqlite"
    first = Author(designs(FARTHEST), {"_farthest": FARTHEST_CODE}, [PROGRAM])
    asked(sandbox, MethodLibrary(path, "picture", 10), first)
    library = MethodLibrary(path, "picture", 10)
    reply, requests = asked(sandbox, library, Author(programs=[PROGRAM]), learns=False)
    assert reply.text == "cup 10"
    assert len(requests) == 1
    known = library.methods()["_farthest"]
    assert (known.uses, known.successes, known.version) == (2, 2, 1)
    reply, requests = asked(sandbox, library, Author(programs=[PROGRAM]))
    assert len(requests) == 2  # the design, which finds nothing missing, and the program
    assert "def _farthest" in requests[0].text


def test_an_existing_method_is_not_designed_again(sandbox: Sandbox) -> None:
    library = MethodLibrary(None, "picture", 10)
    methods = {"_farthest": FARTHEST_CODE}
    asked(sandbox, library, Author(designs(FARTHEST), methods, [PROGRAM]))
    reply, requests = asked(sandbox, library, Author(designs(FARTHEST), methods, [PROGRAM]))
    assert len(requests) == 2
    assert "1 learned methods, none new" in reply.steps


def test_a_batch_is_designed_for_at_once(sandbox: Sandbox) -> None:
    author = Author(designs(FARTHEST), {"_farthest": FARTHEST_CODE})
    server = ChatServer(author.step)
    with chat_with(server) as chat:
        library = MethodLibrary(None, "picture", 10)
        questions = [f"Which thing is number {n}?" for n in range(10)]
        learner = learner_of(chat, sandbox, library)
        lesson = learner.learn(questions, Asking(Allowance(20.0)))
    assert lesson == Lesson(("_farthest",))
    assert len(server.requests) == 2
    assert all(question in server.requests[0].text for question in questions)
    assert list(library.methods()) == ["_farthest"]


@pytest.mark.parametrize(
    ("design", "told"),
    [
        ("no JSON", "of little use"),
        (designs(method("_loc", image="Image")), "the name is taken"),
        (designs(method("farthest", image="Image")), "a name is an underscore"),
        (designs(method("_x", image="Image"), method("_x", image="Image")), "one name"),
        (designs(*(method(f"_x{i}", image="Image") for i in range(9))), "3 are the most"),
    ],
)
def test_a_poor_design_does_not_stop_the_question(sandbox: Sandbox, design: str, told: str) -> None:
    one = "def {}(image):\n    return 'x'"
    methods = {name: one.format(name) for name in ("_x", *(f"_x{i}" for i in range(3)))}
    author = Author(design, methods, ["final_result = loc(image, 'cup')[0]"])
    reply, requests = asked(sandbox, None, author)
    assert reply.text.startswith("cup ")
    assert any(told in step for step in reply.steps)
    assert len(requests) <= 2 + 3 + 1


def test_a_method_that_cannot_be_written_does_not_stop_the_question(sandbox: Sandbox) -> None:
    author = Author(
        designs(FARTHEST),
        {"_farthest": ["def _farthest(image, kind): return 1"] * 9},
        ["final_result = len(loc(image, 'cup'))"],
    )
    reply, requests = asked(sandbox, None, author)
    assert reply.text == "2"
    assert len(requests) == 1 + 6 + 1
    assert "def _farthest" not in requests[-1].text


def test_methods_that_fail_on_real_pictures_are_forgotten(sandbox: Sandbox) -> None:
    """They work on made-up ones, where everything is found."""
    library = MethodLibrary(None, "picture", 10)
    careless = "def _farthest(image, kind):\n    return loc(image, 'a unicorn')[0]"
    author = Author(
        designs(FARTHEST), {"_farthest": careless}, [PROGRAM] * 5 + ["final_result = 1"]
    )
    reply, _ = asked(sandbox, library, author)
    assert reply.text == "1"
    assert library.methods() == {}


def test_several_may_ask_at_once(sandbox: Sandbox, tmp_path: Path) -> None:
    """All design the same method; one of them is kept, and everybody has an answer."""
    library, together = MethodLibrary(tmp_path / "methods.sqlite", "picture", 10), Barrier(4)

    def ask(_: int) -> str:
        together.wait(5.0)
        author = Author(designs(FARTHEST), {"_farthest": FARTHEST_CODE}, [PROGRAM])
        return asked(sandbox, library, author)[0].text

    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(ask, range(4)))
    assert texts == ["cup 10"] * 4
    known = library.methods()["_farthest"]
    assert (known.version, known.uses, known.successes) == (1, 4, 4)


def test_cancelling_during_a_look_ends_it_at_once(sandbox: Sandbox) -> None:
    allowance = Allowance(20.0)

    def cancel(_: Request) -> str:
        allowance.cancel()
        return "too late"

    author = Author(programs=["final_result = vqa(image, 'what is it?')"], looks=say(cancel))
    with chat_with(ChatServer(author.step)) as chat:
        vadar = Vadar(chat, chat, ObjectSelector(), sandbox, config=VadarConfig(learns=False))
        with pytest.raises(ModelError) as error:
            vadar.ask(QUESTION, photographed_room(), Asking(allowance))
    assert error.value.kind == "cancelled"
