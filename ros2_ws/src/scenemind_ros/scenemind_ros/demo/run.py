"""The demo from start to end."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scenemind.bench.machine import machine, versions
from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMindError, UsageError
from scenemind.evaluation.rooms import true_objects
from scenemind.frames import RecordedSequence
from scenemind.memory import KeyFrame, Memory, MemorySnapshot
from scenemind.report.content import Run, Step, TrueObject
from scenemind.report.page import write_report
from scenemind.simulation import SimulatedSequence, open_source
from scenemind.surface import ground_of
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import key_frame_from_msg, snapshot_from_msg
from scenemind_ros.demo.nodes import (
    LOGS,
    MEMORY,
    DemoNodes,
    DemoOptions,
    Health,
    parse_options,
)
from scenemind_ros.demo.script import (
    Reply,
    Request,
    recorded_requests,
    seen_objects,
    simulated_requests,
)
from scenemind_ros.errors import RosError

_LOCK = ".lock"


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Make the folder and lock it, to keep a second demo from deleting the first one's files.

    Raises:
        CommandError: another demo holds it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("w")
    except OSError as error:
        raise UsageError(f"cannot write into {folder}: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(
                f"another demo writes into {folder}: wait for it, or name another --report"
            ) from error
        yield


def converse(client: SceneMindClient, requests: Iterable[Request]) -> Iterator[Step]:
    """Run each request as a step; without an answer from the node, the step has failed.

    Raises:
        RosError: the map is unavailable.
    """
    put = {"ask": _ask, "ground": _ground, "align": _align, "undo": _undo}
    for request in requests:
        start = time.perf_counter()
        reply = _reply(put[request.kind], client, request.text)
        seconds = time.perf_counter() - start
        yield Step(
            name=request.name,
            question=request.text or "(undo the newest sentence)",
            answer=reply.text,
            expected=request.expected,
            ok=reply.success and request.is_right(reply),
            seconds=seconds,
            object_ids=reply.object_ids,
            key_frames=reply.key_frames,
            detail=reply.detail,
            labels=_labels(client, reply.object_ids) if reply.key_frames else {},
        )


def _reply(
    put: Callable[[SceneMindClient, str], Reply], client: SceneMindClient, text: str
) -> Reply:
    try:
        return put(client, text)
    except RosError as error:
        return Reply(False, str(error))


def _ask(client: SceneMindClient, text: str) -> Reply:
    response = client.ask(text)
    answer = response.answer
    return Reply(
        response.success,
        answer.text or response.error.message,
        tuple(answer.object_ids),
        _key_frames(response),
    )


def _ground(client: SceneMindClient, text: str) -> Reply:
    response = client.ground(text)
    found = response.objects
    listed = ", ".join(f"{obj.label} {obj.id} ({obj.confidence:.2f})" for obj in found)
    return Reply(
        response.success,
        listed or response.error.message,
        tuple(obj.id for obj in found),
        _key_frames(response),
        response.reasoning,
    )


def _align(client: SceneMindClient, text: str) -> Reply:
    response = client.align(text)
    touched = dict.fromkeys(i for edit in response.edits for i in edit.object_ids)
    return Reply(response.success, response.response or response.error.message, tuple(touched))


def _undo(client: SceneMindClient, _text: str) -> Reply:
    response = client.undo()
    if not response.success:
        return Reply(False, response.error.message)
    taken_back = response.corrections
    numbers = ", ".join(str(entry.id) for entry in taken_back)
    return Reply(True, f'taken back: {numbers}, "{taken_back[0].reason}"')


def _labels(client: SceneMindClient, object_ids: Iterable[int]) -> dict[int, str]:
    """The present labels of the objects: a correction may be undone later."""
    objects = snapshot_from_msg(client.scene_graph()).objects
    return {i: objects[i].label for i in object_ids if i in objects}


def _key_frames(response: Any) -> tuple[KeyFrame, ...]:
    return tuple(key_frame_from_msg(message) for message in response.evidence)


RECORD = "report.json"
_STYLES = {"right": "green", "answered": "dim", "failed": "bold red"}


def write_record(run: Run, folder: Path) -> Path:
    """Write report.json: the content of the page, for programs."""
    record = {
        "sequence": run.sequence,
        "detector": run.detector,
        "simulated": run.is_simulated,
        "frames": run.frames,
        "dropped": sum(run.dropped.values()),
        "dropped_by_cause": dict(run.dropped),
        "objects": len(run.snapshot.objects),
        "labels": {str(obj.object_id): obj.label for obj in run.snapshot.objects.values()},
        "locations": len(run.locations),
        "stages_ms": dict(run.stages_ms),
        "steps": [
            {
                "name": step.name,
                "question": step.question,
                "answer": step.answer,
                "expected": step.expected or None,
                "ok": step.ok,
                "seconds": round(step.seconds, 4),
                "object_ids": list(step.object_ids),
                "frames": [frame.frame_number for frame in step.key_frames],
            }
            for step in run.steps
        ],
        "truth": [
            {
                "label": item.label,
                "object_id": item.object_id,
                "iou": round(item.iou, 4),
                "seen": item.was_seen,
            }
            for item in run.truth
        ],
        "machine": dict(run.machine),
    }
    path = folder / RECORD
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def print_summary(run: Run, console: Console) -> None:
    """Print questions and answers, and the agreement of map and truth if the truth is known."""
    steps = Table("step", "asked", "answer", "expected", "ms", "", box=SIMPLE_HEAD)
    for step in run.steps:
        verdict = f"[{_STYLES[step.verdict]}]{step.verdict}[/]"
        words = (step.name, step.question, step.answer, step.expected)
        steps.add_row(*(escape(text) for text in words), f"{step.seconds * 1e3:.0f}", verdict)
    console.print(steps)
    if run.truth:
        _print_truth(run, console)
    dropped = sum(run.dropped.values())
    causes = ", ".join(f"{count} {cause}" for cause, count in run.dropped.items())
    console.print(
        f"{run.frames} frames processed, {dropped} dropped{f' ({causes})' if causes else ''},"
        f" {len(run.snapshot.objects)} objects, detector: {escape(run.detector)}"
    )
    stages = ", ".join(f"{name} {ms:.1f}" for name, ms in run.stages_ms.items())
    console.print(f"median ms a frame: {stages}")
    tallies = (f"{count} of {total} {verdict}" for count, total, verdict in run.tallies())
    console.print(f"questions and corrections: {', '.join(tallies)}")


def _print_truth(run: Run, console: Console) -> None:
    table = Table("real object", "in the map", "3D IoU", "seen", box=SIMPLE_HEAD)
    for item in run.truth:
        mapped = "-" if item.object_id is None else f"{item.object_label} {item.object_id}"
        seen = "well" if item.was_seen else "hardly"
        table.add_row(item.label, mapped, f"{item.iou:.2f}", seen)
    console.print(table)
    rows = [item.iou for item in run.truth if item.was_seen]
    if rows:
        share = sum(iou >= 0.25 for iou in rows) / len(rows)
        console.print(
            f"of {len(rows)} objects that the camera saw well: {share:.0%} with IoU 0.25 or more,"
            f" mean IoU {sum(rows) / len(rows):.2f}"
        )


_READY_S = 60.0
_NEWS_S = 15.0
_FILE_WIDTH = 150
_PACE = (
    "Frames were played as fast as the mapping node took them, not at the recorded rate, so that"
    " none had to be dropped."
)


def run_demo(options: DemoOptions, console: Console) -> Run:
    """Play, ask, and collect the content of the report.

    Raises:
        RosError: a node failed or does not answer.
        FrameError, SimulationError: the sequence cannot be used.
    """
    sequence = open_source(options.sequence)
    total = min(options.frames or len(sequence), len(sequence))
    seen = seen_objects(sequence, total) if isinstance(sequence, SimulatedSequence) else ()
    with DemoNodes(options, sequence) as nodes:
        nodes.start()
        with Health() as health, SceneMindClient("demo_client") as client:
            client.wait_ready(_READY_S)
            with console.status(f"mapping {sequence.name}: {total} frames"):
                nodes.play()
            health.wait_for_news(_NEWS_S)
            frames, dropped, detector = health.frames, health.dropped, health.detector
            stages_ms = health.stages_ms
            scene = snapshot_from_msg(client.scene_graph())
            steps = tuple(converse(client, _requests(sequence, seen, scene)))
            nodes.check()
        if killed := nodes.stop():
            raise RosError(f"{', '.join(killed)} did not end by themselves")
        if missing := total - frames - sum(dropped.values()):
            dropped["not received"] = missing
        # The nodes have ended: the report shows their memory on disk.
        with Memory.open(nodes.memory_path, SceneMindConfig()) as memory:
            return Run(
                sequence=sequence.name,
                detector=detector,
                is_simulated=options.detector is None,
                frames=frames,
                dropped=dropped,
                snapshot=memory.snapshot(),
                path=memory.trajectory(),
                locations=memory.tree(),
                steps=steps,
                stages_ms=stages_ms,
                truth=_truth(sequence, seen, memory.snapshot()),
                machine={name: str(value) for name, value in {**machine(), **versions()}.items()},
                remarks=(_PACE,),
                ground=ground_of(memory),
            )


def _requests(
    sequence: RecordedSequence, seen: Collection[int], scene: MemorySnapshot
) -> list[Request]:
    if isinstance(sequence, SimulatedSequence):
        return simulated_requests(sequence.room_at(scene.stamp_ns), seen, scene)
    return recorded_requests(scene)


def _truth(
    sequence: RecordedSequence, seen: Collection[int], scene: MemorySnapshot
) -> tuple[TrueObject, ...]:
    if not isinstance(sequence, SimulatedSequence):
        return ()
    return true_objects(sequence.room_at(scene.stamp_ns), seen, scene)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 if every step was right, 1 if one was wrong or the run failed, 130 when
    interrupted."""
    options = parse_options(arguments)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with only_writer(options.report):
            for leftover in (MEMORY, LOGS):
                shutil.rmtree(options.report / leftover, ignore_errors=True)
            run = run_demo(options, console)
            page = write_report(run, options.report)
            write_record(run, options.report)
    except SceneMindError as error:
        print(f"scenemind demo: {error}", file=sys.stderr)
        return 1
    except RosError as error:
        print(f"scenemind demo: {error}", file=sys.stderr)
        print(f"the nodes' logs are in {options.report / LOGS}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print_summary(run, console)
    if run.ground is not None and run.ground.note:
        console.print(f"the map shows points: {run.ground.note}", markup=False, soft_wrap=True)
    _say_where(page, options.report, console)
    return 0 if all(step.ok for step in run.steps) else 1


def _say_where(page: Path, report: Path, console: Console) -> None:
    console.print(f"report: {page}")
    memory = shlex.quote(os.path.join(report, MEMORY))  # a slash makes it a path
    for what, command in (("ask more", 'ask "..."'), ("look", "view")):
        console.print(f"{what}: {_typed()} {command} -m {memory}", soft_wrap=True)


def _typed() -> str:
    """The command `scenemind` as a user can type it here."""
    if shutil.which("scenemind"):
        return "scenemind"
    command = Path(sys.executable).with_name("scenemind")
    here = Path.cwd()
    return shlex.quote(str(command.relative_to(here) if command.is_relative_to(here) else command))
