"""`scenemind bench programs`: what programs that models write cost, besides the models."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.relate import room_of_things
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.geometry import Pose
from scenemind.memory import MemorySnapshot
from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Usage
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
    - `machinery_llm_tpc_checked_ms`: with the one of the three that a type checker looks at.
    """
    things = {thing.object_id: thing for thing in room_of_things()}
    memory = ObjectsMemory(MemorySnapshot(1, 0, things, (), None))
    with Sandbox() as sandbox:

        def asked(*programs: str) -> Callable[[], object]:
            method = LlmTpc(_Prompt((*map(_program, programs), _ANSWER)), sandbox)
            query = Query("What is near the table?", viewpoint=Pose.identity())
            return lambda: method.ask(query, memory, Asking(Allowance(60.0)))

        session = _times_ms(lambda: sandbox.run("1", SandboxApi()), rounds)
        right = _times_ms(asked(_TABLES), rounds)
        wrong = [_times_ms(asked(program, _TABLES), rounds) for program in _WRONG]
    return {
        "machinery_llm_tpc_ms": median(ms for times in wrong for ms in times),
        "machinery_llm_tpc_right_ms": median(right),
        "machinery_llm_tpc_checked_ms": median(wrong[-1]),
        "sandbox_session_ms": median(session),
        "machine": machine(),
        "versions": versions(),
    }


class _Prompt:
    """A `ChatModel` that says its replies in turn, at once, and then begins anew."""

    name = "prompt"

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = replies
        self._asked = 0

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
    ) -> ChatReply:
        """See `ChatModel`."""
        del messages, schema, on_text
        allowance.check()
        text = self._replies[self._asked % len(self._replies)]
        self._asked += 1
        return ChatReply(text, self.name, Usage(), 0.0)


def _program(code: str) -> str:
    return f"Thought: I look it up.\nAction: Program\nAction Input:\n```python\n{code}```"


_ANSWER = "Thought: So it is.\nAction: Final Answer\nAction Input: a chair\nObjects: chair 1"


def _times_ms(work: Callable[[], object], rounds: int) -> list[float]:
    """After one that does not count: the first loads code and tables, and starts a worker."""
    work()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - started))
    return times
