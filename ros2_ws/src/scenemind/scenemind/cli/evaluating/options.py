"""Options of `scenemind eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.evaluation.alignment import Wording
from scenemind.reasoning import Policy

# Panels of --help.
_SCENES = "What is known of the scenes"
_ROWS = "What is asked"
_WORKERS = "Who asks"
_RESULTS = "What comes of it"
_ALIGNMENT = "Of alignment"

Data = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=_ROWS,
        help="The benchmark's file, or its folder; for nr3d and scanrefer also ZSVG3D's. Not for"
        " alignment, whose tasks are made from the objects.",
        show_default=False,
    ),
]
Objects = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=_SCENES,
        help="Objects file (JSON, also gzipped) with the benchmark's true objects: what is known of"
        " the scenes, where no other option says that, and the truth that boxes are compared with.",
        show_default=False,
    ),
]
Memories = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=_SCENES,
        help="Folder of mapped memories, one a scene: DIR/<scene>/, as of scenemind map.",
        show_default=False,
    ),
]
Instances = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=_SCENES,
        help="Objects that a detector found: a file as of --objects, with its own ids and, where it"
        " has them, scores.",
        show_default=False,
    ),
]
Images = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=_SCENES,
        help="Folder of the photographs that questions are about (omni3d); asked by method vadar.",
        show_default=False,
    ),
]
Blind = Annotated[
    bool,
    typer.Option(
        "--blind",
        rich_help_panel=_SCENES,
        help="A language model is told the question, and sees nothing.",
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        help="Who answers, as of scenemind ask; or zsvg3d_programs, the programs recorded in"
        " ZSVG3D's files."
    ),
]
Rooms = Annotated[
    int,
    typer.Option(
        min=1,
        rich_help_panel=_SCENES,
        help="Of simulation: so many rooms; nobody's data are needed.",
    ),
]
Mapped = Annotated[
    bool,
    typer.Option(
        "--mapped",
        rich_help_panel=_SCENES,
        help="Of simulation: maps of rendered drives, with detections that err, are asked instead"
        " of what is really there.",
    ),
]
LiveRecording = Annotated[
    str,
    typer.Option(
        "--live",
        metavar="RECORDING",
        rich_help_panel=_SCENES,
        help="Play a bag, folder or sim:SEED to live nodes, and ask these; the rows are those about"
        " the scene of that name.",
        show_default=False,
    ),
]
LiveScene = Annotated[
    str,
    typer.Option(
        "--scene",
        rich_help_panel=_SCENES,
        help="With --live: the benchmark's name of what was recorded.",
        show_default="the recording's name",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1, rich_help_panel=_ROWS, help="So many rows, drawn with --seed.", show_default="all"
    ),
]
Seed = Annotated[
    int,
    typer.Option(rich_help_panel=_ROWS, help="Which rows are drawn; of alignment: which tasks."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=_ROWS,
        help="Rows of this group, such as hard or how; several times: of all of these.",
        show_default="all",
    ),
]
SkipMissing = Annotated[
    bool,
    typer.Option(
        "--skip-missing",
        rich_help_panel=_ROWS,
        help="Leave out rows whose scene is not there, such as not mapped yet.",
    ),
]
WithPose = Annotated[
    bool,
    typer.Option(
        "--pose/--no-pose",
        rich_help_panel=_ROWS,
        help="Tell where who asks stands as a pose too, not in words alone; needs --objects.",
    ),
]
PolicyName = Annotated[
    Policy,
    typer.Option(help="What to do where nothing that is known answers a row; see scenemind ask."),
]
WorkerCount = Annotated[
    int,
    typer.Option(
        "--workers",
        min=1,
        rich_help_panel=_WORKERS,
        help="Processes that answer, a scene each at a time.",
    ),
]
Ray = Annotated[
    str,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        rich_help_panel=_WORKERS,
        help='Workers on a Ray cluster instead (extra ray): its address, or "local".',
        show_default=False,
    ),
]
AtOnce = Annotated[
    int,
    typer.Option(
        min=1,
        rich_help_panel=_WORKERS,
        help="Questions that each worker has in flight; more than one is of use with models.",
    ),
]
CostBudget = Annotated[
    float,
    typer.Option(
        "--budget",
        min=0.0,
        rich_help_panel=_WORKERS,
        help="What models may cost in all, by their configured prices; then no other scene is"
        " begun. 0: no limit.",
    ),
]
TokenBudget = Annotated[
    int,
    typer.Option(
        "--budget-tokens", min=0, rich_help_panel=_WORKERS, help="The same in tokens. 0: no limit."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=_RESULTS,
        help="Folder for predictions, scores and a file to submit. The same command goes on there"
        " where it stopped. Of alignment: a new file for the conversations.",
        show_default=False,
    ),
]
AnswerTimeout = Annotated[
    float, typer.Option("--timeout", min=0.1, help="Seconds that each answer may take.")
]
Clicks = Annotated[
    bool,
    typer.Option(
        rich_help_panel=_ALIGNMENT, help="Alignment: the simulated persons may click on things."
    ),
]
WordingName = Annotated[
    Wording,
    typer.Option(
        rich_help_panel=_ALIGNMENT,
        help="Alignment: in which set of wordings they correct; the grammar was made with all of"
        " these in view.",
    ),
]
Judge = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        rich_help_panel=_RESULTS,
        help="This model marks answers (llm_match), as OpenEQA has GPT-4 do it.",
        show_default=False,
    ),
]
JudgeEndpoint = Annotated[
    str,
    typer.Option(
        rich_help_panel=_RESULTS,
        help="The judge's server; else the language model's.",
        show_default=False,
    ),
]
Report = Annotated[
    bool, typer.Option(rich_help_panel=_RESULTS, help="With --out: write a page for people too.")
]
