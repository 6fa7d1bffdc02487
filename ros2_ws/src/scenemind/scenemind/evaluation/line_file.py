"""A new file of JSON, a line each as soon as it is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scenemind.evaluation.errors import EvaluationError


@contextmanager
def open_lines(path: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """What writes a row as a line of JSON that is in the file when it returns: a run of hours that
    is interrupted keeps the rows that it has done.

    Raises:
        EvaluationError: the file cannot be written, now or later, or holds something already: it
            may be another run of hours.
    """
    try:
        if path.exists() and path.stat().st_size:
            raise EvaluationError(f"{path} is there already: name another file, or remove it")
        file = path.open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise _cannot_write(path, error) from error

    def write(row: Mapping[str, Any]) -> None:
        try:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise _cannot_write(path, error) from error

    with file:
        yield write


def _cannot_write(path: Path, error: OSError) -> EvaluationError:
    return EvaluationError(f"{path} cannot be written: {error}")
