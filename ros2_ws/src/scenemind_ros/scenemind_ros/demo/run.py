"""The demo from start to end."""

from __future__ import annotations

import shlex
import shutil
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Console

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.truth import true_objects
from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMindError
from scenemind.frames import RecordedSequence
from scenemind.memory import Memory, MemorySnapshot
from scenemind.report import Run, TrueObject, write_report
from scenemind.simulation import SimulatedSequence, open_source
from scenemind_ros.client import SceneMindClient
from scenemind_ros.conversions import snapshot_from_msg
from scenemind_ros.demo.conversation import converse
from scenemind_ros.demo.folder import only_writer
from scenemind_ros.demo.health import Health
from scenemind_ros.demo.nodes import LOGS, MEMORIES, MEMORY, DemoNodes
from scenemind_ros.demo.options import DemoOptions, parse_options
from scenemind_ros.demo.recorded_script import recorded_requests
from scenemind_ros.demo.request import Request
from scenemind_ros.demo.simulated_script import seen_objects, simulated_requests
from scenemind_ros.demo.summary import print_summary, write_record
from scenemind_ros.errors import RosError

_READY_S = 60.0
_NEWS_S = 15.0
_FILE_WIDTH = 150
_PACE = (
    "Frames were played as fast as the mapping node took them, not at the recorded rate, so that"
    " none had to be dropped."
)


def run_demo(options: DemoOptions, console: Console) -> Run:
    """Play, ask, and collect what the report shows.

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
        # The nodes have ended: what is shown is what they left on disk.
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
    """0 when every step was right, 1 when one was not or the run failed, 130 when interrupted."""
    options = parse_options(arguments)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        with only_writer(options.report):
            for leftover in (MEMORIES, LOGS):
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
    _say_where(page, options.report, console)
    return 0 if all(step.ok for step in run.steps) else 1


def _say_where(page: Path, report: Path, console: Console) -> None:
    console.print(f"report: {page}")
    memory = f"--memory {MEMORY} --memory-root {shlex.quote(str(report / MEMORIES))}"
    console.print(f'ask more: {_typed()} ask "..." {memory}')


def _typed() -> str:
    """The command `scenemind` as it can be typed here."""
    if shutil.which("scenemind"):
        return "scenemind"
    command = Path(sys.executable).with_name("scenemind")
    here = Path.cwd()
    return shlex.quote(str(command.relative_to(here) if command.is_relative_to(here) else command))
