"""Time to score predictions, without the models."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from scenemind.bench.machine import machine, versions
from scenemind.evaluation.benchmark import evaluate, get_benchmark
from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.metrics.captions import (
    Texts,
    bleu_columns,
    cider_column,
    ptb_tokens,
    rouge_column,
)
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.scenes import Named, Scenes
from scenemind.geometry import Box3D
from scenemind.language.vocabulary import Thesaurus

_SCENES, _OBJECTS = 100, 40
_SOURCE = Named("made objects", has_true_ids=True)
_COLOURS = ("black", "brown", "white", "dark grey", "light blue", "red")
_KINDS = ("what", "is", "how", "can", "which", "others")


def bench_evaluation(rows: int = 10_000) -> dict[str, Any]:
    """Seconds to score this number of predictions of each kind, confidence intervals and breakdowns
    included: groundings among 100 scenes of 40 objects, answers of one to three words by all
    matches, judged answers, and Omni3D-Bench's; with pycocoevalcap and Java also BLEU, ROUGE-L and
    CIDEr with their tokenizer."""
    random = np.random.default_rng(0)
    answers = _answers(random, rows)
    marks = {one.row.row_id: float(random.integers(1, 6)) for one in answers}
    result: dict[str, Any] = {"rows": rows}
    with TemporaryDirectory() as folder:
        truth = Scenes(_write_scenes(Path(folder), random))
        groundings = _groundings(random, truth, rows)
        for name in ("nr3d", "scanrefer"):
            result[f"{name}_s"] = _seconds(partial(_evaluated, name, groundings, truth))
    result["sqa3d_s"] = _seconds(lambda: _evaluated("sqa3d", answers))
    result["openeqa_s"] = _seconds(lambda: _evaluated("openeqa", answers, marks=marks))
    result["omni3d_s"] = _seconds(lambda: _evaluated("omni3d", _numbers(random, rows)))
    if find_spec("pycocoevalcap") and which("java"):
        texts = [(one.answer, one.row.answers) for one in answers]
        result["bleu_rouge_cider_s"] = _seconds(lambda: _caption_metrics(texts))
    return {**result, "machine": machine(), "versions": versions()}


def _evaluated(
    benchmark: str,
    predictions: Sequence[Prediction],
    truth: Scenes | None = None,
    marks: dict[str, float] | None = None,
) -> None:
    evaluate(get_benchmark(benchmark), "none", _SOURCE, predictions, truth, marks)


def _caption_metrics(texts: Sequence[Texts]) -> None:
    tokens = ptb_tokens(texts)
    bleu_columns(tokens)
    rouge_column(tokens)
    cider_column(tokens)


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _answers(random: np.random.Generator, rows: int) -> list[AnswerPrediction]:
    """Predictions, a fifth of them right."""
    things = sorted(Thesaurus.load().known())

    def phrase() -> str:
        thing = things[random.integers(len(things))]
        return thing if random.random() < 0.5 else f"{random.choice(_COLOURS)} {thing}"

    found = []
    for number in range(rows):
        truths = (phrase(), phrase())
        kind = _KINDS[number % len(_KINDS)]
        row = Question(str(number), "scene", f"{kind}?", truths, category=kind)
        found.append(AnswerPrediction(row, truths[0] if number % 5 == 0 else phrase(), 0.01))
    return found


def _numbers(random: np.random.Generator, rows: int) -> list[AnswerPrediction]:
    drawn = random.uniform(0.2, 5.0, (rows, 2))
    return [
        AnswerPrediction(
            Question(str(k), "image", "?", (f"{meant:.2f}",), category="numeric (other)"),
            f"{said:.2f} m",
            0.01,
        )
        for k, (said, meant) in enumerate(drawn)
    ]


def _write_scenes(folder: Path, random: np.random.Generator) -> Path:
    """An objects file."""
    document = {
        f"scene{scene:04}_00": {
            "objects": [
                {
                    "id": number,
                    "label": f"thing {number % 12}",
                    "center": random.uniform(0.0, 6.0, 3).tolist(),
                    "size": random.uniform(0.2, 2.0, 3).tolist(),
                }
                for number in range(_OBJECTS)
            ]
        }
        for scene in range(_SCENES)
    }
    path = folder / "objects.json"
    path.write_text(json.dumps(document))
    return path


def _groundings(random: np.random.Generator, truth: Scenes, rows: int) -> list[GroundingPrediction]:
    """A boxed object of the scene each, and every second box moved a little."""
    names = sorted(truth.names)
    found = []
    for number in range(rows):
        scene_id = names[number % len(names)]
        target, guess = (int(k) for k in random.integers(0, _OBJECTS, 2))
        box = truth.get_objects(scene_id)[guess].box
        moved = Box3D((box.center[0] + 0.05 * (number % 2), *box.center[1:]), box.size)
        row = ReferringExpression(
            str(number), scene_id, "a thing", target, number % 3 == 0, number % 4 == 0
        )
        found.append(GroundingPrediction(row, (guess,), (moved,), 1, 0.01))
    return found
