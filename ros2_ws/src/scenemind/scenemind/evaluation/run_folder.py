"""The folder of one run: what it is, all that it has said, and what that comes to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from scenemind.evaluation.datasets import Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.json_lines import JsonLines
from scenemind.evaluation.prediction_json import prediction_from_json, prediction_json
from scenemind.evaluation.predictions import Prediction

_RUN, _PREDICTIONS, _JUDGEMENTS = "run.json", "predictions.jsonl", "judgements.jsonl"
_EVALUATION, _REPORT = "evaluation.json", "report"
_DIFFERENCES_SHOWN = 5


class RunFolder:
    """Open while a run writes to it. The same run goes on in it where it stopped.

    `run.json` says which run it is, `predictions.jsonl` and `judgements.jsonl` grow with it, and
    `evaluation.json`, a file to submit and `report/` come in the end.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """
        Args:
            identity: all that the predictions depend on, as JSON.

        Raises:
            EvaluationError: the folder holds something else, another run, or is being written to.
        """
        self.path = path
        _begin_or_go_on(path, json.loads(json.dumps(identity)))
        self._predictions = JsonLines(path / _PREDICTIONS)
        try:
            self._judgements = JsonLines(path / _JUDGEMENTS)
        except EvaluationError:
            self._predictions.close()
            raise

    @property
    def report(self) -> Path:
        """Folder of the page, which need not exist."""
        return self.path / _REPORT

    def predictions(self, rows: Sequence[Row]) -> dict[str, Prediction]:
        """What was kept of these rows, by row; of several about one row the newest.

        Raises:
            EvaluationError: a line is damaged.
        """
        by_id = {row.row_id: row for row in rows}
        found: dict[str, Prediction] = {}
        for number, line in enumerate(self._predictions.values(), 1):
            try:
                row = by_id.get(line.get("row", ""))
                if row is not None:
                    found[row.row_id] = prediction_from_json(line, row)
            except (KeyError, TypeError, ValueError) as error:
                raise EvaluationError(
                    f"{self._predictions.path}, line {number} is no prediction: take the line out,"
                    " and the row is asked again"
                ) from error
        return found

    def keep(self, prediction: Prediction) -> None:
        """It is in the file when this returns.

        Raises:
            EvaluationError: the disk is full, or the like.
        """
        self._predictions.add(prediction_json(prediction))

    def put_in_order(self, predictions: Sequence[Prediction]) -> None:
        """The whole file, in the order of the benchmark's.

        Raises:
            EvaluationError: as `keep`.
        """
        self._predictions.replace(map(prediction_json, predictions))

    def judgements(self) -> dict[str, dict[str, Any]]:
        """What a judge said, by row: whatever `keep_judgement` got; the newest.

        Raises:
            EvaluationError: a line is damaged.
        """
        return {line["row"]: line for line in self._judgements.values() if "row" in line}

    def keep_judgement(self, row_id: str, said: Mapping[str, Any]) -> None:
        """It is in the file when this returns; raises as `keep`."""
        self._judgements.add({"row": row_id, **said})

    def write_evaluation(self, evaluation: Mapping[str, Any]) -> Path:
        """Raises as `keep`."""
        path = self.path / _EVALUATION
        _write_json(path, evaluation)
        return path

    def close(self) -> None:
        """Twice is once."""
        self._predictions.close()
        self._judgements.close()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _begin_or_go_on(path: Path, identity: Mapping[str, Any]) -> None:
    """
    Raises:
        EvaluationError: the folder is of something else.
    """
    run = path / _RUN
    try:
        path.mkdir(parents=True, exist_ok=True)
        if run.is_file():
            _refuse_other(path, json.loads(run.read_bytes()), identity)
        elif any(file.name != _half(run).name for file in path.iterdir()):
            raise EvaluationError(f"{path} holds something else than a run: name another folder")
        else:
            _write_json(run, identity)
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}") from error
    except ValueError as error:
        raise EvaluationError(f"{run} is damaged: name another folder") from error


def _refuse_other(path: Path, there: Any, now: Mapping[str, Any]) -> None:
    before, after = dict(_leaves(there)), dict(_leaves(now))
    names = [
        name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)
    ]
    if not names:
        return
    shown = [
        f"{name} was {before.get(name, 'not there')}, and is {after.get(name, 'not there')}"
        for name in names[:_DIFFERENCES_SHOWN]
    ]
    more = f"; and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    raise EvaluationError(
        f"{path} holds another run: {'; '.join(shown)}{more}. Name another folder, or ask as before"
    )


def _leaves(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name and value of all that is no object."""
    if not isinstance(tree, dict):
        yield name, tree
        return
    for key, value in tree.items():
        yield from _leaves(value, f"{name}.{key}" if name else key)


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    """At once: whoever reads it has the old one or the new one, also after a power cut."""
    half = _half(path)
    try:
        with half.open("w", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}") from error


def _half(path: Path) -> Path:
    """Where a file is written before it is moved to its place."""
    return path.with_name(f"{path.name}.half")
