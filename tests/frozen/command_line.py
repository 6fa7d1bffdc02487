"""The frozen net's only way into the library: the `scenemind` command, in this process."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from scenemind.cli.main import app


def run(*words: object) -> dict[str, Any]:
    """The JSON object that `scenemind WORDS --json` prints as its last line."""
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise AssertionError(f"scenemind {words}: {done.output}") from None


def evaluate(
    benchmark: str, out: Path, *options: object
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What `scenemind eval` prints, and the predictions that it writes to the new folder `out`."""
    printed = run("eval", benchmark, "--out", out, "--no-report", *options)
    return printed, _lines(out / "predictions.jsonl")


def evaluate_alignment(out: Path, *options: object) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What `scenemind eval alignment` prints, and the conversations that it writes to `out`."""
    return run("eval", "alignment", "--out", out, *options), _lines(out)


def map_sequence(sequence: object, root: Path, name: str, *options: object) -> list[dict[str, Any]]:
    """Map a sequence into the memory `root/name`; returns the objects of its map."""
    return run("map", sequence, "--memory-root", root, "--memory", name, *options)["objects"]


def ask(root: Path, name: str, question: str) -> dict[str, Any]:
    return run("ask", question, "--memory-root", root, "--memory", name)


def ground(root: Path, name: str, phrase: str) -> dict[str, Any]:
    return run("ground", phrase, "--memory-root", root, "--memory", name)


def correct(root: Path, name: str, instruction: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a correction of a copy of the memory replies, and the journal that it leaves."""
    copy = root / f"{name}-copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for part in (root / name).iterdir():
        if part.is_dir():
            shutil.copytree(part, copy / part.name, copy_function=os.link)
        else:
            shutil.copyfile(part, copy / part.name)
    place = ("--memory-root", root, "--memory", copy.name)
    reply = run("align", instruction, "--by", "Anna", *place)
    return reply, run("align", "--list", *place)["corrections"]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
