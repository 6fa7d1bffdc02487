"""`scenemind eval map`: maps beside boxes that a person made by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.markup import escape

from scenemind.cli.eval_options import EvalOptions
from scenemind.cli.options import stored_path
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.evaluation.map_scores import LEAST_FRAMES, SURE, MapScores, Recall, score_map
from scenemind.evaluation.map_truth import load_truth, template
from scenemind.evaluation.page.map_page import compare_on_page, write_map_page
from scenemind.memory import ReadOnlyMemory
from scenemind.report.terminal import make_table, print_json, print_table
from scenemind.untrusted import printable, say

_CURRENT = "current"
_SCORES, _REPORT = "evaluation.json", "report"  # as in the folders of runs


def print_template(options: EvalOptions, settings: SceneMindConfig) -> None:
    """Print a memory's boxes as a file of labelled objects.

    Raises:
        UsageError: a truth, or several memories.
        SceneMemoryError: there is no such memory, or it cannot be read.
    """
    if options.truth is not None or options.out is not None or len(_paths(options)) > 1:
        raise UsageError("--template prints one memory's boxes: leave out --truth and --out")
    ((_, path),) = _paths(options).items()
    with ReadOnlyMemory.open(path, settings) as memory:
        say(template(memory.snapshot().objects.values()), end="")


def compare_maps(options: EvalOptions, settings: SceneMindConfig) -> None:
    """Score memories against a truth, and print the scores.

    Raises:
        UsageError: no truth.
        EvaluationError: the truth cannot be read.
        SceneMemoryError: a memory cannot be read.
        OSError: the folder for results cannot be written.
    """
    if options.truth is None:
        raise UsageError(
            "map needs --truth, a file of objects boxed by hand: `scenemind eval map --template"
            " --memory NAME > FILE` writes one to begin with"
        )
    truth = load_truth(options.truth)
    scored: dict[str, MapScores] = {}
    drawn = []
    for name, path in _paths(options).items():
        with ReadOnlyMemory.open(path, settings) as memory:
            objects, index = memory.snapshot().objects.values(), memory.frame_index()
            scored[name] = score_map(truth, objects, index)
            if options.out is not None and options.report:
                drawn.append(compare_on_page(name, scored[name], memory))
    result = {
        "truth": str(options.truth),
        "memories": {name: scores.as_json() for name, scores in scored.items()},
    }
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(result, ensure_ascii=False, indent=1)
        (options.out / _SCORES).write_text(text + "\n", encoding="utf-8")
    if options.as_json:
        print_json(result)
    else:
        _print(scored)
    if options.out is not None and drawn:
        page = write_map_page(options.out / _REPORT, options.truth.name, drawn)
        say(f"page: {page}", file=sys.stderr)


def _paths(options: EvalOptions) -> dict[str, Path]:
    """Memory as typed -> its folder."""
    names = options.memory or [_CURRENT]
    return {name: stored_path(name, options.memory_root) for name in names}


def _print(scored: Mapping[str, MapScores]) -> None:
    table = make_table("", *map(escape, scored), whole=("",), right=",".join(scored))
    for name, text in _LINES.items():
        table.add_row(name, *(escape(text(scores)) for scores in scored.values()))
    print_table(table)
    for name, scores in scored.items():
        _print_classes(name, scores)
        for what, found in (("double", scores.doubles), ("ghost", scores.ghosts)):
            for one in found:
                place = "nothing labelled" if one.thing is None else one.thing.id
                label = printable(f"{one.found.label} {one.found.object_id}")
                say(f"{what}: {label}, confidence {one.found.confidence:.2f}, at {place}")


def _print_classes(name: str, scores: MapScores) -> None:
    columns = ("things", "found", "apart", "counted", ">= .25", ">= .5", "mean IoU", "volume x")
    table = make_table(
        "class", *columns, title=escape(name), whole=("class",), right=",".join(columns)
    )
    volumes = scores.volumes
    for group, of in scores.of_class.items():
        counted = [one for one in of if one.thing.counts]
        recall = Recall.of(counted) if counted else None
        least, middle, largest = volumes.get(group, (0.0, 0.0, 0.0))
        spread = f"{middle:.1f} ({least:.1f} to {largest:.1f})"
        table.add_row(
            escape(group),
            str(len(of)),
            str(sum(one.found is not None for one in of)),
            str(sum(one.apart for one in of)),
            str(len(counted)),
            *(("-", "-", "-") if recall is None else _figures(recall)),
            spread if group in volumes else "-",
        )
    print_table(table, spare=("volume x", "counted"))


def _figures(recall: Recall) -> tuple[str, ...]:
    return (*map(str, recall.at.values()), _decimal(recall.mean_iou))


def _decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _recall(scores: MapScores, detected: bool) -> str:
    things = scores.detected if detected else scores.counted
    if not things:
        return "-"
    recall = Recall.of(things)
    at = ", ".join(f"{count} at IoU {least:g}" for least, count in recall.at.items())
    return f"{recall.found} of {recall.n} found, {at}"


def _mean_iou(scores: MapScores) -> str:
    if not scores.counted:
        return "-"
    recall = Recall.of(scores.counted)
    return f"{_decimal(recall.mean_iou)} (turned boxes {_decimal(recall.turned_iou)})"


def _labels(scores: MapScores) -> str:
    sure, right = scores.labels
    return f"{right} of {sure} right" if sure else "-"


def _calibration(scores: MapScores) -> str:
    reliability = scores.reliability
    if reliability is None:
        return "-"
    low, high = (bound / 100.0 for bound in reliability.interval_if_perfect)
    perfect = f"a perfect confidence: {low:.2f} to {high:.2f} with {reliability.n} objects"
    return f"{reliability.calibration_error / 100.0:.2f} ({perfect})"


_LINES: Mapping[str, Callable[[MapScores], str]] = {
    "things that count": lambda scores: _recall(scores, False),
    f"detected in {LEAST_FRAMES} stored frames": lambda scores: _recall(scores, True),
    "mean IoU of found things": _mean_iou,
    f"labels, confidence >= {SURE:g}": _labels,
    f"ghosts, confidence >= {SURE:g}": lambda scores: str(len(scores.ghosts)),
    "doubles": lambda scores: str(len(scores.doubles)),
    "map objects": lambda scores: (
        f"{len(scores.mapped)}, {len(scores.judged)} of them where something is labelled"
    ),
    "calibration error": _calibration,
}
