"""A Java program that comes with pycocoevalcap: text in, text out, and an end in any case."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from scenemind.evaluation.errors import EvaluationError

_SHOWN_CHARACTERS = 200


class JavaError(EvaluationError):
    """The program did not do what it was asked; says what came instead."""


def run_java(
    arguments: Sequence[str], folder: Path, lines: Sequence[str], timeout_s: float
) -> list[str]:
    """What it prints, line by line.

    Args:
        folder: where its files are.

    Raises:
        JavaError: it failed, or was ended because it took too long.
    """
    command = ["java", "-Dfile.encoding=UTF-8", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise JavaError(
            f"the Java program of {folder.name} did not end within {timeout_s:g} s"
        ) from error
    except (OSError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or "").strip()[-_SHOWN_CHARACTERS:]
        raise JavaError(f"the Java program of {folder.name} failed: {error}; {said}") from error
    return done.stdout.splitlines()


def coco_folder(name: str) -> Path:
    """Of pycocoevalcap.

    Raises:
        JavaError: it is not installed.
    """
    found = find_spec("pycocoevalcap")
    if found is None or not found.submodule_search_locations:
        raise JavaError("pycocoevalcap is not installed: pip install 'scenemind[eval]'")
    return Path(found.submodule_search_locations[0]) / name
