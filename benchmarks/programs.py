"""Cost of programs that models write, without the models."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks.relations import room_of_things
from scenemind.bench.machine import machine, versions
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.frames.images import encode_color_file
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Tool, Usage
from scenemind.reasoning import Query
from scenemind.reasoning.llm_tpc import LlmTpc
from scenemind.reasoning.memtree_qa.baseline_selectors import UniformSelector
from scenemind.reasoning.method import Asking
from scenemind.reasoning.sandbox import Sandbox, SandboxApi
from scenemind.reasoning.vadar import Vadar


class PromptModel:
    """A `ChatModel` that returns its replies in turn, at once, and starts again after the last."""

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
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`."""
        del messages, schema, on_text, tools
        allowance.check()
        text = self._replies[self._asked % len(self._replies)]
        self._asked += 1
        return ChatReply(text, self.name, Usage(), 0.0)


def times_ms(work: Callable[[], object], rounds: int) -> list[float]:
    """Medians after a warm-up run, which loads code and tables, and starts a worker."""
    work()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - started))
    return times


_CAMERA = PinholeCamera(640, 480, 600.0, 600.0, 319.5, 239.5)
# Camera outside the room, 1.2 m high, looking along +y.
_WORLD_T_CAMERA = Pose(
    np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))), np.array((3.0, -3.0, 1.2))
)
_SHOWN = 20
_QUESTION = Query("Which chair is the nearest?")
_RIGHT = """```python
chairs = loc(image, "chair")
final_result = min(chairs, key=lambda box: depth(image, box))
```"""
_WRONG = _RIGHT.replace("depth(image, box)", "depth(image, chairs)")
_NOTHING_NEW = json.dumps({"think": "all is there", "methods": []})
_PARAMETERS = [{"name": "image", "type": "Image"}, {"name": "kind", "type": "str"}]
_NEAREST = {"name": "_nearest", "parameters": _PARAMETERS, "returns": "Box", "description": "it"}
_DESIGN = json.dumps({"think": "one is missing", "methods": [_NEAREST]})
_METHOD = """```python
def _nearest(image, kind):
    boxes = loc(image, kind)
    return min(boxes, key=lambda box: depth(image, box)) if boxes else None
```"""
_USING_IT = """```python
final_result = _nearest(image, "chair")
```"""


def question_on_frame(sandbox: Sandbox, things: Mapping[int, MapObject]) -> Callable[[], object]:
    """Make a question with a program that fails, then one that is right."""
    return _question(sandbox, things, (_NOTHING_NEW, _WRONG, _RIGHT))


def question_that_teaches(
    sandbox: Sandbox, things: Mapping[int, MapObject]
) -> Callable[[], object]:
    """Make a question that needs a new method, written again each time."""
    return _question(sandbox, things, (_DESIGN, _METHOD, _USING_IT))


def _question(
    sandbox: Sandbox, things: Mapping[int, MapObject], replies: Sequence[str]
) -> Callable[[], object]:
    memory = _OneFrame(things)

    def ask() -> object:
        model = PromptModel(replies)
        method = Vadar(model, model, UniformSelector(), sandbox)
        return method.ask(_QUESTION, memory, Asking(Allowance(60.0)))

    return ask


class _OneFrame(ObjectsMemory):
    """A memory with one image that shows some of its objects."""

    def __init__(self, things: Mapping[int, MapObject]) -> None:
        super().__init__(MemorySnapshot(1, 0, things, (), None))
        white = np.full((_CAMERA.height, _CAMERA.width, 3), 255, np.uint8)
        boxes = _boxes_px(things)
        jpeg = encode_color_file(white)
        self._frame = KeyFrame(0, 0, 0, _CAMERA, _WORLD_T_CAMERA, jpeg, boxes_px=boxes)

    def stored_frames(self) -> Sequence[int]:
        """Number of the only frame."""
        return (self._frame.frame_number,)

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """The only frame, with all boxes."""
        del frame_number, object_ids
        return self._frame


def _boxes_px(things: Mapping[int, MapObject]) -> dict[int, tuple[float, float, float, float]]:
    boxes = {}
    for object_id, thing in list(things.items())[:_SHOWN]:
        pixels, _ = _CAMERA.project(_WORLD_T_CAMERA.inverse().transform(thing.box.corners()))
        x0, y0 = np.clip(pixels.min(axis=0), 0, (_CAMERA.width, _CAMERA.height)).tolist()
        x1, y1 = np.clip(pixels.max(axis=0), 0, (_CAMERA.width, _CAMERA.height)).tolist()
        if x0 < x1 and y0 < y1:
            boxes[object_id] = (x0, y0, x1, y1)
    return boxes


_TABLES = """# Filter the tables
tables = filter(object_set=scene(), category="table")

# Find what is near them
for table in tables:
    print(table, relate(object_set=scene(), reference_object=table, relation="near"))
"""
# Wrong in the three ways of the paper's examples: a category, a relation, a keyword.
_WRONG_PROGRAM = (
    _TABLES.replace('"table"', '"desk"'),
    _TABLES.replace('"near"', '"close"'),
    _TABLES.replace("reference_object=", "object="),
)
_ROUNDS = 30


def bench_programs(rounds: int = _ROUNDS) -> dict[str, Any]:
    """Milliseconds, medians over rounds, on 40 objects of 2,000 points.

    - `sandbox_session_ms`: a session of the sandbox with a program that does nothing;
    - `machinery_llm_tpc_ms`: a question with a program that fails, one that is right, and an
      answer, without model time; wrong in turn in the three ways of the paper's examples;
    - `machinery_llm_tpc_right_ms`: the same without the one that fails;
    - `machinery_llm_tpc_checked_ms`: with one for the type checker, because it continues after
      the mistake;
    - `machinery_vadar_ms`: a question on a key frame that shows 20 objects, with a design that
      needs no new method, a program that fails and one that is right, without model time;
    - `machinery_vadar_learning_ms`: also with a method that is written, tried and kept.
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
        wrong = [times_ms(asked(program, _TABLES), rounds) for program in _WRONG_PROGRAM]
        checked = times_ms(asked(f"{_WRONG_PROGRAM[-1]}print(len(tables))\n", _TABLES), rounds)
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
