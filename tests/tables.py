"""Tables of sentences and their expected readings, in the folder `tables` beside a test module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def read_table(test_file: str, name: str) -> dict[str, Any]:
    """Content of the table `name`; pass the `__file__` of the test module."""
    path = Path(test_file).parent / "tables" / f"{name}.yaml"
    table: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return table
