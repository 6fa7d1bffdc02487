"""`scenemind convert --labels`: ScanNet's annotations as an objects file."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from rich.progress import track

from scenemind.cli.output import print_json, progress_console
from scenemind.exchange import ExchangeError, LabelsFile, read_labels, scene_folders


def convert_labels(scans: Path, out: Path, as_json: bool) -> None:
    """Add the scans of a folder to an objects file; ends with status 1 where one cannot be read.

    Raises:
        ExchangeError: there is no scan, or the file cannot be used or written.
    """
    failures: dict[str, str] = {}
    with LabelsFile(out) as file:
        before = set(file.scenes)
        folders = [f for f in scene_folders(scans) if f.resolve().name not in before]
        for folder in track(folders, "labels", console=progress_console(), transient=True):
            name = folder.resolve().name
            try:
                labelled = read_labels(folder)
            except ExchangeError as error:
                failures[name] = str(error)
            else:
                file.add(name, labelled)
        total = len(file.scenes)
        if total:
            file.finish()
    for scene, why in failures.items():
        print(f"{scene}: {why}", file=sys.stderr)
    if as_json:
        added = total - len(before)
        print_json({"out": str(out), "scenes": total, "added": added, "failed": failures})
    else:
        print(f"{total} scenes in {out}, {len(before)} of them before; {len(failures)} failed")
    if failures:
        raise typer.Exit(1)
