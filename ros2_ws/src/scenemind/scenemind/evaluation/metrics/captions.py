"""BLEU, ROUGE-L, METEOR and CIDEr as ScanQA reports them (Azuma et al., CVPR 2022).

By pycocoevalcap, the extra `eval`, on answers that Stanford's tokenizer has split, as ScanQA's
script does. The tokenizer and METEOR are Java programs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from scenemind.errors import EvaluationError, install_line
from scenemind.evaluation.result import Array, Column, mean_column

_SHOWN_CHARACTERS = 200
Texts = tuple[str, tuple[str, ...]]
"""An answer and its references."""
_TOKENIZER = ("-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer")
_OPTIONS = ("-preserveLines", "-lowerCase", "-encoding", "UTF-8")
# The punctuation that pycocoevalcap leaves out.
_LEFT_OUT = frozenset(
    {"''", "'", "``", "`", "-lrb-", "-rrb-", "-lcb-", "-rcb-", "-LRB-", "-RRB-", "-LCB-", "-RCB-"}
    | {".", "?", "!", ",", ":", "-", "--", "...", ";"}
)
_TOKENIZER_TIMEOUT_S, _TIMEOUT_PER_LINE_S = 60.0, 0.01
_METEOR = ("-Xmx2G", "-jar", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en", "-norm")
_METEOR_TIMEOUT_S, _TIMEOUT_PER_ROW_S = 120.0, 0.05
# The paper's parameters for English: weight of recall, fragmentation, weight of content words, and
# weights of matches by word, stem, synonym and paraphrase.
_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_MATCHERS = np.array([1.0, 0.6, 0.8, 0.6])
# Numbers that the program prints for a row: lengths and function words of the answer and the best
# reference; four numbers a matcher; chunks; matches in the answer and in the reference.
_NUMBERS = 23
_CHUNKS, _MATCHES = 20, slice(21, 23)
# Replaces an empty text, which would shift the columns; it matches nothing.
_NOTHING = "\u2205"
_LONGEST = 4
# Those of pycocoevalcap, against division by zero.
_TINY, _SMALL = 1e-15, 1e-9
CAPTION_METRICS = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "meteor", "cider")


class JavaError(EvaluationError):
    """A Java program failed; the message contains its output."""


def run_java(
    arguments: Sequence[str], folder: Path, lines: Sequence[str], timeout_s: float
) -> list[str]:
    """Run a Java program; returns the lines that it prints.

    Args:
        folder: of its files.

    Raises:
        JavaError: it failed, or did not end in time.
    """
    command = ["java", "-Dfile.encoding=UTF-8", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise JavaError(
            f"the Java program of {folder.name} did not end within {timeout_s:g} s"
        ) from error
    except (OSError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or "").strip()[-_SHOWN_CHARACTERS:]
        raise JavaError(f"the Java program of {folder.name} failed: {error}; {said}") from error
    return done.stdout.splitlines()


def coco_folder(name: str) -> Path:
    """A folder of pycocoevalcap.

    Raises:
        JavaError: it is not installed.
    """
    found = find_spec("pycocoevalcap")
    if found is None or not found.submodule_search_locations:
        raise JavaError(f"pycocoevalcap is not installed: {install_line('eval')}")
    return Path(found.submodule_search_locations[0]) / name


def ptb_tokens(rows: Sequence[Texts]) -> list[Texts]:
    """Texts as Penn Treebank tokens in lower case, separated by single spaces, without punctuation.

    Raises:
        JavaError: the tokenizer failed.
    """
    texts = [" ".join(text.split()) for row in rows for text in (row[0], *row[1])]
    asked = sorted({text for text in texts if text})
    timeout_s = _TOKENIZER_TIMEOUT_S + _TIMEOUT_PER_LINE_S * len(asked)
    lines = run_java((*_TOKENIZER, *_OPTIONS), coco_folder("tokenizer"), asked, timeout_s)
    if len(lines) != len(asked):
        raise JavaError(f"the tokenizer gave {len(lines)} lines for {len(asked)}")
    known = {text: _words(line) for text, line in zip(asked, lines, strict=True)} | {"": ""}
    tokens = iter(known[text] for text in texts)
    return [(next(tokens), _taken(tokens, len(references))) for _, references in rows]


def _words(line: str) -> str:
    return " ".join(word for word in line.split() if word not in _LEFT_OUT)


def _taken(tokens: Iterator[str], count: int) -> tuple[str, ...]:
    return tuple(next(tokens) for _ in range(count))


def meteor_column(rows: Sequence[Texts]) -> Column:
    """METEOR 1.5 (Denkowski and Lavie, WMT 2014); of many rows by their summed statistics.

    Args:
        rows: texts as tokens.

    Raises:
        JavaError: the program failed, or did not end.
    """
    asked = [
        " ||| ".join(["SCORE", *map(_field, references), _field(answer)])
        for answer, references in rows
    ]
    timeout_s = _METEOR_TIMEOUT_S + _TIMEOUT_PER_ROW_S * len(rows)
    statistics = _parsed(run_java(_METEOR, coco_folder("meteor"), asked, timeout_s), len(rows))
    statistics[[not answer for answer, _ in rows], 0] = 0.0
    # An answer that equals the reference has no fragmentation.
    matches = statistics[:, _MATCHES]
    whole = (matches == statistics[:, :2]).all(axis=1) & (statistics[:, _CHUNKS] == 1.0)
    statistics[whole, _CHUNKS] = 0.0
    return Column(meteor_of(statistics), statistics, meteor_of)


def _field(text: str) -> str:
    return text.replace("|||", " ").strip() or _NOTHING


def _parsed(lines: Sequence[str], rows: int) -> Array:
    """Statistics (rows, 23) in the output of the program."""
    try:
        statistics = np.array([line.split() for line in lines], dtype=np.float64)
    except ValueError as error:
        raise JavaError(f"METEOR did not print numbers: {error}") from error
    if statistics.shape != (rows, _NUMBERS):
        raise JavaError(f"METEOR printed {statistics.shape} numbers for {rows} rows")
    return statistics


def meteor_of(statistics: Array) -> Array:
    """METEOR from statistics of rows or their sums: (..., 23) -> (...)."""
    of_matcher = statistics[..., 4:_CHUNKS].reshape(*statistics.shape[:-1], len(_MATCHERS), 4)
    content, function = of_matcher[..., :2], of_matcher[..., 2:]
    matched = np.einsum("...mk,m->...k", _DELTA * content + (1.0 - _DELTA) * function, _MATCHERS)
    function_words = statistics[..., 2:4]
    words = statistics[..., :2]
    weight = _DELTA * (words - function_words) + (1.0 - _DELTA) * function_words
    precision, recall = np.moveaxis(_divided(matched, weight), -1, 0)
    mean = _divided(precision * recall, _ALPHA * precision + (1.0 - _ALPHA) * recall)
    fragments = _divided(statistics[..., _CHUNKS], statistics[..., _MATCHES].mean(axis=-1))
    score: Array = mean * (1.0 - _GAMMA * fragments**_BETA)
    return score


def _divided(a: Array, b: Array) -> Array:
    """Quotient, 0 for 0 / 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)


def bleu_columns(rows: Sequence[Texts]) -> dict[str, Column]:
    """`bleu_1` to `bleu_4`; of many rows by their summed counts, as BLEU is defined (Papineni et
    al., ACL 2002)."""
    from pycocoevalcap.bleu.bleu_scorer import BleuScorer

    scorer = BleuScorer(n=_LONGEST)
    for answer, references in rows:
        scorer += (answer, references)
    counts = np.array([_counts(one) for one in scorer.ctest], dtype=np.float64)
    of_sums = {f"bleu_{n}": partial(bleu_of, n=n) for n in range(1, _LONGEST + 1)}
    return {name: Column(bleu(counts), counts, bleu) for name, bleu in of_sums.items()}


def _counts(row: dict[str, Any]) -> list[float]:
    """Length of the answer, length of the closest reference, numbers of n-grams of the answer, and
    of matching ones, from the counts of pycocoevalcap."""
    length, references = row["testlen"], row["reflen"]
    closest = min((abs(reference - length), reference) for reference in references)[1]
    return [length, closest, *row["guess"], *row["correct"]]


def bleu_of(counts: Array, n: int) -> Array:
    """BLEU-n from counts of rows or their sums: (..., 10) -> (...)."""
    length, closest = counts[..., 0], counts[..., 1]
    guessed, correct = counts[..., 2 : 2 + n], counts[..., 2 + _LONGEST : 2 + _LONGEST + n]
    precision = np.prod((correct + _TINY) / (guessed + _SMALL), axis=-1) ** (1.0 / n)
    ratio = (length + _TINY) / (closest + _SMALL)
    with np.errstate(over="ignore"):
        brevity: Array = np.where(ratio < 1.0, np.exp(1.0 - 1.0 / ratio), 1.0)
    return precision * brevity


def rouge_column(rows: Sequence[Texts]) -> Column:
    """ROUGE-L (Lin, 2004)."""
    from pycocoevalcap.rouge.rouge import Rouge

    return mean_column(_of_rows(Rouge(), rows))


def cider_column(rows: Sequence[Texts]) -> Column:
    """CIDEr (Vedantam et al., CVPR 2015), in [0, 10], with document frequencies of all rows."""
    from pycocoevalcap.cider.cider import Cider

    return mean_column(_of_rows(Cider(), rows), best=10.0)


def _of_rows(scorer: Any, rows: Sequence[Texts]) -> Array:
    references = {k: list(row[1]) for k, row in enumerate(rows)}
    answers = {k: [row[0]] for k, row in enumerate(rows)}
    return np.asarray(scorer.compute_score(references, answers)[1])


def caption_columns(rows: Sequence[Texts | None]) -> tuple[dict[str, Column], tuple[str, ...]]:
    """Columns of `CAPTION_METRICS`, in [0, 1] (CIDEr: in [0, 10]), and notes why some are missing.

    Without pycocoevalcap or Java none is computed; METEOR is missing where its program fails.

    Args:
        rows: answer and at least one reference of each row; None: the row is not scored.
    """
    scored = [k for k, row in enumerate(rows) if row is not None]
    if not scored:
        return {}, ()
    if missing := _missing():
        return {}, (f"BLEU, ROUGE-L, METEOR and CIDEr are not computed: {missing}",)
    try:
        tokens = ptb_tokens([row for row in rows if row])
    except JavaError as error:
        return {}, (f"BLEU, ROUGE-L, METEOR and CIDEr are not computed: {error}",)
    columns = {
        **bleu_columns(tokens),
        "rouge_l": rouge_column(tokens),
        "cider": cider_column(tokens),
    }
    notes: tuple[str, ...] = ()
    try:
        columns["meteor"] = meteor_column(tokens)
    except JavaError as error:
        notes = (f"METEOR is not computed: {error}",)
    return {name: _among(column, scored, len(rows)) for name, column in columns.items()}, notes


def _missing() -> str:
    """What these metrics need and do not find; empty: nothing."""
    if find_spec("pycocoevalcap") is None:
        return f"pycocoevalcap is not installed: {install_line('eval')}"
    if which("java") is None:
        return "their tokenizer needs java, which is not here: apt install default-jre-headless"
    return ""


def _among(column: Column, rows: Sequence[int], count: int) -> Column:
    """A column of some rows, extended to all rows."""
    values = np.full(count, np.nan)
    statistics = np.zeros((count, column.statistics.shape[1]))
    values[rows], statistics[rows] = column.values, column.statistics
    return Column(values, statistics, column.of_sums, column.best)
