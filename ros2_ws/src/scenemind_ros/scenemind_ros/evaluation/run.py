"""A benchmark asked of the live nodes, from a recording to a run's folder."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from scenemind.cli.evaluating.show import print_evaluation
from scenemind.cli.output import print_json
from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMindError
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.identity import identity_of
from scenemind.evaluation.page import write_report
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.routed import RoutedMethod
from scenemind.evaluation.run_folder import RunFolder
from scenemind.evaluation.runner import run
from scenemind.evaluation.scoring import evaluate
from scenemind.evaluation.submissions import write_submission
from scenemind.evaluation.workers import InProcess
from scenemind.models import Allowance
from scenemind.reasoning import Asking
from scenemind_ros.commands.live_view.asked_nodes import AskedNodes
from scenemind_ros.commands.live_view.nodes_memory import ViewingClient
from scenemind_ros.demo.health import Health
from scenemind_ros.evaluation.asked_rows import AskedRows, asked_rows
from scenemind_ros.evaluation.live_source import LiveSource
from scenemind_ros.evaluation.options import LiveOptions, parse_options
from scenemind_ros.evaluation.replaying import mapped_by_nodes

_NEWS_S = 15.0
_INTERRUPTED = 130  # what a shell reports for an interrupt


def evaluate_live(options: LiveOptions) -> Evaluation:
    """Ask every row of the scene when all is mapped, score, and write the run's folder.

    Raises:
        EvaluationError: files are missing, or the folder holds answers about an earlier replay.
        FrameError, SimulationError: there is no such recording.
        RosError, SceneMemoryError: a node failed, or does not answer.
    """
    asked = asked_rows(options)
    with (
        RunFolder(options.out, _identity(options, asked)) as folder,
        Health() as health,
        ViewingClient("evaluation") as client,
    ):
        if folder.predictions(asked.rows):
            raise EvaluationError(
                f"{options.out} holds answers about an earlier replay, and the map of another one"
                " may differ: name another folder"
            )
        with mapped_by_nodes(options, client):
            health.wait_for_news(_NEWS_S)
            source = LiveSource(client.memory(), asked.scene_id, options.recording, health.detector)
            return _asked(options, asked, client, source, folder)


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
    evaluation = evaluate(asked.benchmark(source), options.method, source, said, asked.truth)
    folder.write_evaluation(evaluation.as_json())
    write_submission(asked.name, said, folder.path)
    settings = {"recording": options.recording, "policy": options.policy}
    write_report(folder.report, evaluation, said, source, asked.truth_to_show(), settings)
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
    """0; 1 when it could not be done, 130 when it was interrupted."""
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
