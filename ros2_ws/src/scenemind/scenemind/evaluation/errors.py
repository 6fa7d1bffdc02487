"""The one error of this package."""

from __future__ import annotations

from scenemind.errors import SceneMindError


class EvaluationError(SceneMindError, RuntimeError):
    """Benchmark files that are missing or not what they should be; says what to get, and where."""
