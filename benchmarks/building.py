"""Time of questions about a building of many rooms, without a model."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from rich.progress import track

from benchmarks.relations import make_building
from scenemind.bench.machine import machine, versions
from scenemind.config import RelationConfig
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.reasoning import Query, Router
from scenemind.report.terminal import progress_console

# Each kind of thing stands some hundred times in the building.
_QUESTIONS = (
    "how many cups are there?",
    "where is the laptop?",
    "how many cups are near a trash can?",
    "which book is left of the monitor?",
    "is the bottle right of the trash can?",
    "which chair is closest to the trash can?",
    "which picture is between a bookshelf and a couch?",
    "what is on the desk?",
    "what color is the couch?",
    "how far is the couch from the desk?",
    "is there a cup on the dining table?",
    "are there more chairs than cups?",
    "what is the nearest thing to the lamp?",
    "how many chairs are around the dining table?",
    "which cup is the biggest?",
    "what is under the desk?",
)
_PHRASES = (
    "the chair near the monitor",
    "the book left of the monitor",
    "the picture between a bookshelf and a couch",
    "the red cup on the table",
    "the largest bookshelf",
    "the pillow on the couch in front of the window",
    "the second chair from the left",
)


def bench_building(objects: int = 20_000, rounds: int = 3) -> dict[str, Any]:
    """Milliseconds of CPU time.

    - `graph_ms`: all relations from scratch; `first_ms`: the first question about them;
    - `median_ms`, `slowest_ms`, `slowest`: of questions and phrases, each the median of rounds;
      before them each is asked once, as boxes are turned when they are first needed;
    - `questions`: each of them.
    """
    scene, structure = make_building(objects)
    graph = SceneGraph(RelationConfig())
    started = time.process_time()
    graph.refresh(scene, list(scene), structure)
    relations, levels = graph.relations(), graph.levels()
    graph_ms = 1e3 * (time.process_time() - started)
    planes = {plane.plane_id: plane for plane in structure}
    snapshot = MemorySnapshot(1, 1, scene, relations, None, structure=planes, levels=levels)
    router = Router(ObjectsMemory(snapshot, "simulated rooms"))
    first_ms = _asked_ms(router, _QUESTIONS[0])
    times = {}
    for text in track(
        (*_QUESTIONS, *_PHRASES), "asking", console=progress_console(), transient=True
    ):
        _asked_ms(router, text)
        times[text] = median(_asked_ms(router, text) for _ in range(rounds))
    slowest = max(times, key=lambda text: times[text])
    return {
        "objects": len(scene),
        "graph_ms": graph_ms,
        "first_ms": first_ms,
        "median_ms": median(times.values()),
        "slowest_ms": times[slowest],
        "slowest": slowest,
        "questions": times,
        "machine": machine(),
        "versions": versions(),
    }


def _asked_ms(router: Router, text: str) -> float:
    started = time.process_time()
    if text in _PHRASES:
        router.ground(Query(text))
    else:
        router.ask(Query(text))
    return 1e3 * (time.process_time() - started)
