"""`scenemind eval`: score a method on a benchmark."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import typer
from rich.progress import track

from scenemind.cli.eval_map import compare_maps, print_template
from scenemind.cli.eval_options import ALIGNMENT, MAP, EvalOptions
from scenemind.cli.eval_recipe import Recipe, SourceChoice
from scenemind.cli.eval_run import Crew, JudgeChoice, Plan, RowChoice, carry_out
from scenemind.cli.options import load_settings, named_detector, takes
from scenemind.composition import Reasoner
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.evaluation.alignment import (
    INPUT,
    PAPER,
    AlignmentResult,
    AlignmentSettings,
    make_tasks,
    run_alignment,
    session_json,
    summarize_sessions,
)
from scenemind.evaluation.benchmark import Benchmark, get_benchmark
from scenemind.evaluation.json_lines import open_lines
from scenemind.evaluation.rooms import SIMULATION, room_names, simulation_benchmark
from scenemind.evaluation.runner import Budget
from scenemind.evaluation.scenes import Scenes
from scenemind.reasoning import Asking
from scenemind.reasoning.query import METHODS
from scenemind.report.replies import usage_text
from scenemind.report.terminal import make_table, print_json, print_table, progress_console
from scenemind.ros_environment import private_domain, ros_environment
from scenemind.simulation import open_source
from scenemind.untrusted import say

app = typer.Typer()

_MAPS = "rooms"


@app.command(
    "eval",
    epilog="Example: scenemind eval nr3d --data ZSVG3D/nr3d_val.json --objects"
    " scannet_objects.json.gz --limit 500 --out nr3d-run --workers 4",
)
@takes(EvalOptions)
def _eval(options: EvalOptions) -> None:
    """Score a method on a benchmark; continue where a run was interrupted.

    Scores are percents with 95 % confidence intervals over scenes. A row without an answer counts
    as wrong; a row that cannot be scored does not count.
    """
    options.check()
    settings = load_settings(
        options.config,
        model=options.model,
        endpoint=options.endpoint,
        record=options.record,
        replay=options.replay,
        detector=options.detector,
        depth_model=options.depth_model,
    )
    if options.name == MAP:
        (print_template if options.template else compare_maps)(options, settings)
    elif options.name == ALIGNMENT:
        _eval_alignment(options, settings)
    elif options.live:
        _eval_live(options, settings)
    else:
        carry_out(_plan_of(options, settings), options.as_json)


def _plan_of(options: EvalOptions, settings: SceneMindConfig) -> Plan:
    """
    Raises:
        UsageError: the benchmark's data, or the scenes, are not named.
    """
    benchmark, data, choice = _scenes_of(options, settings)
    if choice.is_blind:
        method = "blind"
    elif choice.images:
        method = "vadar"
    else:
        method = options.method
    return Plan(
        benchmark,
        RowChoice(
            data, tuple(options.only or ()), options.limit, options.seed, options.skip_missing
        ),
        Recipe(
            choice,
            method,
            settings,
            options.objects if options.pose else None,
            options.policy,
            options.timeout,
        ),
        Crew(options.workers, options.ray, options.at_once),
        Budget(options.budget, options.budget_tokens),
        options.pose,
        JudgeChoice(options.judge, options.judge_endpoint),
        options.out,
        options.report,
    )


def _scenes_of(
    options: EvalOptions, settings: SceneMindConfig
) -> tuple[Benchmark, Path, SourceChoice]:
    """The benchmark, its file or folder (simulated rooms have none), and its scenes."""
    if options.name == SIMULATION:
        maps = _map_folder(options.out) if options.mapped else None
        choice = SourceChoice(
            None,
            options.memories,
            options.instances,
            options.images,
            options.blind,
            is_simulated=True,
            maps=maps,
        )
        rooms = SourceChoice(is_simulated=True, maps=maps).simulated_rooms(settings)
        return simulation_benchmark(room_names(options.rooms), rooms), Path(), choice
    benchmark, data, images = get_benchmark(options.name), options.data, options.images
    if data is None:
        raise UsageError(f"{options.name} needs --data, the benchmark's file or folder")
    if benchmark.needs_images == "image" and not options.blind:
        # Published benchmarks have their images beside the file.
        images = images or (data if data.is_dir() else data.parent) / "images"
    choice = SourceChoice(
        options.objects, options.memories, options.instances, images, options.blind
    )
    return benchmark, data, choice


def _map_folder(out: Path | None) -> Path:
    """Folder of maps of simulated rooms: in the run's folder, or a temporary one."""
    if out is not None:
        return out / _MAPS
    folder = Path(tempfile.mkdtemp(prefix="scenemind-rooms-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# Live nodes


def _eval_live(options: EvalOptions, settings: SceneMindConfig) -> NoReturn:
    """Become the process that plays the recording to new nodes and asks them.

    Raises:
        UsageError: no folder for the run; or settings that live nodes take as ROS parameters.
        FrameError, SimulationError, PerceptionError: the recording or the detector is unusable.
    """
    own = (options.config, options.model, options.endpoint, options.record, options.replay)
    if any(own):
        raise UsageError(
            "live nodes have models and settings from ROS parameters: start them with these"
            " (evaluate.launch.py params_file:=..., or see docs/evaluation.md)"
        )
    if options.out is None:
        raise UsageError("--live keeps the nodes' logs and map beside what they said: say --out")
    # Loads the model, so that a bad one is reported before anything starts.
    chosen, _ = named_detector(settings, open_source(options.live))
    arguments = {
        "--recording": options.live,
        "--out": str(options.out),
        "--scene": options.scene,
        "--data": str(options.data or ""),
        "--objects": str(options.objects or ""),
        "--method": options.method,
        "--policy": options.policy,
        "--limit": str(options.limit or ""),
        "--seed": str(options.seed),
        "--timeout": str(options.timeout),
    }
    if chosen.detector.backend != "instance_camera":
        arguments["--detector"] = chosen.detector.weights
    command = [sys.executable, "-m", "scenemind_ros.evaluation", options.name]
    command += [word for pair in arguments.items() for word in pair]
    command += ["--json"] if options.as_json else []
    os.execve(command[0], command, {**ros_environment(), **private_domain()})


# Benchmark alignment


def _eval_alignment(options: EvalOptions, settings: SceneMindConfig) -> None:
    """Let simulated persons correct planted errors, and print the scores.

    Raises:
        UsageError: no objects to make the tasks from, or no such method.
    """
    if options.objects is None:
        raise UsageError("alignment needs --objects, from which its tasks are made")
    method, seed = options.method, options.seed
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}; there are {', '.join(METHODS)}")
    scenes = Scenes(options.objects, settings.relations)
    tasks = make_tasks(scenes, seed)[: options.limit]
    with ExitStack() as files:
        reasoner = files.enter_context(Reasoner(settings))
        write = files.enter_context(open_lines(options.out)) if options.out else None
        sessions = []
        for session in run_alignment(
            track(tasks, "alignment", console=progress_console(), transient=True),
            AlignmentSettings(method, seed, options.clicks, options.wording, settings.relations),
            {} if method == "symbolic" else reasoner.methods,
            lambda: Asking(reasoner.allowance(options.timeout)),
        ):
            sessions.append(session)
            if write is not None:
                write(session_json(session))
    result = summarize_sessions(sessions, method)
    if options.as_json:
        settings_json = {"seed": seed, "clicks": options.clicks, "wording": options.wording}
        print_json({**settings_json, **result.as_json()})
    else:
        _print_alignment(result, seed)


def _print_alignment(result: AlignmentResult, seed: int) -> None:
    tasks, novel = result.tasks, result.novel
    columns = ("tasks", "success %", "right at first %", "interactions")
    title = f"alignment, {tasks.method}, seed {seed}"
    table = make_table("", *columns, title=title, right=",".join(columns))
    rows = {"all": (tasks.n, tasks.scores)}
    rows |= {name: (group.n, group.scores) for name, group in tasks.breakdown.items()}
    for name, (n, scores) in rows.items():
        mean = result.interactions[name]
        table.add_row(
            name, str(n), *(f"{score.percent:.1f}" for score in scores.values()), f"{mean:.2f}"
        )
    print_table(table)
    table = make_table(
        *("", "questions", "before %", "after %"),
        title="novel questions",
        right="questions,before %,after %",
    )
    rows = {"all": (novel.n, novel.scores)}
    rows |= {name: (group.n, group.scores) for name, group in novel.breakdown.items()}
    for name, (n, scores) in rows.items():
        table.add_row(name, str(n), *(f"{score.percent:.1f}" for score in scores.values()))
    print_table(table)
    say(f"of {INPUT}")
    if result.corrections_done is not None:
        say(f"corrections that did what was meant: {result.corrections_done:.1f} %")
    if result.query_ratio is not None:
        say(f"told of the scene graph in an answer: {result.query_ratio:.1f} %")
    paper = PAPER["success_judged_by_a_model"]
    say(
        "paper (people, GPT-4 turbo, 3D-VisTA's errors): success"
        f" {paper['easy']:.0f} / {paper['hard']:.0f} % easy / hard, novel questions"
        f" {PAPER['novel_before']['all']} -> {PAPER['novel_after']['all']} %"
    )
    say(f"{tasks.seconds + novel.seconds:.1f} s")
    usage = tasks.usage + novel.usage
    if usage.calls:
        say(usage_text(usage))
