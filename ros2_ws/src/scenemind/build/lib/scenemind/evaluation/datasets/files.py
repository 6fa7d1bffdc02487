"""Files of benchmarks: found, recognised by the keys of their rows, and read row by row.

An empty file, one that is no JSON, one without the columns of its rows, and another benchmark's are
errors that name the way out.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from scenemind.errors import EvaluationError
from scenemind.language.english import shown
from scenemind.untrusted import gunzip, load_json, read_regular

RowT = TypeVar("RowT", bound=BaseModel)

OBJECTS = "objects"
_MOST_BYTES = 128 * 2**20  # of a file, unpacked
# Keys and columns that tell whose rows they are: the first one that a row has decides.
_TELLING = {
    "episode_history": "openeqa",
    "image_filename": "omni3d",
    "situation": "sqa3d",
    "rotation": "sqa3d",
    "easy": "nr3d",  # ZSVG3D's
    "coarse_reference_type": "sr3d",
    "stimulus_id": "nr3d",
    "description": "scanrefer",
    "program": "scanrefer",  # ZSVG3D's
    "is_unique_scanrefer": "scanrefer",  # VLM-Grounder's
    "question": "scanqa",
    "objects": OBJECTS,
}
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class BenchmarkFiles:
    """The files of a benchmark, as its authors publish them.

    Attributes:
        benchmark: its name.
        patterns: of file names in a folder; the first that matches counts.
        where_to_get: source, terms, and what to name with --data.
    """

    benchmark: str
    patterns: tuple[str, ...]
    where_to_get: str

    def find(self, data: Path) -> Path:
        """The path itself, or the file of a folder by the first matching pattern.

        Raises:
            EvaluationError: there is no such file, or there are several.
        """
        if data.is_file():
            return data
        if not data.is_dir():
            raise EvaluationError(f"there is nothing at {data}: {self.where_to_get}")
        for pattern in self.patterns:
            found = sorted(data.glob(pattern))
            if len(found) > 1:
                names = ", ".join(path.name for path in found)
                raise EvaluationError(f"{data} has several such files: name one of {names}")
            if found:
                return found[0]
        raise EvaluationError(f"{data} holds no {' or '.join(self.patterns)}: {self.where_to_get}")

    def rows(self, path: Path, model: type[RowT], key: str = "") -> Iterator[RowT]:
        """The rows of a JSON file, validated.

        Args:
            key: of the list of rows in the document; empty: the document is the list.

        Raises:
            EvaluationError: the file cannot be read, is another one, or a row is malformed.
        """
        entries = self.document(path)
        if key:
            if not isinstance(entries, dict) or key not in entries:
                raise EvaluationError(f"{path} has no {key!r}: {self.where_to_get}")
            entries = entries[key]
        if not isinstance(entries, list):
            raise EvaluationError(
                f"{path}: a list of rows is expected, not {type(entries).__name__}:"
                f" {self.where_to_get}"
            )
        for number, entry in enumerate(entries, 1):
            yield _checked(path, number, entry, model)

    def document(self, path: Path) -> Any:
        """The JSON of a file, also gzipped.

        Raises:
            EvaluationError: it cannot be read, is no JSON, or another benchmark's.
        """
        self._refuse_other(path)
        try:
            return read_json(path)
        except EvaluationError as error:
            raise EvaluationError(f"{error}: {self.where_to_get}") from error

    def table_rows(self, path: Path, model: type[RowT]) -> Iterator[RowT]:
        """The lines of a CSV file with a header, validated.

        Raises:
            EvaluationError: the file cannot be read, is another one, lacks columns, or a line is
                malformed.
        """
        self._refuse_other(path)
        columns = self.columns(path)
        needed = [name for name, field in model.model_fields.items() if field.is_required()]
        if missing := [name for name in needed if name not in columns]:
            raise EvaluationError(
                f"{path} has no column {', '.join(missing)}; its columns are"
                f" {shown(', '.join(columns))}: {self.where_to_get}"
            )
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                for number, line in enumerate(csv.DictReader(file), 1):
                    yield _checked(path, number, line, model)
        except (OSError, csv.Error, UnicodeDecodeError) as error:
            raise EvaluationError(f"{path} cannot be read: {error}") from error

    def columns(self, path: Path) -> tuple[str, ...]:
        """Names of a CSV file's columns.

        Raises:
            EvaluationError: it cannot be read, or is empty.
        """
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                columns = tuple(csv.DictReader(file).fieldnames or ())
        except (OSError, csv.Error, UnicodeDecodeError) as error:
            raise EvaluationError(f"{path} cannot be read: {error}: {self.where_to_get}") from error
        if not columns:
            raise EvaluationError(f"{path} is empty: {self.where_to_get}")
        return columns

    def _refuse_other(self, path: Path) -> None:
        """
        Raises:
            EvaluationError: it holds another benchmark's rows.
        """
        name = benchmark_of(path)
        if name == OBJECTS:
            raise EvaluationError(
                f"{path} is an objects file, which --objects takes: {self.where_to_get}"
            )
        if name not in ("", self.benchmark):
            raise EvaluationError(
                f"{path} holds rows of {name}, not of {self.benchmark}: `scenemind eval {name}"
                f" --data {path}` asks them; {self.where_to_get}"
            )


def benchmark_of(path: Path) -> str:
    """Name of the benchmark whose rows a JSON or CSV file holds, or `OBJECTS`; empty: not known.

    Raises:
        EvaluationError: it cannot be read.
    """
    content = _content(path)
    keys: Container[str] = ()
    if content.lstrip().startswith((b"[", b"{")):
        with suppress(ValueError, RecursionError):
            keys = first_row(load_json(content, _MOST_BYTES))
    else:
        head = content.splitlines()[:1]
        keys = [name for line in head for name in line.decode("utf-8-sig", "replace").split(",")]
    return next((name for key, name in _TELLING.items() if key in keys), "")


def first_row(document: Any) -> Mapping[str, Any]:
    """The first row of a benchmark's JSON, or the first scene of an objects file; empty: none."""
    if isinstance(document, dict):
        named = (document[key] for key in ("questions", "annotations") if key in document)
        document = next(named, list(document.values())[:1])
    first = document[0] if isinstance(document, list) and document else None
    return first if isinstance(first, dict) else {}


def read_json(path: Path) -> Any:
    """The JSON of a file, also gzipped.

    Raises:
        EvaluationError: it cannot be read, is empty, or is no JSON.
    """
    content = _content(path)
    if not content.strip():
        raise EvaluationError(f"{path} is empty")
    try:
        return load_json(content, _MOST_BYTES)
    except ValueError as error:
        start = shown(content.decode("utf-8", "replace"))
        raise EvaluationError(f"{path} is no JSON ({error}); it begins with {start!r}") from error


def _content(path: Path) -> bytes:
    try:
        content = read_regular(path, _MOST_BYTES, follow=True)
        return gunzip(content, _MOST_BYTES) if content.startswith(_GZIP) else content
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error


def _checked(path: Path, number: int, entry: Any, model: type[RowT]) -> RowT:
    """A validated entry.

    Raises:
        EvaluationError: it is malformed; the message names the row, from 1.
    """
    try:
        return model.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise EvaluationError(f"{path}, row {number}: {place}: {first['msg']}") from error
