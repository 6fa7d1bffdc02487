"""Measurements in processes of their own: started, waited for, read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from scenemind.cli.errors import CommandError


def run_module(
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    timeout_s: float | None = None,
) -> dict[str, Any]:
    """Run `python -m module` and return the JSON object in the last line that it prints.

    Raises:
        CommandError: it failed, took too long, or printed no JSON object.
    """
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command,
            env=dict(environment),
            stdout=subprocess.PIPE,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CommandError(f"{module} did not end within {timeout_s:g} s") from error
    if done.returncode != 0:
        raise CommandError(f"{module} failed with status {done.returncode}")
    lines = done.stdout.splitlines()
    try:
        found = json.loads(lines[-1] if lines else "")
    except json.JSONDecodeError as error:
        raise CommandError(f"{module} printed no result, but {done.stdout[-200:]!r}") from error
    if not isinstance(found, dict):
        raise CommandError(f"{module} printed {found!r}, not a JSON object")
    return found
