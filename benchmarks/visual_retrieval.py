"""Measurement of the layouts of stitched pictures that a vision model can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import scenemind as sm
from benchmarks.retrieval_trials import (
    HOPELESS,
    Outcome,
    Step,
    VisualRetrieval,
    decode_picture,
    scores_of,
    steps_of,
)
from scenemind.bench.machine import machine, versions
from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    Endpoint,
    MemoryRoot,
    ModelName,
    Record,
    Replay,
    load_settings,
)
from scenemind.composition import memory_folder
from scenemind.config import SceneMindConfig
from scenemind.describing import vision_only
from scenemind.errors import UsageError
from scenemind.evaluation import EvaluationError
from scenemind.frames.images import encode_color_file
from scenemind.models import Usage, open_models
from scenemind.reasoning.vlm_grounder.measured_layouts import (
    LayoutScore,
    MeasuredLayouts,
    best_layouts,
)
from scenemind.reasoning.vlm_grounder.stitching import Layout
from scenemind.report.curves import Chart, Series, render_curves
from scenemind.report.drawing import standalone_svg
from scenemind.report.replies import usage_json, usage_text
from scenemind.report.terminal import print_json, print_table, progress_console
from scenemind.simulation import simulate
from scenemind.untrusted import printable

Item = TypeVar("Item", int, Path)
_MOST = 200  # from a folder or a memory, evenly chosen
_ROOMS, _VIEWS = 4, 15
_JPEG_QUALITY = 95
_SUFFIXES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Pictures for the requests.

    Attributes:
        files: readable by OpenCV, no side of their pictures longer than a sheet's.
        source: origin of the pictures, in words.
        size_px: width and height of the first.
    """

    files: tuple[bytes, ...]
    source: str
    size_px: tuple[int, int]


def open_pictures(name: str, root: Path | None, config: SceneMindConfig) -> Pictures:
    """Pictures from a folder, from a memory, or without a name from simulated rooms.

    Raises:
        UsageError: there is no such folder or memory, or it has no pictures.
        SceneMemoryError: the memory is damaged, or a process writes to it.
    """
    longest_px = config.vlm_grounder.longest_px
    if not name:
        return _checked(_simulated(), f"{_ROOMS} simulated rooms", longest_px)
    folder = Path(name)
    if folder.is_dir():
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
        files = {path.name: _read(path) for path in _some(paths)}
        return _checked(files, f"folder {name}", longest_px)
    with sm.open(memory_folder(name, root), read_only=True, config=config) as scene:
        numbers = _some(scene.memory.stored_frames())
        files = {f"frame {number}": scene.memory.key_frame(number).jpeg for number in numbers}
        return _checked(files, f"memory {name}", longest_px)


def _read(path: Path) -> bytes:
    """Read a picture.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _checked(files: Mapping[str, bytes], source: str, longest_px: int) -> Pictures:
    """Check all pictures before the first request, and reduce them to the size of a sheet: hundreds
    of phone pictures would take a minute and a gigabyte for each request.

    Args:
        files: by name.

    Raises:
        UsageError: there are none, or one is unusable.
    """
    if not files:
        raise UsageError(f"{source} has no pictures ({', '.join(_SUFFIXES)} in a folder)")
    fitted: list[bytes] = []
    sizes_px: list[tuple[int, int]] = []
    for name, file in files.items():
        try:
            image = decode_picture(file)
        except EvaluationError as error:
            raise UsageError(f"{source}, {name}: {error}") from error
        scale = longest_px / max(image.shape[:2])
        small = image if scale >= 1.0 else _shrunk(image, scale)
        fitted.append(file if scale >= 1.0 else _jpeg(small))
        sizes_px.append((small.shape[1], small.shape[0]))
    return Pictures(tuple(fitted), source, sizes_px[0])


def _shrunk(image: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    """JPEG file of (H, W, 3) uint8, BGR."""
    _, jpeg = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY))
    return jpeg.tobytes()


def _some(every: Sequence[Item]) -> list[Item]:
    chosen = np.linspace(0, len(every) - 1, min(len(every), _MOST)).round().astype(int)
    return [every[place] for place in chosen]


def _simulated() -> dict[str, bytes]:
    return {
        f"view {number} of room {seed}": encode_color_file(frame.color)
        for seed in range(1, _ROOMS + 1)
        for number, frame in enumerate(simulate(seed, _VIEWS), start=1)
    }


_HOPELESS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Run:
    """Results of a run.

    Attributes:
        outcomes: in the order of the requests.
        stopped: reason for an early end; empty: all steps ran.
    """

    outcomes: tuple[Outcome, ...]
    stopped: str

    @property
    def usage(self) -> Usage:
        return _usage(self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.failure)


def run_benchmark(benchmark: VisualRetrieval, steps: Sequence[Step]) -> Run:
    """Run all steps, with a progress bar, the time left and the cost. It ends early if interrupted,
    or if several requests in a row fail for a lasting reason.

    Raises:
        EvaluationError: see `VisualRetrieval.ask`.
    """
    outcomes: list[Outcome] = []
    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    stopped = ""
    with Progress(*columns, console=progress_console(), transient=True) as progress:
        task = progress.add_task("asking", total=len(steps))
        try:
            for step in steps:
                outcomes.append(benchmark.ask(step))
                progress.update(task, advance=1, description=_so_far(outcomes))
                if stopped := _hopeless(outcomes):
                    break
        except KeyboardInterrupt:
            stopped = "interrupted"
    return Run(tuple(outcomes), stopped)


def _hopeless(outcomes: Sequence[Outcome]) -> str:
    last = outcomes[-_HOPELESS_IN_A_ROW:]
    if len(last) < _HOPELESS_IN_A_ROW or any(outcome.failure not in HOPELESS for outcome in last):
        return ""
    return f"{len(last)} requests failed in a row: {last[-1].message}"


def _so_far(outcomes: Sequence[Outcome]) -> str:
    usage = _usage(outcomes)
    failed = sum(outcome.failure is not None for outcome in outcomes)
    cost = f", cost {usage.cost:.3g}" if usage.cost else ""
    return f"{usage.tokens:,} tokens{cost}, {failed} failed"


def _usage(outcomes: Sequence[Outcome]) -> Usage:
    return sum((outcome.usage for outcome in outcomes), Usage())


_HEADINGS = ["layout", "sheets", "pictures", "requests", "failed", "recall %", "wrong", "seconds"]
_SMALLEST_LOSS = 0.1  # percent, the least that a logarithmic axis can show


def result_json(measured: MeasuredLayouts, run: Run, source: str) -> dict[str, Any]:
    """JSON of the results."""
    return {
        **measured.model_dump(),
        "scores": [{**score.model_dump(), "recall": score.recall} for score in measured.scores],
        "best": [str(layout) for layout in best_layouts(measured.scores)],
        "requests": len(run.outcomes),
        "failed": len(run.failures),
        "stopped": run.stopped,
        "pictures": source,
        "usage": usage_json(run.usage),
        "machine": machine(),
        "versions": versions(),
    }


def print_result(measured: MeasuredLayouts, run: Run, source: str) -> None:
    """Print the results for people."""
    title = f"visual retrieval, {printable(measured.model)}, {source}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    for score in measured.scores:
        table.add_row(
            str(score.layout),
            str(score.sheets),
            str(score.layout.cells * score.sheets),
            str(score.requests),
            ", ".join(f"{count} {kind}" for kind, count in score.failed.items()) or "0",
            "-" if score.recall is None else f"{100 * score.recall:.1f}",
            str(score.wrong),
            "-" if score.seconds is None else f"{score.seconds:.1f}",
        )
    print_table(table)
    best = ", ".join(map(str, best_layouts(measured.scores)))
    print(f"best layouts: {best or 'none: no picture was read'}")
    for kind, message in {o.failure: o.message for o in reversed(run.failures)}.items():
        print(f"failed, {kind}: {printable(message)}")
    if run.stopped:
        print(f"ended early: {printable(run.stopped)}")
    print(usage_text(run.usage))


def draw(scores: Sequence[LayoutScore], path: Path) -> None:
    """Time and loss over the number of pictures in a request (paper, figure 4), as an SVG file."""
    charts = (
        Chart(
            "Time of a request",
            "median of those that were answered",
            "pictures",
            "seconds",
            _series(scores, lambda score: score.seconds),
        ),
        Chart(
            "Pictures that were not read",
            f"of answered requests; {_SMALLEST_LOSS:g} stands for none",
            "pictures",
            "percent",
            _series(scores, _loss_percent),
        ),
    )
    path.write_text(standalone_svg(render_curves(charts)), encoding="utf-8")


def _loss_percent(score: LayoutScore) -> float | None:
    return None if score.recall is None else max(_SMALLEST_LOSS, 100.0 * (1.0 - score.recall))


def _series(
    scores: Iterable[LayoutScore], value_of: Callable[[LayoutScore], float | None]
) -> tuple[Series, ...]:
    lines: dict[Layout, list[tuple[float, float]]] = {}
    for score in scores:
        value = value_of(score)
        if value is not None:
            point = (float(score.layout.cells * score.sheets), value)
            lines.setdefault(score.layout, []).append(point)
    return tuple(Series(str(layout), tuple(sorted(line))) for layout, line in lines.items())


_LAYOUTS = "2x2,4x1,2x4,3x3,8x2,5x5,9x3,6x6"
_LENGTHS = "1,2,4,6"


def bench_visual_retrieval(
    images: Annotated[
        str,
        typer.Option(
            help="Folder of pictures, or name of a memory.", show_default="simulated rooms"
        ),
    ] = "",
    layouts: Annotated[
        str, typer.Option(help="Layouts to measure: rows x columns of pictures on a sheet.")
    ] = _LAYOUTS,
    lengths: Annotated[
        str, typer.Option(help="Numbers of sheets in a request, for each layout.")
    ] = _LENGTHS,
    trials: Annotated[
        int, typer.Option(min=1, help="Requests for each layout and number of sheets.")
    ] = 3,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of pictures, ids, colours and places.")
    ] = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Time limit of a request in seconds.")
    ] = 120.0,
    out: Annotated[
        Path | None,
        typer.Option(help="File for vlm_grounder.layouts_file.", show_default=False),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="SVG file for a plot of time and loss.", show_default=False),
    ] = None,
    model: ModelName = "",
    endpoint: Endpoint = "",
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Find the layouts in which your vision model still reads stitched pictures.

    Every picture has an id and a block of one of six colours; recall is the share of pictures that
    the model names with both (VLM-Grounder, section 4.3). Failed requests are listed, and do not
    lower recall. Requests run one after the other, within the budgets of the models.
    """
    settings = load_settings(
        config,
        model=model,
        endpoint=endpoint,
        record=record,
        replay=replay,
    )
    steps = steps_of(_layouts(layouts), _numbers(lengths, "--lengths"), trials)
    for file in filter(None, (out, picture)):
        _make_room_for(file)
    longest_px = settings.vlm_grounder.longest_px
    with open_models(vision_only(settings.models)) as opened:
        opened.check_keys()
        if opened.vision is None:
            raise UsageError(
                "no model is named: use --model, or set models.vision.model in the --config file"
            )
        shown = open_pictures(images, memory_root, settings)
        benchmark = VisualRetrieval(
            opened.vision, shown.files, longest_px, seed, lambda: opened.allowance(timeout)
        )
        run = run_benchmark(benchmark, steps)
        name = opened.vision.name
    if not run.outcomes:
        raise UsageError(f"{run.stopped} before the first answer")
    measured = MeasuredLayouts(
        model=name,
        longest_px=longest_px,
        picture_px=shown.size_px,
        seed=seed,
        is_whole=not run.stopped,
        scores=scores_of(run.outcomes),
    )
    if out is not None:
        out.write_text(measured.model_dump_json(indent=1), encoding="utf-8")
    if picture is not None:
        draw(measured.scores, picture)
    if as_json:
        print_json(result_json(measured, run, shown.source))
    else:
        print_result(measured, run, shown.source)
        if out is not None and measured.is_whole and best_layouts(measured.scores):
            typer.echo(f"wrote {out}: set vlm_grounder.layouts_file to it")
    if len(run.failures) == len(run.outcomes):
        raise typer.Exit(1)


def _layouts(text: str) -> tuple[Layout, ...]:
    """Parse a list of layouts.

    Raises:
        UsageError: not a list of layouts.
    """
    found = []
    for part in text.split(","):
        sides = part.strip().lower().split("x")
        if len(sides) != 2 or not all(side.isascii() and side.isdigit() for side in sides):
            raise UsageError(f"--layouts: {part!r} is not a layout such as 4x1")
        found.append(Layout(*map(int, sides)))
    if any(layout.cells < 1 for layout in found):
        raise UsageError(f"--layouts: {text!r} has a layout without cells")
    return tuple(dict.fromkeys(found))


def _numbers(text: str, option: str) -> tuple[int, ...]:
    """Parse a list of positive numbers.

    Raises:
        UsageError: not a list of numbers from 1.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise UsageError(f"{option}: {text!r} is not a list of numbers such as 1,2,4")
    return tuple(dict.fromkeys(map(int, parts)))


def _make_room_for(file: Path) -> None:
    """Create the file, to fail before requests cost money; an empty file does not remain.

    Raises:
        UsageError: it cannot be written.
    """
    is_new = not file.exists()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("ab").close()
        if is_new:
            file.unlink()
    except OSError as error:
        raise UsageError(f"cannot write to {file}: {error.strerror}") from error
