"""Benchmarks: what they ask (`benchmark`), how a method answers (`runner`), and how right that is
(`scoring`).

Nothing else is imported here: a worker that is started has only what it needs.
"""

from scenemind.evaluation.errors import EvaluationError

__all__ = ["EvaluationError"]
