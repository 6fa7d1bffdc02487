"""How findings are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from scenemind.cli.doctor.finding import Finding, worst
from scenemind.cli.output import print_json, print_table

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def show(source: str, findings: Sequence[Finding], as_json: bool) -> int:
    """Print everything; the exit status is 1 where something fails."""
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
    counts = {name: sum(f.status == name for f in findings) for name in _STYLES}
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
