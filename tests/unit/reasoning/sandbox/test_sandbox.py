"""Programs in the sandbox: input, output and errors."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest

from scenemind.config.reasoning import SandboxConfig
from scenemind.errors import SandboxError
from scenemind.reasoning.sandbox import ApiError, Sandbox, SandboxApi

PRELUDE = """
class Thing:
    def __init__(self, id, category):
        self.id = id
        self.category = category

_things = {id: Thing(id, category) for id, category in _rows}

def scene():
    return list(_things.values())

def filter(things, category):
    return [thing for thing in things if thing.category == category]

def left_of(thing):
    return [_things[id] for id in _left_of(thing.id)]
"""
STUBS = """
class Thing:
    id: int
    category: str
def scene() -> list[Thing]: ...
def filter(things: list[Thing], category: str) -> list[Thing]: ...
def left_of(thing: Thing) -> list[Thing]: ...
"""


def left_of(thing_id: int) -> list[int]:
    if thing_id > 2:
        raise ApiError(f"thing {thing_id} has no sides; things with sides are 1 and 2")
    return list(range(thing_id))


def api(stubs: str = "", **functions: object) -> SandboxApi:
    values = {"_rows": [(0, "chair"), (1, "table"), (2, "chair"), (3, "lamp")]}
    return SandboxApi(PRELUDE, values, {"_left_of": left_of, **functions}, stubs)  # type: ignore[dict-item]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SandboxConfig(seconds=2.0)) as sandbox:
        yield sandbox


def test_it_finds_values_classes_and_functions(sandbox: Sandbox) -> None:
    outcome = sandbox.run("[t.id for t in left_of(filter(scene(), 'chair')[1])]", api())
    assert (outcome.value, outcome.error) == ([0, 1], None)


def test_a_value_that_cannot_leave_is_none_and_the_next_program_runs(sandbox: Sandbox) -> None:
    outcome = sandbox.run("print('ran')\nset(scene())", api())
    assert (outcome.value, outcome.printed, outcome.error) == (None, "ran\n", None)
    assert sandbox.run("len(scene())", api()).value == 4


def test_the_api_may_have_names_of_builtins(sandbox: Sandbox) -> None:
    assert sandbox.run("len(filter(scene(), 'chair'))", api()).value == 2


@pytest.mark.parametrize("name", ["id", "max", "filter", "set", "range", "len", "input", "object"])
def test_a_variable_may_have_the_name_of_a_builtin(sandbox: Sandbox, name: str) -> None:
    """Monty by itself reads the builtin in the comprehension."""
    program = f"[{name} for {name} in (1, 2)], {{{name}: 3 for {name} in (4,)}}"
    assert sandbox.run(program, SandboxApi()).value == ([1, 2], {4: 3})


def test_programs_share_no_state(sandbox: Sandbox) -> None:
    assert sandbox.run("x = 3\nscene = None", api()).error is None
    outcome = sandbox.run("len(scene()) + x", api())
    assert outcome.error is not None
    assert "name 'x' is not defined" in outcome.error.text


def test_output_before_a_crash_is_kept(sandbox: Sandbox) -> None:
    outcome = sandbox.run("print('so far')\n1 / 0", api())
    assert outcome.printed == "so far\n"
    assert outcome.error is not None
    assert outcome.error.kind == "crash"


def test_a_traceback_shows_the_programs_lines_and_what_the_api_teaches(sandbox: Sandbox) -> None:
    program = "def side(t):\n    return left_of(t)\n\nfor thing in scene():\n    side(thing)"
    error = sandbox.run(program, api()).error
    assert error is not None
    assert error.text == (
        "Traceback (most recent call last):\n"
        "  line 5, in <module>: side(thing)\n"
        "  line 2, in side: return left_of(t)\n"
        "ValueError: thing 3 has no sides; things with sides are 1 and 2"
    )


def test_a_program_may_catch_errors_of_the_api(sandbox: Sandbox) -> None:
    program = "try:\n    left_of(scene()[3])\nexcept ValueError as error:\n    print(error)"
    outcome = sandbox.run(program, api())
    assert (outcome.printed[:16], outcome.error) == ("thing 3 has no s", None)


@pytest.mark.parametrize(
    ("program", "kind", "says"),
    [
        ("x = (", "syntax", "SyntaxError"),
        ("def f():\n    yield 3", "syntax", "yield"),
        ("import numpy as np", "import", "math"),
        ("x = 1\n" * 10_000, "length", "60000 characters, the limit is 20000"),
        ("from os import path", "import", "line 1: os cannot be imported"),
        ("sorted(scene(), key=lambda t: len(left_of(t)))", "syntax", "_left_of"),
    ],
)
def test_error_names_code_that_cannot_run(
    sandbox: Sandbox, program: str, kind: str, says: str
) -> None:
    outcome = sandbox.run(program, api())
    assert outcome.error is not None
    assert outcome.error.kind == kind
    assert says in outcome.error.text


def test_the_checker_names_all_mistakes_at_once_and_nothing_runs(sandbox: Sandbox) -> None:
    program = "begin()\nchairs = filter(scene(), kind='chair')\nprint(chairs[0].color)"
    begun: list[int] = []
    stubs = f"{STUBS}def begin() -> None: ..."
    error = sandbox.check(program, api(stubs, begin=lambda: begun.append(1)))
    assert begun == []
    assert error is not None
    assert error.kind == "type"
    assert "program:2:" in error.text
    assert "`kind`" in error.text
    assert "program:3:" in error.text
    assert "no attribute `color`" in error.text
    assert len(error.text.splitlines()) == 3


@pytest.mark.parametrize("end", ["", "\n", "  # the end", "; 3", " + \\"])
def test_a_program_that_the_checker_passes_has_no_error(sandbox: Sandbox, end: str) -> None:
    program = f"while filter(scene(), category='lamp')[0].id:\n    pass\n3{end}"
    assert sandbox.check(program, api(STUBS)) is None


def test_unexpected_error_ends_all_calls(sandbox: Sandbox) -> None:
    """For example, a program calls an unreachable model again and again."""
    calls: list[int] = []

    def ask() -> None:
        calls.append(1)
        raise OSError("no route to the model")

    program = """for _ in range(20):
    try:
        ask()
    except Exception:
        pass"""
    with pytest.raises(OSError, match="no route"):
        sandbox.run(program, SandboxApi(functions={"ask": ask}))
    assert len(calls) == 1


def test_a_bug_of_ours_is_not_the_programs(sandbox: Sandbox) -> None:
    def broken() -> None:
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        sandbox.run("try:\n    broken()\nexcept Exception:\n    pass\n1", api(broken=broken))


def test_a_prelude_that_fails_is_not_the_programs(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="does not run"):
        sandbox.run("1", SandboxApi("nothing()"))


def test_time_of_host_functions_is_bounded_apart() -> None:
    calls = []
    config = SandboxConfig(host_seconds=1e-9)
    with Sandbox(config) as sandbox:
        outcome = sandbox.run("note()\nnote()", api(note=lambda: calls.append(1)))
    assert len(calls) == 1
    assert outcome.error is not None
    assert "calls of the API are over" in outcome.error.text


def test_waiting_for_others_is_not_the_programs_time() -> None:
    """Such as for a slow model that looks at pictures."""
    calls: list[bool] = []
    slow = SandboxApi(
        functions={"look": lambda: calls.append(threading.Event().wait(0.2))},
        waiting=frozenset(("look",)),
    )
    with Sandbox(SandboxConfig(seconds=0.1, host_seconds=1e-9)) as sandbox:
        outcome = sandbox.run("look()\nlook()\n7", slow)
    assert (outcome.value, outcome.error, len(calls)) == (7, None, 2)


def test_programs_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=20.0)
    with Sandbox(SandboxConfig(workers=3)) as sandbox:
        outcomes = []
        threads = [
            threading.Thread(
                target=lambda: outcomes.append(
                    sandbox.run("meet()", api(meet=lambda: meeting.wait() >= 0))
                )
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [(o.value, o.error) for o in outcomes] == [(True, None)] * 3


PARTS = (
    "x", "y", "0", "1", "-7", "1e308", "'a'", "[]", "{}", "()", "None", "scene()", "scene", "Thing",
    "left_of(x)", "filter(x, y)", "lambda x: x", "x.id", "x[0]", "x()", "not x", "print(x)", "*x",
)  # fmt: skip
JOINS = (
    " + ",
    " * ",
    " ** ",
    " % ",
    " is ",
    " in ",
    " if x else ",
    ", ",
    " = ",
    "\n",
    ": ",
    " for x in ",
)
LINES = (
    "while x:", "for x in y:", "def x(y):", "class x:", "try:", "except Exception:", "with x:",
    "return x", "raise x", "del x", "global x", "break", "import re", "assert x", "lambda: x",
)  # fmt: skip


def fuzzed(chance: random.Random) -> str:
    """Some lines that look like Python."""
    lines = ["x = scene()[1]", "y = 'chair'"]
    for _ in range(chance.randint(1, 4)):
        indent = "    " * chance.choice((0, 0, 0, 0, 1))
        words = "".join(
            chance.choice(PARTS) + chance.choice(JOINS) for _ in range(chance.randint(0, 2))
        )
        sentence = words + chance.choice(PARTS)
        lines.append(indent + chance.choice((sentence, sentence, sentence, *LINES)))
    return "\n".join(lines)


def test_a_thousand_random_programs_do_no_harm() -> None:
    chance = random.Random(6)
    config = SandboxConfig(seconds=0.1, memory_mb=8, workers=1)
    ran = 0
    with Sandbox(config) as sandbox:
        for _ in range(1000):
            ran += sandbox.run(fuzzed(chance), api()).error is None
        assert sandbox.run("len(scene())", api()).value == 4
    assert ran > 50  # else it would test the parser alone
