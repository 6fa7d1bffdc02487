"""Benchmarks by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def bench_named(name: str) -> Callable[..., dict[str, Any]]:
    """`bench_NAME` of the module of that name, imported now: some of them import for seconds."""
    module = importlib.import_module(f"scenemind.cli.bench.{name}")
    measure: Callable[..., dict[str, Any]] = getattr(module, f"bench_{name}")
    return measure
