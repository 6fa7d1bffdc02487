"""Files of benchmarks: found in a folder, read, and checked row by row."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from scenemind.evaluation.errors import EvaluationError

Row = TypeVar("Row", bound=BaseModel)


def benchmark_file(data: Path, patterns: Sequence[str], where_to_get: str) -> Path:
    """The file itself, or the one of a folder that fits the first pattern that any file fits.

    Raises:
        EvaluationError: there is none, or there are several.
    """
    if data.is_file():
        return data
    if not data.is_dir():
        raise EvaluationError(f"there is nothing at {data}: {where_to_get}")
    for pattern in patterns:
        found = sorted(data.glob(pattern))
        if len(found) > 1:
            names = ", ".join(path.name for path in found)
            raise EvaluationError(f"{data} has several such files: name one of {names}")
        if found:
            return found[0]
    raise EvaluationError(f"{data} holds no {' or '.join(patterns)}: {where_to_get}")


def read_json(path: Path) -> Any:
    """
    Raises:
        EvaluationError: it cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error


def json_rows(path: Path, entries: Any, model: type[Row]) -> Iterator[Row]:
    """The entries of a list, each checked.

    Raises:
        EvaluationError: it is no list, or an entry is not as the benchmark has it.
    """
    if not isinstance(entries, list):
        raise EvaluationError(f"{path}: a list of rows is expected, not {type(entries).__name__}")
    for number, entry in enumerate(entries, 1):
        yield checked(path, number, entry, model)


def csv_rows(path: Path, model: type[Row]) -> Iterator[Row]:
    """The lines of a CSV file with a head, each checked.

    Raises:
        EvaluationError: it cannot be read, or a line is not as the benchmark has it.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(csv.DictReader(file), 1):
                yield checked(path, number, line, model)
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error


def csv_columns(path: Path) -> Sequence[str]:
    """Names of a CSV file's columns.

    Raises:
        EvaluationError: it cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return csv.DictReader(file).fieldnames or ()
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error


def checked(path: Path, number: int, entry: Any, model: type[Row]) -> Row:
    """
    Raises:
        EvaluationError: the entry is not as the benchmark has it; names the row, from 1.
    """
    try:
        return model.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise EvaluationError(f"{path}, row {number}: {place}: {first['msg']}") from error
