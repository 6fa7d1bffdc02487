"""Builtins that call back are as Python has them, and may ask the scene."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.sandbox import Sandbox
from tests.unit.reasoning.scene import room_memory

SNAPSHOT = room_memory().snapshot()
assert SNAPSHOT.world_T_camera is not None
API = SceneApi(SNAPSHOT, Viewpoint.of_camera(SNAPSHOT.world_T_camera))

EXPRESSIONS = (
    "sorted(xs)",
    "sorted(xs, reverse=True)",
    "sorted(xs, key=lambda x: x % 3)",
    "sorted(xs, key=lambda x: x % 3, reverse=True)",
    "sorted(set(xs), key=lambda x: -x)",
    "min(xs, default=None)",
    "max(xs, default=None)",
    "min(xs, key=lambda x: x % 3, default=7)",
    "max(xs, key=lambda x: x % 3, default=7)",
    "max(1, 2, *xs, key=lambda x: -x)",
    "list(map(lambda x: x + 1, xs))",
    "list(map(lambda x, y: x * y, xs, ys))",
    "list(filter(lambda x: x > 2, xs))",
    "list(filter(None, xs))",
    "next((x for x in xs if x > 2), None)",
    "next(iter(xs), 5)",
    "any(x > 3 for x in xs), all(x > 3 for x in xs), sum(x for x in xs)",
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-9, 9), max_size=8), st.lists(st.integers(-9, 9), max_size=8))
def test_they_are_as_python_has_them(sandbox: Sandbox, xs: list[int], ys: list[int]) -> None:
    program = f"xs, ys = {xs}, {ys}\n" + "\n".join(f"print(repr(({e})))" for e in EXPRESSIONS)
    wanted = [repr(eval(e, {"xs": xs, "ys": ys})) for e in EXPRESSIONS]
    assert run_program(sandbox, API, program).text.splitlines() == wanted


def test_a_generator_expression_is_gone_through_once(sandbox: Sandbox) -> None:
    program = "xs = (x for x in (1, 2))\nprint(next(xs), next(xs), next(xs, 3))\nnext(xs)"
    observation = run_program(sandbox, API, program)
    assert "It printed: 1 2 3\n" in observation.text
    assert "StopIteration" in observation.text


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("max(scene(), key=lambda x: len(relate(scene(), x, 'on')))", "<dining table 1>"),
        ("sorted(filter(scene(), 'chair'), key=query_relation_agent)", "[<chair 5>, <chair 4>]"),
        ("filter(lambda x: relate(scene(), x, 'on'), scene())", "[<dining table 1>, <shelf 7>]"),
        ("map(lambda x: query_state(x, ['open']), filter(scene(), 'door'))", "['unknown']"),
    ],
)
def test_they_may_ask_the_scene(sandbox: Sandbox, program: str, printed: str) -> None:
    assert run_program(sandbox, API, program).text == printed


def test_error_of_unsupported_builtins_names_a_remedy(sandbox: Sandbox) -> None:
    program = "xs = list(scene())\nxs.sort(key=lambda x: len(relate(scene(), x, 'on')))"
    assert "use sorted(), or work its keys out before" in run_program(sandbox, API, program).text
