"""What tells one run from another: all that its predictions depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scenemind.config import SceneMindConfig
from scenemind.evaluation.datasets import Row
from scenemind.evaluation.errors import EvaluationError

# How models are reached, not what they say.
_NO_MATTER = (
    *("parallel_calls", "requests_per_minute", "retries", "retry_pause_s", "rest_after", "rest_s"),
    *("day_tokens", "day_cost", "record"),
)


def identity_of(
    benchmark: str,
    rows: Sequence[Row],
    method: str,
    source: str,
    files: Iterable[Path],
    settings: SceneMindConfig,
    **more: Any,
) -> dict[str, Any]:
    """As JSON.

    Args:
        files: that the method reads of the scenes; of folders the path counts, of files the
            content.
        more: such as the policy.

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
