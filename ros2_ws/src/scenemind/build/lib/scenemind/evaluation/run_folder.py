"""The folder of one run: its identity, every prediction, and the results."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

from scenemind.config import SceneMindConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.json_lines import JsonLines
from scenemind.evaluation.predictions import Prediction, prediction_from_json, prediction_json
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

# Settings of how models are reached, which do not change their replies.
_NO_MATTER = (
    *("parallel_calls", "requests_per_minute", "retries", "retry_pause_s", "rest_after", "rest_s"),
    *("day_tokens", "day_cost", "record"),
)
_RUN, _PREDICTIONS, _JUDGEMENTS = "run.json", "predictions.jsonl", "judgements.jsonl"
_EVALUATION, _REPORT = "evaluation.json", "report"
_DIFFERENCES_SHOWN = 5


def identity_of(
    benchmark: str,
    rows: Sequence[Row],
    method: str,
    source: str,
    files: Iterable[Path],
    settings: SceneMindConfig,
    **more: Any,
) -> dict[str, Any]:
    """Everything that the predictions of a run depend on, as JSON.

    Args:
        files: read by the method; of a folder its path counts, of a file its content.
        more: further settings, such as the policy.

    Raises:
        EvaluationError: a file cannot be read.
    """
    tree = settings.model_dump(mode="json")
    for name in _NO_MATTER:
        del tree["models"][name]
    text = "\n".join(map(repr, rows)).encode("utf-8", "surrogatepass")
    return {
        "benchmark": benchmark,
        "rows": len(rows),
        "content_of_rows": hashlib.sha256(text).hexdigest(),
        "method": method,
        "source": source,
        "files": [_fingerprint(path) for path in files],
        **more,
        "settings": tree,
        "version": version("scenemind"),
    }


def _fingerprint(path: Path) -> str:
    try:
        if path.is_dir():
            return str(path.resolve())
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error.strerror}") from error


class RunFolder:
    """The folder of a run, open while the run writes to it. The same run can be continued in it.

    `run.json` identifies the run, `predictions.jsonl` and `judgements.jsonl` grow with it,
    `evaluation.json`, a submission and `report/` are written at its end.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """
        Args:
            identity: see `identity_of`.

        Raises:
            EvaluationError: the folder is no run's, another run's, or another process writes to it.
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
        """Folder of the page, which may not exist yet."""
        return self.path / _REPORT

    def predictions(self, rows: Sequence[Row]) -> dict[str, Prediction]:
        """Row id -> the newest stored prediction of these rows.

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
        """Store a prediction; it is in the file when this returns.

        Raises:
            EvaluationError: the file cannot be written.
        """
        self._predictions.add(prediction_json(prediction))

    def put_in_order(self, predictions: Sequence[Prediction]) -> None:
        """Rewrite the file with these predictions, in the order of the benchmark.

        Raises:
            EvaluationError: as `keep`.
        """
        self._predictions.replace(map(prediction_json, predictions))

    def judgements(self) -> dict[str, dict[str, Any]]:
        """Row id -> the newest judgement that `keep_judgement` has stored.

        Raises:
            EvaluationError: a line is damaged.
        """
        return {line["row"]: line for line in self._judgements.values() if "row" in line}

    def keep_judgement(self, row_id: str, said: Mapping[str, Any]) -> None:
        """Store a judgement; it is in the file when this returns. Raises as `keep`."""
        self._judgements.add({"row": row_id, **said})

    def write_evaluation(self, evaluation: Mapping[str, Any]) -> Path:
        """Write the result; returns its path. Raises as `keep`."""
        path = self.path / _EVALUATION
        _write_json(path, evaluation)
        return path

    def close(self) -> None:
        """Close the files; a second call does nothing."""
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
    """Write a new run's identity, or check that of the run to continue.

    Raises:
        EvaluationError: the folder belongs to something else.
    """
    run = path / _RUN
    try:
        path.mkdir(parents=True, exist_ok=True)
        if run.is_file():
            _refuse_other(
                path, load_json(read_regular(run, MOST_JSON_BYTES, follow=True)), identity
            )
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
    """Dotted names and values of the leaves of a JSON tree."""
    if not isinstance(tree, dict):
        yield name, tree
        return
    for key, value in tree.items():
        yield from _leaves(value, f"{name}.{key}" if name else key)


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Replace a JSON file atomically, also with respect to a power cut."""
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
    """Path of a file while it is written."""
    return path.with_name(f"{path.name}.half")
