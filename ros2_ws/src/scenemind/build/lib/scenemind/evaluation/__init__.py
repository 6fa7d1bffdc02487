"""Benchmarks: `runner` asks a method the rows of a `benchmark`, which scores its predictions.

This file imports no more than the error: a new worker process loads only the modules it needs.
"""

from scenemind.errors import EvaluationError

__all__ = ["EvaluationError"]
