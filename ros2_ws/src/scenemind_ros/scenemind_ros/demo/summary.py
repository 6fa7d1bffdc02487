"""The run as report.json and as tables for the terminal."""

from __future__ import annotations

import json
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scenemind.report import Run

RECORD = "report.json"
_STYLES = {"right": "green", "answered": "dim", "failed": "bold red"}


def write_record(run: Run, folder: Path) -> Path:
    """Write report.json: what the page shows, for programs."""
    record = {
        "sequence": run.sequence,
        "detector": run.detector,
        "simulated": run.is_simulated,
        "frames": run.frames,
        "dropped": sum(run.dropped.values()),
        "dropped_by_cause": dict(run.dropped),
        "objects": len(run.snapshot.objects),
        "labels": {str(obj.object_id): obj.label for obj in run.snapshot.objects.values()},
        "locations": len(run.locations),
        "stages_ms": dict(run.stages_ms),
        "steps": [
            {
                "name": step.name,
                "question": step.question,
                "answer": step.answer,
                "expected": step.expected or None,
                "ok": step.ok,
                "seconds": round(step.seconds, 4),
                "object_ids": list(step.object_ids),
                "frames": [frame.frame_number for frame in step.key_frames],
            }
            for step in run.steps
        ],
        "truth": [
            {
                "label": item.label,
                "object_id": item.object_id,
                "iou": round(item.iou, 4),
                "seen": item.was_seen,
            }
            for item in run.truth
        ],
        "machine": dict(run.machine),
    }
    path = folder / RECORD
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def print_summary(run: Run, console: Console) -> None:
    """What was asked, and how well the map fits where that is known."""
    steps = Table("step", "asked", "answer", "expected", "ms", "", box=SIMPLE_HEAD)
    for step in run.steps:
        verdict = f"[{_STYLES[step.verdict]}]{step.verdict}[/]"
        words = (step.name, step.question, step.answer, step.expected)
        steps.add_row(*(escape(text) for text in words), f"{step.seconds * 1e3:.0f}", verdict)
    console.print(steps)
    if run.truth:
        _print_truth(run, console)
    dropped = sum(run.dropped.values())
    causes = ", ".join(f"{count} {cause}" for cause, count in run.dropped.items())
    console.print(
        f"{run.frames} frames processed, {dropped} dropped{f' ({causes})' if causes else ''},"
        f" {len(run.snapshot.objects)} objects, detector: {escape(run.detector)}"
    )
    stages = ", ".join(f"{name} {ms:.1f}" for name, ms in run.stages_ms.items())
    console.print(f"median ms a frame: {stages}")
    tallies = (f"{count} of {total} {verdict}" for count, total, verdict in run.tallies())
    console.print(f"questions and corrections: {', '.join(tallies)}")


def _print_truth(run: Run, console: Console) -> None:
    table = Table("real object", "in the map", "3D IoU", "seen", box=SIMPLE_HEAD)
    for item in run.truth:
        mapped = "-" if item.object_id is None else f"{item.object_label} {item.object_id}"
        seen = "well" if item.was_seen else "hardly"
        table.add_row(item.label, mapped, f"{item.iou:.2f}", seen)
    console.print(table)
    rows = [item.iou for item in run.truth if item.was_seen]
    if rows:
        share = sum(iou >= 0.25 for iou in rows) / len(rows)
        console.print(
            f"of {len(rows)} objects that the camera saw well: {share:.0%} with IoU 0.25 or more,"
            f" mean IoU {sum(rows) / len(rows):.2f}"
        )
