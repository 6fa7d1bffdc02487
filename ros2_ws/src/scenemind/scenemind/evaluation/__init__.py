"""Benchmarks: what they ask, how a method answers, and how right that is."""

from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.prediction_file import open_lines, open_predictions
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.routed import RoutedMethod
from scenemind.evaluation.runner import BENCHMARKS, Benchmark, Grounder, run_benchmark
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.zsvg3d import RecordedPrograms

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Evaluation",
    "EvaluationError",
    "Grounder",
    "RecordedPrograms",
    "RoutedMethod",
    "Scenes",
    "open_lines",
    "open_predictions",
    "run_benchmark",
]
