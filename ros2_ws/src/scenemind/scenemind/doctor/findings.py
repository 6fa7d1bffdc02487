"""Findings of the doctor: one result of one check, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from scenemind.report.terminal import print_json, print_table
from scenemind.untrusted import say

Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Outcome of one check.

    Attributes:
        check: short name, such as `depth units`.
        measured: the value that was found, with its unit.
        fix: the parameter or command that fixes it; empty where nothing is wrong.
        command: a line for the shell that the fix names, to be pasted as it is; empty: none.
    """

    check: str
    status: Status
    measured: str
    fix: str = ""
    command: str = ""


def worst(findings: Iterable[Finding]) -> Status:
    """The most severe status; ok without findings."""
    order: tuple[Status, ...] = ("ok", "warn", "fail")
    return max((finding.status for finding in findings), key=order.index, default="ok")


_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def show(source: str, findings: Sequence[Finding], as_json: bool) -> int:
    """Print all findings; returns the exit status, 1 where a check fails."""
    status = worst(findings)
    if as_json:
        checks = [asdict(finding) for finding in findings]
        print_json({"source": source, "status": status, "checks": checks})
    else:
        _print(source, findings)
    return 1 if status == "fail" else 0


def _print(source: str, findings: Sequence[Finding]) -> None:
    table = Table(title=source, title_justify="left", box=SIMPLE_HEAD)
    for heading in ("check", "", "measured", "fix"):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        status = Text(finding.status, style=_STYLES[finding.status])
        table.add_row(Text(finding.check), status, Text(finding.measured), Text(finding.fix))
    print_table(table)
    for command in (finding.command for finding in findings if finding.command):
        say(command)  # on a line of its own: the table breaks lines anywhere
    counts = {name: sum(f.status == name for f in findings) for name in _STYLES}
    say(", ".join(f"{count} {name}" for name, count in counts.items()))
