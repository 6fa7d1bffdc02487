"""A process that is made ready reads no file and imports nothing for the questions that come."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from scenemind.config import RelationConfig
from scenemind.reasoning import ReasoningError, make_ready
from scenemind.reasoning.symbolic import SymbolicReasoner
from tests.unit.reasoning.scene import query, room_memory

memory = room_memory()
reasoner = SymbolicReasoner(memory, RelationConfig())
touched = []

def note(event, args):
    if event in ("open", "import"):
        touched.append(f"{event} {args[0]}")

sys.addaudithook(note)
if sys.argv[1] == "ready":
    make_ready()
    touched.clear()
for asked in (
    "what is on the desk?",
    "I am sitting on the chair and face the desk. What is on my left?",
    "perhaps teh cup should wander off to bed, shouldn't it?",
    "whats the colr of the chiar",
    "where could I wash my hands?",
):
    try:
        reasoner.ask(query(asked, policy="always_answer"), memory.snapshot())
    except ReasoningError:
        pass
try:
    reasoner.ground(query("the small one in the kitchen, left of it"), memory.snapshot())
except ReasoningError:
    pass
print("\\n".join(touched))
"""


def touched(how: str) -> str:
    command = [sys.executable, "-c", SCRIPT, how]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_no_question_loads_what_another_process_loads_for_its_first() -> None:
    assert touched("ready") == ""
    cold = touched("cold")
    assert all(each in cold for each in ("questions.yaml", "rewording.npz", "scipy.spatial"))
