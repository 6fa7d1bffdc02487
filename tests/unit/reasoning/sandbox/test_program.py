"""Values that are small in a sandbox and endless outside of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.sandbox import Sandbox, SandboxApi
from scenemind.reasoning.sandbox.program import is_small

DOUBLED = "a = [1]\nfor _ in range(60):\n    a = [a, a]\n"
DEEP = "a = []\nfor _ in range(3000):\n    a = [a]\n"
LARGE = (
    DOUBLED + "a",
    DEEP + "a",
    "10**5000",
    "['x' * 1000] * 2000",
    "{i: i for i in range(20000)}",
)


@pytest.fixture(scope="module")
def sandbox() -> Any:
    with Sandbox() as opened:
        yield opened


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=20,
    )
)
def test_usual_results_of_programs_are_small(value: object) -> None:
    assert is_small(value)


@pytest.mark.parametrize("program", LARGE)
def test_a_large_value_is_the_programs_error_and_costs_nothing(
    sandbox: Sandbox, program: str
) -> None:
    outcome = sandbox.run(program, SandboxApi())
    assert outcome.value is None
    assert outcome.error is not None
    assert outcome.error.kind in ("output", "memory", "recursion")


@pytest.mark.parametrize("program", [DOUBLED + "show(a)", DOUBLED + "show(x=a)", "show(10**5000)"])
def test_nor_does_one_reach_a_function_of_ours(sandbox: Sandbox, program: str) -> None:
    seen: list[object] = []
    outcome = sandbox.run(program, SandboxApi(functions={"show": lambda x: seen.append(repr(x))}))
    assert outcome.error is not None
    assert "too large" in outcome.error.text
    assert seen == []
