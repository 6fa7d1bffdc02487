"""How key frames that were chosen for a question are shown, and what choosing them used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.asking.pictures import write_pictures
from scenemind.cli.output import error_json, print_json, print_table, printable
from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.models import Usage
from scenemind.reasoning import Query, ReasoningFailure
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.report import Asked


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What a selector made of a question.

    Attributes:
        selection: without frames where it failed.
        selector: its name.
    """

    query: Query
    selection: Selection
    selector: str
    seconds: float
    usage: Usage
    failure: ReasoningFailure | None = None


def show_chosen(
    chosen: Chosen,
    snapshot: MemorySnapshot,
    path: NDArray[np.float32],
    pictures: Path | None,
    as_json: bool,
) -> None:
    """Print which frames they are, and write their pictures where there is a folder for them.

    Args:
        snapshot: the map that was asked.
        path: (N, 3) float32, world: where the camera was.

    Raises:
        CommandError: the folder cannot be written.
    """
    if as_json:
        print_json(_as_json(chosen))
    else:
        labels = {i: thing.label for i, thing in snapshot.objects.items()}
        _print(chosen, labels)
    if pictures is not None:
        asked = Asked.of_selection(
            chosen.query,
            chosen.selection,
            chosen.selector,
            chosen.seconds,
            chosen.usage,
            snapshot,
            path,
        )
        write_pictures(asked, pictures)


def key_frame_json(frame: KeyFrame) -> dict[str, Any]:
    """A frame for programs: metres, map frame, z up; the pose is that of the optical frame."""
    pose = frame.world_T_camera
    boxes = frame.boxes_px.items()
    return {
        "frame": frame.frame_number,
        "stamp_ns": frame.stamp_ns,
        "location": frame.location_id,
        "score": round(float(frame.score), 4),
        "world_T_camera": {
            "position": [round(value, 4) for value in pose.translation.tolist()],
            "orientation_xyzw": [round(value, 6) for value in pose.quaternion_xyzw().tolist()],
        },
        "boxes_px": {str(i): [round(float(edge), 1) for edge in box] for i, box in boxes},
    }


def usage_json(usage: Usage) -> dict[str, Any]:
    """What was asked of models, for programs."""
    return {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "cached_prompt_tokens": usage.cached_tokens,
        "reply_tokens": usage.reply_tokens,
        "cost": usage.cost,
    }


def usage_text(usage: Usage) -> str:
    """ "2 calls, 6120 + 230 tokens (4800 cached), cost 0.012"."""
    calls = "1 call" if usage.calls == 1 else f"{usage.calls} calls"
    cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
    cost = f", cost {usage.cost:.3g}" if usage.cost else ""
    return f"{calls}, {usage.prompt_tokens} + {usage.reply_tokens} tokens{cached}{cost}"


def _as_json(chosen: Chosen) -> dict[str, Any]:
    selection = chosen.selection
    return {
        "question": chosen.query.text,
        "selector": chosen.selector,
        "key_frames": [key_frame_json(frame) for frame in selection.key_frames],
        "key_objects": list(selection.key_objects),
        "cue_objects": list(selection.cue_objects),
        "reasoning": selection.reasoning,
        "steps": list(selection.steps),
        "usage": usage_json(chosen.usage),
        "seconds": round(chosen.seconds, 6),
        "error": error_json(chosen.failure),
    }


def _print(chosen: Chosen, labels: Mapping[int, str]) -> None:
    selection = chosen.selection
    if chosen.failure is not None:
        print(printable(chosen.failure.text))
    if selection.reasoning:
        print(printable(selection.reasoning))
    if selection.key_frames:
        print_table(_table(selection, labels))
    if chosen.usage.calls:
        print(f"{chosen.selector}: {chosen.seconds:.1f} s, {usage_text(chosen.usage)}")


def _table(selection: Selection, labels: Mapping[int, str]) -> Table:
    """A line a frame; of objects without a role none, where some have one."""
    roles = {*selection.key_objects, *selection.cue_objects} or set(labels)
    table = Table(box=SIMPLE_HEAD)
    # Who does not rank gives no scores.
    is_ranked = any(frame.score for frame in selection.key_frames)
    score = ("score",) if is_ranked else ()
    for heading in ("frame", "location", *score, "camera at m", "shows"):
        table.add_column(heading, justify="left" if heading == "shows" else "right")
    for frame in selection.key_frames:
        shown = (f"{labels[i]} {i}" for i in frame.boxes_px if i in labels and i in roles)
        table.add_row(
            str(frame.frame_number),
            str(frame.location_id),
            *((f"{frame.score:.2f}",) if is_ranked else ()),
            " ".join(f"{value:.2f}" for value in frame.world_T_camera.translation),
            escape(printable(", ".join(shown))),
        )
    return table
