"""Which benchmark takes what file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.submissions.answers import omni3d, openeqa, scanqa, sqa3d
from scenemind.evaluation.submissions.groundings import referit3d, scanrefer


@dataclass(frozen=True, slots=True)
class Submission:
    """
    Attributes:
        name: of the file.
        text: what it holds, of the predictions of one benchmark; raises EvaluationError where the
            rows are not its own.
    """

    name: str
    text: Callable[[Sequence[Any]], str]


SUBMISSIONS: Mapping[str, Submission] = {
    "scanrefer": Submission("submission.json", scanrefer),
    "nr3d": Submission("submission.csv", referit3d),
    "sr3d": Submission("submission.csv", referit3d),
    "scanqa": Submission("submission.json", scanqa),
    "sqa3d": Submission("submission.json", sqa3d),
    "openeqa": Submission("submission.json", openeqa),
    "omni3d": Submission("submission.json", omni3d),
}


def write_submission(benchmark: str, predictions: Sequence[Any], folder: Path) -> Path | None:
    """The file; None: this benchmark takes none.

    Raises:
        EvaluationError: the folder cannot be written.
    """
    submission = SUBMISSIONS.get(benchmark)
    if submission is None:
        return None
    path = folder / submission.name
    try:
        text = submission.text(predictions)
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}") from error
    return path
