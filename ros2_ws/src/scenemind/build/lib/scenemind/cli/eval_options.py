"""Options of `scenemind eval`, and the check that a benchmark uses those that were given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    DepthModel,
    DetectorOfPhoto,
    Endpoint,
    MemoryRoot,
    ModelName,
    PolicyName,
    Record,
    Replay,
    memory_names,
    was_given,
)
from scenemind.errors import UsageError
from scenemind.evaluation.alignment import Wording
from scenemind.evaluation.benchmark import BENCHMARKS
from scenemind.evaluation.rooms import SIMULATION

ALIGNMENT = "alignment"
MAP = "map"
NAMES = (*BENCHMARKS, SIMULATION, ALIGNMENT, MAP)

# Panels of --help.
_SCENES = "Scenes"
_ROWS = "Questions"
_WORKERS = "Workers and budget"
_RESULTS = "Results"
_ALIGNMENT_PANEL = "Benchmark alignment"
_MAP_PANEL = "Maps beside boxes made by hand"


@dataclass(frozen=True, kw_only=True)
class EvalOptions:
    """All options of the command; each of them is described by its help."""

    context: typer.Context
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"{', '.join(NAMES)}.")]
    method: Annotated[
        str,
        typer.Option(
            help="Method of reasoning, as in `scenemind ask`; or zsvg3d_programs: the programs"
            " recorded in ZSVG3D's files."
        ),
    ] = "symbolic"
    policy: PolicyName = "always_answer"
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds that each answer may take.")
    ] = 60.0

    objects: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SCENES,
            help="Objects file (JSON, also gzipped) with the benchmark's true objects. Boxes are"
            " compared with them; they are also the scenes, where no other option gives these.",
            show_default=False,
        ),
    ] = None
    memories: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SCENES,
            help="Folder of mapped memories, one a scene: DIR/<scene>/, as `scenemind map` makes"
            " them.",
            show_default=False,
        ),
    ] = None
    instances: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SCENES,
            help="Objects that a detector found: a file as of --objects, with ids of its own and,"
            " optionally, scores.",
            show_default=False,
        ),
    ] = None
    images: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SCENES,
            help="Folder of the photographs of the questions (omni3d), for method vadar.",
            show_default=False,
        ),
    ] = None
    blind: Annotated[
        bool,
        typer.Option(
            "--blind",
            rich_help_panel=_SCENES,
            help="No scene: a language model gets the question alone.",
        ),
    ] = False
    rooms: Annotated[
        int,
        typer.Option(min=1, rich_help_panel=_SCENES, help="Benchmark simulation: number of rooms."),
    ] = 5
    mapped: Annotated[
        bool,
        typer.Option(
            "--mapped",
            rich_help_panel=_SCENES,
            help="Benchmark simulation: ask maps of rendered drives with detection errors, instead"
            " of the true rooms.",
        ),
    ] = False
    live: Annotated[
        str,
        typer.Option(
            "--live",
            metavar="RECORDING",
            rich_help_panel=_SCENES,
            help="Play a bag, a folder or sim:SEED to live nodes, and ask them the rows of the"
            " scene of that name.",
            show_default=False,
        ),
    ] = ""
    scene: Annotated[
        str,
        typer.Option(
            "--scene",
            rich_help_panel=_SCENES,
            help="With --live: the benchmark's name of the recorded scene.",
            show_default="the recording's name",
        ),
    ] = ""

    data: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_ROWS,
            help="The benchmark's file or folder; for nr3d and scanrefer also ZSVG3D's. The tasks"
            " of alignment are made from --objects instead.",
            show_default=False,
        ),
    ] = None
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=_ROWS,
            help="Number of rows, drawn with --seed.",
            show_default="all",
        ),
    ] = None
    seed: Annotated[
        int, typer.Option(rich_help_panel=_ROWS, help="Seed of the drawn rows or tasks.")
    ] = 0
    only: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=_ROWS,
            help="Only rows of this group, such as hard or how; repeated: of all of these groups.",
            show_default="all",
        ),
    ] = None
    skip_missing: Annotated[
        bool,
        typer.Option(
            "--skip-missing",
            rich_help_panel=_ROWS,
            help="Leave out rows of missing scenes, such as scenes that are not mapped yet.",
        ),
    ] = False
    pose: Annotated[
        bool,
        typer.Option(
            "--pose/--no-pose",
            rich_help_panel=_ROWS,
            help="Give the asker's viewpoint as a pose too, not only in words; needs --objects.",
        ),
    ] = True

    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            min=1,
            rich_help_panel=_WORKERS,
            help="Number of processes; each takes one scene at a time.",
        ),
    ] = 1
    ray: Annotated[
        str,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            rich_help_panel=_WORKERS,
            help='Use workers of a Ray cluster (extra ray) at this address, or "local".',
            show_default=False,
        ),
    ] = ""
    at_once: Annotated[
        int,
        typer.Option(
            min=1,
            rich_help_panel=_WORKERS,
            help="Questions in flight in each worker; more than one helps with models.",
        ),
    ] = 1
    budget: Annotated[
        float,
        typer.Option(
            "--budget",
            min=0.0,
            rich_help_panel=_WORKERS,
            help="Most that models may cost in all, by their configured prices; no scene is begun"
            " beyond it. 0: no limit.",
        ),
    ] = 0.0
    budget_tokens: Annotated[
        int,
        typer.Option(
            "--budget-tokens",
            min=0,
            rich_help_panel=_WORKERS,
            help="The same in tokens. 0: no limit.",
        ),
    ] = 0

    out: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_RESULTS,
            help="Folder for predictions, scores and the submission file. The same command"
            " continues an interrupted run. For alignment: a new file for the conversations.",
            show_default=False,
        ),
    ] = None
    report: Annotated[
        bool,
        typer.Option(rich_help_panel=_RESULTS, help="With --out: write a page for people too."),
    ] = True
    judge: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            rich_help_panel=_RESULTS,
            help="Model that marks answers (llm_match), as GPT-4 does for OpenEQA.",
            show_default=False,
        ),
    ] = ""
    judge_endpoint: Annotated[
        str,
        typer.Option(
            rich_help_panel=_RESULTS,
            help="Server of the judge; else the language model's.",
            show_default=False,
        ),
    ] = ""

    clicks: Annotated[
        bool,
        typer.Option(
            rich_help_panel=_ALIGNMENT_PANEL, help="Let simulated persons click on objects."
        ),
    ] = True
    wording: Annotated[
        Wording,
        typer.Option(
            rich_help_panel=_ALIGNMENT_PANEL,
            help="Set of wordings of the simulated persons. The grammar was written with all of"
            " them in view.",
        ),
    ] = "first"

    truth: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_MAP_PANEL,
            help="File of objects boxed by hand, in the memory's world; docs/evaluation.md has the"
            " format.",
            show_default=False,
        ),
    ] = None
    memory: Annotated[
        list[str] | None,
        typer.Option(
            "--memory",
            "-m",
            rich_help_panel=_MAP_PANEL,
            help="Name of the memory, or its folder as a path with a slash; repeated: each of"
            " these is compared.",
            autocompletion=memory_names,
            show_default="current",
        ),
    ] = None
    template: Annotated[
        bool,
        typer.Option(
            "--template",
            rich_help_panel=_MAP_PANEL,
            help="Print the memory's own boxes as such a file, for a person to mend.",
        ),
    ] = False
    memory_root: MemoryRoot = None

    detector: DetectorOfPhoto = ""
    depth_model: DepthModel = ""
    model: ModelName = ""
    endpoint: Endpoint = ""
    record: Record = None
    replay: Replay = None
    config: ConfigFile = None
    as_json: AsJson = False

    def check(self) -> None:
        """
        Raises:
            UsageError: no such benchmark; or an option was given that it, or `--live`, does not
                use.
        """
        if self.name not in NAMES:
            raise UsageError(f"there is no benchmark {self.name!r}; there are {', '.join(NAMES)}")
        user = "--live" if self.live and self.name != ALIGNMENT else self.name
        unused = [
            max(option.opts, key=len)
            for option in self.context.command.params
            if option.name and was_given(self.context, option.name) and not _uses(user, option.name)
        ]
        if unused:
            raise UsageError(f"{user} takes no {', '.join(unused)}: leave it out")


_OF_ALL = frozenset(
    {"name", "method", "limit", "seed", "timeout", "out", "config", "model", "endpoint"}
    | {"record", "replay", "as_json"}
)
_OF_ALIGNMENT = frozenset({"clicks", "wording"})
_OF_ROOMS = frozenset({"rooms", "mapped"})
_OF_LIVE = frozenset({"live", "scene"})
_OF_MAPS = frozenset({"truth", "memory", "template", "memory_root"})
_USED = {
    MAP: _OF_MAPS | {"name", "out", "report", "config", "as_json"},
    ALIGNMENT: _OF_ALL | _OF_ALIGNMENT | {"objects"},
    "--live": _OF_ALL | _OF_LIVE | {"data", "objects", "policy", "detector"},
}


def _uses(user: str, option: str) -> bool:
    if user in _USED:
        return option in _USED[user]
    of_others = _OF_ALIGNMENT | _OF_LIVE | _OF_MAPS
    if user == SIMULATION:
        return option not in of_others | {"data", "objects"}
    return option not in of_others | _OF_ROOMS
