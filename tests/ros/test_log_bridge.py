"""Assignment of the library's log lines to the logs of nodes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from scenemind_ros.reasoning.serving import THREADS, BoundedWork
from scenemind_ros.run_node import log_library_to

LIBRARY = logging.getLogger("scenemind.models.made_up")


class Lines(list[str]):
    """A node's logger that keeps its lines."""

    info = warning = error = list.append


@pytest.fixture(autouse=True)
def _own_handlers() -> Iterator[None]:
    """Separate these handlers from those of other tests' nodes."""
    loggers = [logging.getLogger(name) for name in ("scenemind", "scenemind_ros")]
    kept = [(logger.handlers, logger.level) for logger in loggers]
    for logger in loggers:
        logger.handlers = []
    yield
    for logger, (handlers, level) in zip(loggers, kept, strict=True):
        logger.handlers = handlers
        logger.setLevel(level)


def test_later_node_gets_the_lines_of_its_own_threads() -> None:
    first, later = Lines(), Lines()
    log_library_to(first)  # type: ignore[arg-type]
    log_library_to(later, (THREADS,))  # type: ignore[arg-type]
    work = BoundedWork(1, 0)
    work.run(lambda: LIBRARY.warning("asked again"), 9.0, lambda: True)
    work.close()
    with ThreadPoolExecutor(1, "describing") as pool:
        pool.submit(LIBRARY.info, "described").result()
    assert (first, later) == (["described"], ["asked again"])


def test_single_node_gets_all_lines() -> None:
    only = Lines()
    log_library_to(only, (THREADS,))  # type: ignore[arg-type]
    LIBRARY.error("failed")
    assert only == ["failed"]
