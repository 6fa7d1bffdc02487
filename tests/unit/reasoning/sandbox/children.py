"""Child processes, by /proc."""

from __future__ import annotations

import os
from pathlib import Path


def children_named(name: str, parent: int | None = None) -> list[int]:
    """Running children of a process, by default of this one."""
    wanted = os.getpid() if parent is None else parent
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.read_text(encoding="utf-8").split(" (", 1)
        except OSError:  # it ended meanwhile
            continue
        command, fields = rest.rsplit(") ", 1)
        state, of = fields.split()[:2]
        if command == name and int(of) == wanted and state != "Z":
            children.append(int(pid))
    return children
