"""`scenemind bench projection --calibrate`: how likely boxes are right, by what is known of them,
and how well that holds in rooms that it was not made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from rich.progress import Progress

from scenemind.cli.bench.projection.calibration.columns import write_boxes
from scenemind.cli.bench.projection.calibration.conditions import CONDITIONS
from scenemind.cli.bench.projection.calibration.fit import fitted
from scenemind.cli.bench.projection.calibration.held_out_boxes import judgement
from scenemind.cli.bench.projection.calibration.judged import Judged, judged_boxes
from scenemind.cli.errors import CommandError
from scenemind.cli.output import progress_console
from scenemind.reasoning.vlm_grounder.box_quality import BoxKind, Calibration, Provenance

_FRAMES = 80  # of a drive
_HELD_OUT = 1 / 3  # of the targets
_FEWEST = 20
KINDS: tuple[BoxKind, ...] = get_args(BoxKind)


def bench_calibration(targets: int, path: Path) -> dict[str, Any]:
    """Measure things of simulated rooms, fit by two thirds of them how likely boxes are right, and
    hold that against the others, of other rooms (`judgement`).

    Args:
        targets: things; all that is seen in rooms of each condition is measured, so that there
            are some more.
        path: for the models, a YAML file as the method reads it; the boxes that were held out come
            beside it, with the ending `.held-out.csv.gz`.

    Raises:
        CommandError: these are too few targets to fit anything by.
    """
    if targets < _FEWEST:
        raise CommandError(f"{targets} targets are too few to calibrate by: take {_FEWEST} or more")
    with Progress(console=progress_console(), transient=True) as progress:
        task = progress.add_task("measuring", total=targets)

        def note() -> None:
            progress.advance(task)

        boxes, last = _filmed(1, round(targets * (1.0 - _HELD_OUT)), note)
        held_out, end = _filmed(last + 1, round(targets * _HELD_OUT), note)
    provenance = Provenance(
        command=f"scenemind bench projection --calibrate {path.name} --targets {targets}",
        conditions=tuple(condition.name for condition in CONDITIONS),
        fitted_rooms=(1, last),
        held_out_rooms=(last + 1, end),
        fitted_targets=_targets(boxes),
        held_out_targets=_targets(held_out),
    )
    models = {kind: fitted(boxes, kind) for kind in KINDS}
    calibration = Calibration(provenance=provenance, models=models)
    tree = calibration.model_dump(mode="json")
    path.write_text(yaml.safe_dump(tree, sort_keys=False, width=100), encoding="utf-8")
    write_boxes(held_out, path.with_suffix(".held-out.csv.gz"))
    return {
        "fitted_targets": provenance.fitted_targets,
        "held_out_targets": provenance.held_out_targets,
        **judgement(calibration, boxes, held_out),
    }


def _filmed(first: int, targets: int, note: Callable[[], None]) -> tuple[list[Judged], int]:
    """Boxes of so many targets or more, of the rooms from a seed on, as many of each condition, and
    the last room's seed."""
    boxes: list[Judged] = []
    seed = first
    while _targets(boxes) < targets:
        for condition in CONDITIONS:
            for box in judged_boxes(seed, condition, _FRAMES):
                boxes.append(box)
                if box.box == "measured":
                    note()
            seed += 1
    return boxes, seed - 1


def _targets(boxes: Sequence[Judged]) -> int:
    return sum(box.box == "measured" for box in boxes)
