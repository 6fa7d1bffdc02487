"""Methods for one question: how long they may be learned, and what their lack costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scenemind.config import LearnedMethodsConfig
from scenemind.models import Allowance, ModelError
from scenemind.reasoning.learned_methods import Learner, MethodLibrary, Offer, offer_for
from scenemind.reasoning.learned_methods.library import LearnedMethod
from scenemind.reasoning.learned_methods.method_api import Signature
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.picture_methods import picture_methods
from tests.chat_server import ChatServer, Step, fail, say, stay_silent
from tests.unit.reasoning.learned_methods.talk import Author, designs, method
from tests.unit.reasoning.memtree_qa.talk import chat_with

LEFT = method("_left_of", "bool", image="Image", box="Box")
LEFT_CODE = "def _left_of(image, box):\n    return box[0] < image.width / 2"


@contextmanager
def learner(sandbox: Sandbox, says: Step, path: Path | None = None) -> Iterator[Learner]:
    config, api = LearnedMethodsConfig(), picture_methods()
    with chat_with(ChatServer(says)) as chat:
        yield Learner(chat, sandbox, api, MethodLibrary(path, api.name, config.kept), config)


def test_learned_methods_are_offered(sandbox: Sandbox) -> None:
    author = Author(designs(LEFT), {"_left_of": LEFT_CODE})
    with learner(sandbox, author.step) as learning:
        assert offer_for("q?", learning, False, Asking()) == Offer()
        offer = offer_for("q?", learning, True, Asking())
    assert "def _left_of(image, box):" in offer.source


def test_a_slow_model_leaves_half_of_the_time_for_the_answer(sandbox: Sandbox) -> None:
    asking = Asking(Allowance(1.0))
    with learner(sandbox, stay_silent) as learning:
        assert offer_for("q?", learning, True, asking) == Offer()
    assert asking.progress.steps == ["the time for new methods is over"]
    asking.allowance.check()  # there is time left


@pytest.mark.parametrize(
    ("says", "kind"), [(fail(401, "who?"), "rejected"), (say("{}"), "cancelled")]
)
def test_errors_that_end_the_question_are_raised(sandbox: Sandbox, says: Step, kind: str) -> None:
    asking = Asking(Allowance(20.0))
    if kind == "cancelled":
        asking.allowance.cancel()
    with learner(sandbox, says) as learning, pytest.raises(ModelError) as error:
        offer_for("q?", learning, True, asking)
    assert error.value.kind == kind


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def _left_of(image, box):\n    yield box", "do not run"),
        # These are too deep for the interpreter.
        (f"def _left_of(image, box):\n    return {' + '.join(['box[0]'] * 197)}", "left out"),
        (f"def _left_of(image, box):\n    return str(1){'.strip()' * 400}", "left out"),
        ("def _left_of(image, box):\n    return (", "left out"),
    ],
)
def test_methods_that_the_sandbox_refuses_do_not_end_a_question(
    sandbox: Sandbox, source: str, says: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An older version may have stored such methods."""
    path = tmp_path / "methods.sqlite"
    signature = Signature.model_validate(LEFT)
    MethodLibrary(path, "picture", 10).add([LearnedMethod(signature, source, (), "one")])
    asking = Asking()
    with learner(sandbox, say(designs()), path) as learning:
        assert offer_for("q?", learning, False, asking) == Offer()
    assert says in "".join((*asking.progress.steps, caplog.text))


def test_unusable_library_does_not_end_a_question(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "methods.sqlite"
    path.write_bytes(b"no database" * 100)
    asking = Asking()
    with learner(sandbox, say(designs()), path) as learning:
        assert offer_for("q?", learning, True, asking) == Offer()
    assert asking.progress.steps[-1].startswith("no learned methods: ")
