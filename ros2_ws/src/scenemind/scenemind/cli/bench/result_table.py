"""What a benchmark has measured, as a table or for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from scenemind.cli.output import print_json, print_table

_WITHOUT_TABLE = ("machine", "versions")


def show_result(name: str, result: Mapping[str, Any], as_json: bool) -> None:
    """One row a measure, and the machine below them; or one JSON object."""
    if as_json:
        print_json(result)
        return
    table = Table(title=f"bench {name}", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for key, value in _rows(result):
        table.add_row(key, value)
    print_table(table)
    print("; ".join(_line(result[part]) for part in _WITHOUT_TABLE))


def _rows(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in result.items():
        if key in _WITHOUT_TABLE:
            continue
        if isinstance(value, Mapping):
            rows += [(f"{key}  {part}", text) for part, text in _rows(value)]
        elif isinstance(value, list):
            rows += [(f"{key}  {count}", _text(part)) for count, part in enumerate(value, start=1)]
        else:
            rows.append((key, _text(value)))
    return rows


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items())
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _line(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())
