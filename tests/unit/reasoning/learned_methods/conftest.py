"""One sandbox for all programs of these tests."""

from __future__ import annotations

from tests.unit.reasoning.llm_tpc.conftest import sandbox

__all__ = ["sandbox"]
