"""One sandbox for all programs of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scenemind.config.reasoning import SandboxConfig
from scenemind.reasoning.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SandboxConfig(seconds=2.0)) as sandbox:
        yield sandbox
