"""Text split into tokens as the Penn Treebank has them, without punctuation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.evaluation.metrics.captions.java_program import (
    JavaError,
    coco_folder,
    run_java,
)

Texts = tuple[str, tuple[str, ...]]
"""An answer and its references."""

_PROGRAM = ("-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer")
_OPTIONS = ("-preserveLines", "-lowerCase", "-encoding", "UTF-8")
# The punctuation that pycocoevalcap leaves out.
_LEFT_OUT = frozenset(
    {"''", "'", "``", "`", "-lrb-", "-rrb-", "-lcb-", "-rcb-", "-LRB-", "-RRB-", "-LCB-", "-RCB-"}
    | {".", "?", "!", ",", ":", "-", "--", "...", ";"}
)
_TIMEOUT_S, _TIMEOUT_PER_LINE_S = 60.0, 0.01


def ptb_tokens(rows: Sequence[Texts]) -> list[Texts]:
    """The same in lower case, with a single space between tokens.

    Raises:
        JavaError: the tokenizer failed.
    """
    texts = [" ".join(text.split()) for row in rows for text in (row[0], *row[1])]
    asked = sorted({text for text in texts if text})
    timeout_s = _TIMEOUT_S + _TIMEOUT_PER_LINE_S * len(asked)
    lines = run_java((*_PROGRAM, *_OPTIONS), coco_folder("tokenizer"), asked, timeout_s)
    if len(lines) != len(asked):
        raise JavaError(f"the tokenizer gave {len(lines)} lines for {len(asked)}")
    known = {text: _words(line) for text, line in zip(asked, lines, strict=True)} | {"": ""}
    tokens = iter(known[text] for text in texts)
    return [(next(tokens), _taken(tokens, len(references))) for _, references in rows]


def _words(line: str) -> str:
    return " ".join(word for word in line.split() if word not in _LEFT_OUT)


def _taken(tokens: Iterator[str], count: int) -> tuple[str, ...]:
    return tuple(next(tokens) for _ in range(count))
