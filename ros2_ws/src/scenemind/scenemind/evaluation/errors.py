"""The one error of this package."""

from __future__ import annotations


class EvaluationError(RuntimeError):
    """Benchmark files that are missing or not what they should be; says what to get, and where."""
