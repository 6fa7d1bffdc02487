"""Numbers of an evaluation as a page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scenemind.evaluation.result import Evaluation, Score

_NOT_SCORED = "not scored"
_NAMES = {
    "acc_25": "Acc@0.25",
    "acc_50": "Acc@0.5",
    "iou": "mean IoU",
    "right": "right answers",
    "exact_match": "exact match",
    "llm_match": "LLM-Match",
    "cider": "CIDEr",
    "meteor": "METEOR",
    "rouge_l": "ROUGE-L",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One score as a bar from 0 to 100 with its confidence interval.

    Attributes:
        percent, low, high: the bar's length and its whisker's ends, in percent of the width.
        text: the score with its interval, in words.
    """

    name: str
    n: int
    percent: float
    low: float
    high: float
    text: str


def named(name: str) -> str:
    """A metric or group for people: "exact match", "Acc@0.25", "view dependent"."""
    if name.startswith("bleu_"):
        return name.replace("bleu_", "BLEU-")
    return _NAMES.get(name, name.replace("_", " "))


def time_text(seconds: float) -> str:
    """In ms, with a digit after the point where there is only one before it."""
    ms = 1000.0 * seconds
    return f"{ms:,.0f} ms" if ms >= 10.0 else f"{ms:.1f} ms"


def score_text(score: Score) -> str:
    """ "71.3 (69.7 to 72.9)"."""
    if score.percent is None:
        return _NOT_SCORED
    text = f"{score.percent:.1f}"
    if score.low is None or score.high is None:
        return text
    return f"{text} ({score.low:.1f} to {score.high:.1f})"


def bar_of(name: str, score: Score) -> Bar | None:
    """None where no row was scored."""
    if score.percent is None:
        return None
    low = score.percent if score.low is None else score.low
    high = score.percent if score.high is None else score.high
    return Bar(
        named(name), score.n, _shown(score.percent), _shown(low), _shown(high), score_text(score)
    )


def _shown(percent: float) -> float:
    """Within the bar: CIDEr goes beyond 100."""
    return min(100.0, max(0.0, percent))


def breakdown_bars(evaluation: Evaluation) -> Iterator[Bar]:
    """Of the metric that the benchmark goes by, a bar a group."""
    for name, group in evaluation.breakdown.items():
        if (bar := bar_of(name, group.scores[evaluation.primary])) is not None:
            yield bar


def scene_bars(evaluation: Evaluation, count: int) -> list[Bar]:
    """The scenes whose rows went worst by the same metric, worst first."""
    of_scene: dict[str, list[float]] = {}
    for row in evaluation.rows:
        score = row.scores[evaluation.primary]
        if score is not None:
            of_scene.setdefault(row.scene_id, []).append(score)
    means = sorted((100.0 * sum(of) / len(of), scene) for scene, of in of_scene.items())
    return [
        Bar(scene, len(of_scene[scene]), _shown(mean), _shown(mean), _shown(mean), f"{mean:.1f}")
        for mean, scene in means[:count]
    ]


def time_and_cost(evaluation: Evaluation) -> Mapping[str, str]:
    """Name -> value."""
    seconds = sorted(row.seconds for row in evaluation.rows)
    figures = {
        "all answers together": f"{evaluation.seconds:.1f} s",
        "median of an answer": time_text(evaluation.median_ms / 1000.0),
        "95 of 100 answers within": time_text(seconds[round(0.95 * (len(seconds) - 1))]),
        "slowest answer": time_text(seconds[-1]),
    }
    usage = evaluation.usage
    if usage.calls:
        figures["calls of models"] = f"{usage.calls:,}"
        figures["tokens of prompts"] = f"{usage.prompt_tokens:,}"
        figures["tokens of replies"] = f"{usage.reply_tokens:,}"
        figures["cost"] = f"{usage.cost:.4g}"
        figures["cost of a row"] = f"{usage.cost / evaluation.n:.3g}"
    return figures
