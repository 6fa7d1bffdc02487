"""`scenemind bench programs`: what programs that models write cost, besides the models."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.prompt_model import PromptModel, times_ms
from scenemind.cli.bench.relate import room_of_things
from scenemind.cli.bench.vadar_questions import question_on_frame, question_that_teaches
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.geometry import Pose
from scenemind.memory import MemorySnapshot
from scenemind.models import Allowance
from scenemind.reasoning import Query
from scenemind.reasoning.llm_tpc import LlmTpc
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox, SandboxApi

_TABLES = """# Filter the tables
tables = filter(object_set=scene(), category="table")

# Find what is near them
for table in tables:
    print(table, relate(object_set=scene(), reference_object=table, relation="near"))
"""
# Wrong in the three ways that the paper prints: a category, a relation, a keyword.
_WRONG = (
    _TABLES.replace('"table"', '"desk"'),
    _TABLES.replace('"near"', '"close"'),
    _TABLES.replace("reference_object=", "object="),
)
_ROUNDS = 30


def bench_programs(rounds: int = _ROUNDS) -> dict[str, Any]:
    """Milliseconds, medians over rounds, on 40 objects of 2,000 points.

    - `sandbox_session_ms`: a session of the sandbox with a program that does nothing;
    - `machinery_llm_tpc_ms`: a question with a program that fails, one that is right, and an
      answer, all of them said at once; wrong in turn in the three ways that the paper prints;
    - `machinery_llm_tpc_right_ms`: the same without the one that fails;
    - `machinery_llm_tpc_checked_ms`: with one that a type checker looks at, as it goes on after
      the mistake;
    - `machinery_vadar_ms`: a question on a key frame that shows 20 objects, with a design that
      finds no method missing, a program that fails and one that is right, all said at once;
    - `machinery_vadar_learning_ms`: with a method that is written, tried and kept as well.
    """
    things = {thing.object_id: thing for thing in room_of_things()}
    memory = ObjectsMemory(MemorySnapshot(1, 0, things, (), None))
    with Sandbox() as sandbox:

        def asked(*programs: str) -> Callable[[], object]:
            method = LlmTpc(PromptModel((*map(_program, programs), _ANSWER)), sandbox)
            query = Query("What is near the table?", viewpoint=Pose.identity())
            return lambda: method.ask(query, memory, Asking(Allowance(60.0)))

        session = times_ms(lambda: sandbox.run("1", SandboxApi()), rounds)
        right = times_ms(asked(_TABLES), rounds)
        on_frame = times_ms(question_on_frame(sandbox, things), rounds)
        learning = times_ms(question_that_teaches(sandbox, things), rounds)
        wrong = [times_ms(asked(program, _TABLES), rounds) for program in _WRONG]
        checked = times_ms(asked(f"{_WRONG[-1]}print(len(tables))\n", _TABLES), rounds)
    return {
        "machinery_llm_tpc_ms": median(ms for times in wrong for ms in times),
        "machinery_llm_tpc_right_ms": median(right),
        "machinery_llm_tpc_checked_ms": median(checked),
        "machinery_vadar_ms": median(on_frame),
        "machinery_vadar_learning_ms": median(learning),
        "sandbox_session_ms": median(session),
        "machine": machine(),
        "versions": versions(),
    }


def _program(code: str) -> str:
    return f"Thought: I look it up.\nAction: Program\nAction Input:\n```python\n{code}```"


_ANSWER = "Thought: So it is.\nAction: Final Answer\nAction Input: a chair\nObjects: chair 1"
