"""Benchmarks of live nodes: a recording is played to them, then each row is sent as a goal."""

from __future__ import annotations

import argparse
import logging
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from rclpy.utilities import remove_ros_args

from scenemind.config import SceneMindConfig
from scenemind.errors import EvaluationError, SceneMindError
from scenemind.evaluation.benchmark import (
    Benchmark,
    check_truth,
    evaluate,
    get_benchmark,
    has_poses,
    select_rows,
)
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.methods import RoutedMethod, checked_method
from scenemind.evaluation.page import PictureSources, write_report
from scenemind.evaluation.page.pictures import TrueObjects
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.rooms import (
    SIMULATION,
    RoomSource,
    TrueRooms,
    get_room,
    room_rows,
    simulation_benchmark,
)
from scenemind.evaluation.run_folder import RunFolder, identity_of
from scenemind.evaluation.runner import run
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.submissions import write_submission
from scenemind.evaluation.terminal import print_evaluation
from scenemind.evaluation.workers import InProcess
from scenemind.geometry import Pose
from scenemind.memory import MemoryAccess
from scenemind.models import Allowance
from scenemind.reasoning import Asking, Policy
from scenemind.report.terminal import print_json
from scenemind.simulation import SimulatedSequence, match_objects, open_source
from scenemind_ros.client import SceneMindClient
from scenemind_ros.commands.live_view import AskedNodes, ViewingClient
from scenemind_ros.demo.nodes import DemoNodes, DemoOptions, Health


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Options of a benchmark on live nodes.

    Attributes:
        benchmark: its name.
        recording: folder, bag, or sim:SEED.
        scene: the benchmark's name of the recorded scene; empty: the recording's name.
        data: the benchmark's file or folder; None for simulated rooms.
        objects: file of true objects, for boxes and alignments.
        out: folder of the run.
        detector: see `detector.weights`; empty for a simulated room's instance camera.
        frames: number of frames to play; 0: all.
        is_running: the nodes are running, and the recording has been played to them.
        as_json: print the scores as a line of JSON.
    """

    benchmark: str
    recording: str
    scene: str
    data: Path | None
    objects: Path | None
    out: Path
    method: str
    policy: Policy
    limit: int | None
    seed: int
    timeout_s: float
    detector: str
    frames: int
    is_running: bool
    as_json: bool


def parse_options(arguments: Sequence[str] | None = None) -> LiveOptions:
    """Options from the command line; empty texts count as missing, as launch files pass them."""
    parser = argparse.ArgumentParser(
        "evaluate_benchmark", description="Run a benchmark on the live nodes."
    )
    parser.add_argument("benchmark")
    parser.add_argument("--recording", required=True, help="folder, bag, or sim:SEED")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--scene", default="", help="the benchmark's name of the recorded scene")
    parser.add_argument("--data", type=_path, help="the benchmark's file or folder")
    parser.add_argument("--objects", type=_path, help="file of true objects")
    parser.add_argument("--method", default="symbolic")
    parser.add_argument("--policy", default="always_answer", choices=get_args(Policy))
    parser.add_argument("--limit", type=_number, help="number of rows, drawn with --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--timeout", type=float, default=60.0, help="time limit of an answer in seconds"
    )
    parser.add_argument("--detector", default="", help="detector.weights of the mapping node")
    parser.add_argument("--frames", type=int, default=0, help="number of frames to play; 0: all")
    parser.add_argument("--running", action="store_true", help="the recording has been played")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(remove_ros_args(arguments)[1:] if arguments is None else arguments)
    return LiveOptions(
        given.benchmark,
        given.recording,
        given.scene,
        given.data,
        given.objects,
        given.out,
        given.method,
        given.policy,
        given.limit,
        given.seed,
        given.timeout,
        given.detector,
        given.frames,
        given.running,
        given.json,
    )


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _number(text: str) -> int | None:
    return int(text) if text else None


NODES = "nodes"  # folder of logs and the memory, within that of the run
_READY_S = 60.0


@contextmanager
def mapped_by_nodes(options: LiveOptions, client: SceneMindClient) -> Iterator[None]:
    """Context in which the nodes have mapped the whole recording.

    The player sends frames as fast as the mapping node acknowledges that it has mapped them, and
    ends after the last one.

    Raises:
        RosError: a node failed, or none answers.
    """
    if options.is_running:
        client.wait_ready(_READY_S)
        yield
        return
    folder = options.out / NODES
    shutil.rmtree(folder, ignore_errors=True)  # left by an interrupted run
    played = DemoOptions(options.recording, options.detector or None, folder, options.frames)
    with DemoNodes(played, open_source(options.recording)) as nodes:
        nodes.start()
        nodes.play()  # waits until the mapping node reads; both start at the same time
        client.wait_ready(_READY_S)
        yield
        nodes.check()


_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskedRows:
    """Rows of a benchmark about one scene.

    Attributes:
        truth: the benchmark's true objects; None: not given, or of a simulated room.
    """

    name: str
    scene_id: str
    rows: tuple[Row, ...]
    truth: Scenes | None

    def benchmark(self, source: RoomSource) -> Benchmark:
        """The benchmark, for scoring."""
        if self.name == SIMULATION:
            return simulation_benchmark([self.scene_id], source)
        return get_benchmark(self.name)

    def truth_to_show(self) -> TrueObjects | None:
        """True objects for pictures."""
        return TrueRooms() if self.name == SIMULATION else self.truth

    def viewpoint_of(self, row: Question) -> Pose | None:
        """The pose of the asker; None if the row has no pose, or the scene no alignment."""
        if row.pose is None or self.truth is None:
            return None
        return self.truth.get_viewpoint(row.scene_id, row.pose)


def asked_rows(options: LiveOptions) -> AskedRows:
    """Read the benchmark's rows about the recorded scene.

    Raises:
        EvaluationError: files are missing, or have no rows about the scene; no such method.
        FrameError, SimulationError: there is no such recording.
    """
    checked_method(options.method)
    scene_id = options.scene or _scene_of(options.recording)
    truth = None if options.objects is None else Scenes(options.objects)
    if options.benchmark == SIMULATION:
        every = list(room_rows([scene_id]))
        groups = simulation_benchmark([scene_id], TrueRooms()).groups
    else:
        benchmark = get_benchmark(options.benchmark)
        if options.data is None:
            raise EvaluationError(f"{benchmark.name} needs --data, its file or folder")
        every = [row for row in benchmark.read(options.data) if row.scene_id == scene_id]
        groups = benchmark.groups
    if not every:
        raise EvaluationError(
            f"{options.benchmark} has no rows about {scene_id}: name the scene that was recorded"
            " with --scene"
        )
    rows = select_rows(every, groups, limit=options.limit, seed=options.seed)
    if truth is not None:
        check_truth(rows, truth, with_poses=True)
    elif has_poses(rows):
        _LOG.warning(
            "the nodes get the asker's place in words only: --objects FILE has"
            " the alignment that poses are turned by"
        )
    return AskedRows(options.benchmark, scene_id, tuple(rows), truth)


def _scene_of(recording: str) -> str:
    """Name of the scene: the room's name in a simulation, else that of the recording's folder or
    file."""
    if recording.partition(":")[0] != "sim":
        return Path(recording).stem
    sequence = open_source(recording)
    assert isinstance(sequence, SimulatedSequence), "it is named as one"
    return f"sim:{sequence.room.seed}"


class LiveSource:
    """A `RoomSource` of one scene: for a simulated room, its real objects are known."""

    has_true_ids = False

    def __init__(self, memory: MemoryAccess, scene_id: str, recording: str, detector: str) -> None:
        """Create the source of a mapped scene.

        Args:
            recording, detector: names for the results.
        """
        self.name = f"mapped live from {recording}, detections by the {detector}"
        self._memory = memory
        self._scene_id = scene_id
        self._instances: Mapping[int, int] | None = None

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        if scene_id != self._scene_id:
            raise EvaluationError(f"{scene_id} was not played: the nodes mapped {self._scene_id}")

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[MemoryAccess]:
        """See `SceneSource`."""
        self.check(scene_id)
        yield self._memory

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """See `RoomSource`."""
        if self._instances is None:
            objects = self._memory.snapshot().objects.values()
            self._instances = match_objects(objects, get_room(scene_id)).instance_of
        return self._instances


_NEWS_S = 15.0
_INTERRUPTED = 130  # what a shell reports for an interrupt


def evaluate_live(options: LiveOptions) -> Evaluation:
    """Map, ask every row of the scene, score, and write the run's folder.

    Raises:
        EvaluationError: files are missing, or the folder holds answers about an earlier replay.
        FrameError, SimulationError: there is no such recording.
        RosError, SceneMemoryError: a node failed, or does not answer.
    """
    asked = asked_rows(options)
    with (
        _begun_folder(options, asked) as folder,
        Health() as health,
        ViewingClient("evaluation") as client,
        mapped_by_nodes(options, client),
    ):
        health.wait_for_news(_NEWS_S)
        source = LiveSource(client.memory(), asked.scene_id, options.recording, health.detector)
        return _asked(options, asked, client, source, folder)


def check_run(options: LiveOptions) -> None:
    """Find out before anything is mapped what would end `evaluate_live`; begins the folder.

    Raises:
        EvaluationError, FrameError, SimulationError: as of `evaluate_live`.
    """
    with _begun_folder(options, asked_rows(options)):
        pass


@contextmanager
def _begun_folder(options: LiveOptions, asked: AskedRows) -> Iterator[RunFolder]:
    with RunFolder(options.out, _identity(options, asked)) as folder:
        if folder.predictions(asked.rows):
            raise EvaluationError(
                f"{options.out} holds answers about an earlier replay, and the map of another one"
                " may differ: name another folder"
            )
        yield folder


def _asked(
    options: LiveOptions,
    asked: AskedRows,
    client: ViewingClient,
    source: LiveSource,
    folder: RunFolder,
) -> Evaluation:
    method = RoutedMethod(
        source,
        options.method,
        asking=lambda: Asking(Allowance(options.timeout_s)),
        viewpoint_of=asked.viewpoint_of,
        policy=options.policy,
        open_router=lambda memory: AskedNodes(client, memory),
    )
    said = run(asked.rows, InProcess(lambda _: nullcontext(method)), folder).predictions
    benchmark = asked.benchmark(source)
    evaluation = evaluate(
        benchmark, options.method, source, said, asked.truth, policy=options.policy
    )
    folder.write_evaluation(evaluation.as_json())
    write_submission(benchmark, said, folder.path)
    pictures = PictureSources(source, asked.truth_to_show())
    write_report(folder.report, evaluation, said, pictures, {"recording": options.recording})
    return evaluation


def _identity(options: LiveOptions, asked: AskedRows) -> dict[str, Any]:
    files = [path for path in (options.objects,) if path is not None]
    return identity_of(
        asked.name,
        asked.rows,
        options.method,
        f"mapped live from {options.recording}",
        files,
        SceneMindConfig(),
        policy=options.policy,
        frames=options.frames,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 on failure, 130 when interrupted."""
    options = parse_options(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        evaluation = evaluate_live(options)
    except SceneMindError as error:
        print(f"evaluate_benchmark: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    if options.as_json:
        print_json(evaluation.as_json())
    else:
        print_evaluation(evaluation, 0)
        print(f"written: {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
