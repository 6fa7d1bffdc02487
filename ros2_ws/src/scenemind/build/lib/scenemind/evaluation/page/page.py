"""The page of an evaluation as one HTML file: figures, tables of papers, and the worst cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from scenemind.evaluation.page.pictures import PictureSources, worst_cases
from scenemind.evaluation.predictions import Prediction
from scenemind.evaluation.reliability import Reliability
from scenemind.evaluation.result import INTERVALS, ONE_SCENE, Evaluation, Score
from scenemind.report.drawing import render_of

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
EVERY_ROW = "all"
PAGE = "index.html"
_CASES = 12
_SCENES = 8


@dataclass(frozen=True, slots=True)
class Bar:
    """One score as a bar from 0 to 100 with its confidence interval.

    Attributes:
        percent, low, high: length of the bar and ends of its interval, percent of the width.
        text: the score with its interval.
    """

    name: str
    n: int
    percent: float
    low: float
    high: float
    text: str


def named(name: str) -> str:
    """Display name of a metric or group: "exact match", "Acc@0.25", "view dependent"."""
    if name.startswith("bleu_"):
        return name.replace("bleu_", "BLEU-")
    return _NAMES.get(name, name.replace("_", " "))


def time_text(seconds: float) -> str:
    """A time such as "1.5 ms", without decimals from 10 ms on."""
    ms = 1000.0 * seconds
    return f"{ms:,.0f} ms" if ms >= 10.0 else f"{ms:.1f} ms"


def score_text(score: Score) -> str:
    """A score such as "71.3 (69.7 to 72.9)", without an interval where there is none."""
    text = f"{score.percent:.1f}"
    return text if score.interval is None else f"{text} ({_between(score.interval)})"


def _between(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:.1f} to {high:.1f}"


def bar_of(name: str, score: Score) -> Bar:
    """The bar of a score."""
    low, high = score.interval or (score.percent, score.percent)
    return Bar(
        named(name), score.n, _shown(score.percent), _shown(low), _shown(high), score_text(score)
    )


def _shown(percent: float) -> float:
    """Clip to the bar's width, as CIDEr may exceed 100."""
    return min(100.0, max(0.0, percent))


def breakdown_bars(evaluation: Evaluation) -> Iterator[Bar]:
    """A bar for each group, by the benchmark's main metric."""
    for name, group in evaluation.breakdown.items():
        score = group.scores.get(evaluation.primary or "")
        if score is not None:
            yield bar_of(name, score)


def scene_bars(evaluation: Evaluation, count: int) -> list[Bar]:
    """Bars of the worst scenes by the benchmark's main metric, worst first."""
    if evaluation.primary is None:
        return []
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


_MARK = 0.4  # half the width of a mark on a bar, percent


def bins_as_bars(reliability: Reliability) -> Iterator[Bar]:
    """A bar for each bin of confidence: how many are right, with a mark at their mean
    confidence."""
    for one in reliability.bins:
        yield Bar(
            f"{one.low:.0%} to {one.high:.0%} sure",
            one.n,
            _shown(one.right),
            _shown(one.confidence - _MARK),
            _shown(one.confidence + _MARK),
            f"{one.right:.1f} right, {one.confidence:.1f} sure",
        )


def time_and_cost(evaluation: Evaluation) -> Mapping[str, str]:
    """Times and costs, name -> value."""
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


class PublishedMethod(BaseModel):
    """One line of a paper's table.

    Attributes:
        input: of the method.
        scores: group, or `EVERY_ROW` -> metric -> percent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    input: str
    scores: Mapping[str, Mapping[str, float]]


class PublishedTable(BaseModel):
    """A paper's table.

    Attributes:
        paper, table: its source.
        rows: description of the benchmark's rows that it covers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    paper: str
    table: str
    rows: str
    methods: tuple[PublishedMethod, ...]

    def columns(self) -> tuple[tuple[str, str], ...]:
        """(group, metric) of each column, in the order of the table."""
        found = [
            (group, metric)
            for method in self.methods
            for group, scores in method.scores.items()
            for metric in scores
        ]
        return tuple(dict.fromkeys(found))


@cache
def all_published() -> tuple[PublishedTable, ...]:
    """All tables, in the order of the file."""
    text = (files("scenemind.evaluation") / "published.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[PublishedTable, ...]).validate_python(yaml.safe_load(text))


def published_of(benchmark: str) -> tuple[PublishedTable, ...]:
    """The tables of a benchmark."""
    return tuple(table for table in all_published() if table.benchmark == benchmark)


@dataclass(frozen=True, slots=True)
class Cell:
    """A number in a comparison.

    Attributes:
        percent: empty: there is no number.
        detail: interval and number of rows, where known.
    """

    percent: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a comparison.

    Attributes:
        cells: one a column.
        is_this: it is this page's run.
    """

    name: str
    input: str
    cells: tuple[Cell, ...]
    is_this: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """This run and a paper's table, column by column.

    Attributes:
        heads: display names (group, metric) of each column; the group of all rows is empty.
    """

    source: str
    rows: str
    heads: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]


def comparisons(evaluation: Evaluation, tables: Sequence[PublishedTable]) -> Iterator[Comparison]:
    """A comparison with each table in the columns that this run has scored; those for all rows come
    first."""
    for table in tables:
        of_run = {column: _score(evaluation, *column) for column in table.columns()}
        columns = sorted(
            (column for column, score in of_run.items() if score is not None),
            key=lambda column: column[0] != EVERY_ROW,
        )
        if not columns:
            continue
        ours = tuple(_ours(of_run[column]) for column in columns)
        published = (
            Line(
                method.name,
                method.input,
                tuple(_printed(method.scores.get(group, {}).get(name)) for group, name in columns),
            )
            for method in table.methods
            if any(name in method.scores.get(group, {}) for group, name in columns)
        )
        this = Line(evaluation.method, evaluation.source, ours, is_this=True)
        heads = tuple(
            ("" if group == EVERY_ROW else named(group), named(metric)) for group, metric in columns
        )
        yield Comparison(f"{table.paper}, {table.table}", table.rows, heads, (this, *published))


def _score(evaluation: Evaluation, group: str, metric: str) -> Score | None:
    """A score of this run; None: it has not scored such rows."""
    if group == EVERY_ROW:
        return evaluation.scores.get(metric)
    found = evaluation.breakdown.get(group)
    return None if found is None else found.scores.get(metric)


def _ours(score: Score | None) -> Cell:
    if score is None:
        return Cell()
    interval = f"{_between(score.interval)}, " if score.interval else ""
    return Cell(f"{score.percent:.1f}", f"{interval}n {score.n:,}")


def _printed(percent: float | None) -> Cell:
    return Cell() if percent is None else Cell(f"{percent:g}")


def write_report(
    folder: Path,
    evaluation: Evaluation,
    predictions: Sequence[Prediction],
    sources: PictureSources | None = None,
    settings: Mapping[str, str] | None = None,
) -> Path:
    """Write the page into a folder, which is created; returns the page's path.

    Args:
        predictions: of the evaluation's rows.
        sources: of pictures of the worst cases; None: these have none.
        settings: further settings of the run, name -> value, for people.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    sources = sources or PictureSources()
    cases = worst_cases(evaluation, predictions, _CASES)
    text = render_of(
        "scenemind.evaluation.page",
        "evaluation.html.j2",
        evaluation=evaluation,
        primary=evaluation.scores.get(evaluation.primary or ""),
        intervals=INTERVALS,
        one_scene=ONE_SCENE,
        is_simulated="simulated" in evaluation.source,
        is_oracle=sources.has_true_ids,
        comparisons=list(comparisons(evaluation, published_of(evaluation.benchmark))),
        bars=list(breakdown_bars(evaluation)),
        scenes=scene_bars(evaluation, _SCENES),
        reliability=evaluation.reliability,
        reliability_bars=[]
        if evaluation.reliability is None
        else list(bins_as_bars(evaluation.reliability)),
        times=time_and_cost(evaluation),
        cases=[sources.draw(case) for case in cases],
        settings=settings or {},
        named=named,
        score_text=score_text,
        time_text=time_text,
    )
    page.write_text(str(text), encoding="utf-8")
    return page
