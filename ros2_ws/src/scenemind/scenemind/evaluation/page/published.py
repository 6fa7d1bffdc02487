"""What papers print of the benchmarks (`published.yaml`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

EVERY_ROW = "all"


class PublishedMethod(BaseModel):
    """One line of a table.

    Attributes:
        input: what the method was given.
        scores: group, or `EVERY_ROW` -> metric -> percent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    input: str
    scores: Mapping[str, Mapping[str, float]]


class PublishedTable(BaseModel):
    """A paper's table.

    Attributes:
        paper, table: where it is printed.
        rows: which rows of the benchmark it is about.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    paper: str
    table: str
    rows: str
    methods: tuple[PublishedMethod, ...]

    def columns(self) -> tuple[tuple[str, str], ...]:
        """(group, metric) of every number, in the order of the table."""
        found = [
            (group, metric)
            for method in self.methods
            for group, scores in method.scores.items()
            for metric in scores
        ]
        return tuple(dict.fromkeys(found))


@cache
def all_published() -> tuple[PublishedTable, ...]:
    """In the order of the file."""
    text = (files("scenemind.evaluation") / "published.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[PublishedTable, ...]).validate_python(yaml.safe_load(text))


def published_of(benchmark: str) -> tuple[PublishedTable, ...]:
    """The tables that are about a benchmark."""
    return tuple(table for table in all_published() if table.benchmark == benchmark)
