"""Methods are written depth first, tried, corrected, and not written twice."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scenemind.config import LearnedMethodsConfig
from scenemind.models import Allowance, ModelError
from scenemind.reasoning.learned_methods.api_agent import ApiAgent
from scenemind.reasoning.learned_methods.library import LearnedMethod, source_of
from scenemind.reasoning.learned_methods.method_api import Signature
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.picture_methods import picture_methods
from tests.chat_server import FAULTS, ChatServer
from tests.unit.reasoning.learned_methods.talk import Author, method
from tests.unit.reasoning.memtree_qa.talk import chat_with

COLOR = method("_color_of", image="Image", box="Box")
COLOR_CODE = "def _color_of(image, box):\n    return vqa(image, 'what color is it?', box)"
REDS = method("_count_red", "int", image="Image", kind="str")
REDS_CODE = """def _count_red(image, kind):
    return sum(_color_of(image, box) == "red" for box in loc(image, kind))"""
NEARER = method("_is_nearer", "bool", image="Image", a="Box", b="Box")
NEARER_CODE = "def _is_nearer(image, a, b):\n    return depth(image, a) < depth(image, b)"


def written(
    sandbox: Sandbox,
    author: Author,
    *wanted: Mapping[str, object],
    known: Mapping[str, LearnedMethod] | None = None,
    calls: int = 20,
) -> tuple[ApiAgent, list[str]]:
    """The agent when it is done, and its steps."""
    config, asking = LearnedMethodsConfig(calls=calls), Asking(Allowance(30.0))
    with chat_with(ChatServer(author.step)) as chat:
        agent = ApiAgent(chat, sandbox, picture_methods(), known or {}, config, asking)
        agent.implement([Signature.model_validate(signature) for signature in wanted])
    return agent, asking.progress.steps


def test_called_methods_are_written_first(sandbox: Sandbox) -> None:
    author = Author(methods={"_color_of": COLOR_CODE, "_count_red": REDS_CODE})
    agent, _steps = written(sandbox, author, REDS, COLOR)
    assert author.written == ["_count_red", "_color_of"]
    assert list(agent.new) == ["_color_of", "_count_red"]
    assert agent.new["_count_red"].calls == ("_color_of",)
    source = source_of(["_count_red"], agent.new)
    assert source.index("def _color_of") < source.index("def _count_red")


def test_unplanned_method_is_written_to_fit_its_call(sandbox: Sandbox) -> None:
    author = Author(methods={"_color_of": COLOR_CODE, "_count_red": REDS_CODE})
    agent, _steps = written(sandbox, author, REDS)
    known = agent.new["_color_of"].signature
    assert [(p.name, p.type) for p in known.parameters] == [("image", "Image"), ("box", "Box")]
    assert "called as _color_of(image, box)" in known.description


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("def _color_of(image, box):\n    return vqa(image, box)", "question must be a str"),
        ("def _color_of(image, box):\n    return 3", "it must return str, and returned 3"),
        ("def _color_of(image):\n    return 'red'", r"must be _color_of(image, box)"),
        ("def _colour(image, box):\n    return 'red'", r"must be _color_of(image, box)"),
        (f"{COLOR_CODE}\nprint(_color_of(image, [1, 2, 3, 4]))", "and nothing beside it"),
        (f"import os\n{COLOR_CODE}", "os cannot be imported"),
        (COLOR_CODE.replace("box)", "box=loc(image, 'x'))", 1), "no default values"),
        ("def _color_of(image, box):\n    while True: pass", "time limit"),
        ("def _color_of(image, box)", "does not parse"),
        ("", "and nothing beside it"),
    ],
)
def test_failing_method_is_returned_with_its_error(sandbox: Sandbox, wrong: str, told: str) -> None:
    author = Author(methods={"_color_of": [wrong, COLOR_CODE]})
    agent, _steps = written(sandbox, author, COLOR)
    assert told in author.last_told[1]
    assert list(agent.new) == ["_color_of"]


def test_other_values_than_json_are_allowed_where_the_signature_allows_any(
    sandbox: Sandbox,
) -> None:
    anything = method("_what", "Any", image="Image")
    code = "def _what(image):\n    return {(1, 2): {image}, 'x': {1.5, None}}"
    agent, _ = written(sandbox, Author(methods={"_what": code}), anything)
    assert list(agent.new) == ["_what"]


def test_one_that_always_fails_is_left_out_after_six_tries(sandbox: Sandbox) -> None:
    author = Author(
        methods={"_color_of": ["def _color_of(image, box): 1 / 0"] * 9, "_is_nearer": NEARER_CODE}
    )
    agent, steps = written(sandbox, author, COLOR, NEARER)
    assert author.written == ["_color_of"] * 6 + ["_is_nearer"]
    assert list(agent.new) == ["_is_nearer"]
    assert "_color_of is left out" in steps


def test_calls_of_the_model_are_bounded_over_all_methods(sandbox: Sandbox) -> None:
    author = Author(methods={name: ["pass"] * 9 for name in ("_color_of", "_is_nearer")})
    agent, steps = written(sandbox, author, COLOR, NEARER, calls=4)
    assert author.written == ["_color_of"] * 4
    assert agent.new == {}
    assert "the calls for new methods are used up" in steps


def test_endless_mutual_calls_are_an_error(sandbox: Sandbox) -> None:
    a, b = method("_a", image="Image"), method("_b", image="Image")
    author = Author(
        methods={
            "_a": ["def _a(image):\n    return _b(image)"],
            "_b": [
                "def _b(image):\n    return _a(image)",
                "def _b(image):\n    return vqa(image, 'what is it?')",
            ],
        }
    )
    agent, _steps = written(sandbox, author, a, b)
    assert author.written == ["_a", "_b", "_b"]
    assert "_a calls _b calls _a, without end" in author.last_told[2]
    # Then a is b, and need not be there.
    assert list(agent.new) == ["_b"]


def test_a_chain_of_methods_is_not_followed_for_ever(sandbox: Sandbox) -> None:
    chain = {f"_m{i}": [f"def _m{i}(image):\n    return _m{i + 1}(image)"] * 9 for i in range(30)}
    author = Author(methods=chain)
    agent, _steps = written(sandbox, author, method("_m0", image="Image"))
    assert agent.new == {}
    assert len(author.written) <= 20
    assert set(author.written) <= {f"_m{i}" for i in range(5)}


def test_methods_that_do_the_same_are_kept_once(sandbox: Sandbox) -> None:
    twin = NEARER_CODE.replace("_is_nearer", "_is_closer").replace("image, a, b", "image, b, c")
    twin = twin.replace(
        "depth(image, a) < depth(image, b)", "not depth(image, b) >= depth(image, c)"
    )
    user = """def _nearest(image, kind):
    best = None
    for box in loc(image, kind):
        if best is None or _is_closer(image, box, best):
            best = box
    return best"""
    closer = method("_is_closer", "bool", image="Image", b="Box", c="Box")
    author = Author(methods={"_is_nearer": NEARER_CODE, "_is_closer": twin, "_nearest": user})
    nearest = method("_nearest", "Box", image="Image", kind="str")
    agent, _steps = written(sandbox, author, NEARER, nearest, closer)
    assert list(agent.new) == ["_is_nearer", "_nearest"]
    assert "_is_nearer(image, box, best)" in agent.new["_nearest"].source
    farther = method("_is_farther", "bool", image="Image", a="Box", b="Box")
    author = Author(
        methods={"_is_farther": NEARER_CODE.replace("_is_nearer", "_is_farther").replace("<", ">")}
    )
    assert "_is_farther" in written(sandbox, author, farther, known=agent.new)[0].new


@pytest.mark.parametrize("fault", ["server_error", "refusal", "silent", "cut"])
def test_a_model_that_is_not_reached_ends_it(sandbox: Sandbox, fault: str) -> None:
    with chat_with(ChatServer(FAULTS[fault])) as chat:
        agent = ApiAgent(
            chat, sandbox, picture_methods(), {}, LearnedMethodsConfig(), Asking(Allowance(0.5))
        )
        with pytest.raises(ModelError):
            agent.implement([Signature.model_validate(COLOR)])
