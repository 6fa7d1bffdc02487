"""What a benchmark has measured, as a table or for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.output import print_json, print_table

_WITHOUT_TABLE = ("machine", "versions")


def show_result(name: str, result: Mapping[str, Any], as_json: bool) -> None:
    """One row a measure, a table for each list of things with the same measures, and the machine
    below them; or one JSON object."""
    if as_json:
        print_json(result)
        return
    table = Table(title=f"bench {name}", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for key, value in _rows(result):
        table.add_row(key, value)
    print_table(table)
    for key, things in result.items():
        if _is_table(things):
            print_table(_things(key, things))
    print("; ".join(_line(result[part]) for part in _WITHOUT_TABLE))


def _rows(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in result.items():
        if key in _WITHOUT_TABLE or _is_table(value):
            continue
        if isinstance(value, Mapping):
            rows += [(f"{key}  {part}", text) for part, text in _rows(value)]
        elif isinstance(value, list):
            rows += [(f"{key}  {count}", _text(part)) for count, part in enumerate(value, start=1)]
        else:
            rows.append((key, _text(value)))
    return rows


def _is_table(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    """Of things with the same measures."""
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(part, Mapping) and part.keys() == value[0].keys() for part in value)
    )


def _things(title: str, things: Sequence[Mapping[str, object]]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading, value in things[0].items():
        table.add_column(heading, justify="left" if isinstance(value, str) else "right")
    for thing in things:
        table.add_row(*(escape(_text(value)) for value in thing.values()))
    return table


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items())
    if isinstance(value, list):
        return " x ".join(map(_text, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _line(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())
