"""Fixtures of all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scenemind.ros_environment import claimed_domain

REPOSITORY = Path(__file__).resolve().parents[1]

# rclpy turns a wrongly typed field into garbage unless this is set before it is imported.
os.environ.setdefault("ROS_PYTHON_CHECK_FIELDS", "1")
# Two test runs on one machine, and two workers of one run, must not hear each other, nor the nodes
# that a test starts on a domain of their own: those are on 40 to 101 (see `private_domain`).
os.environ["ROS_DOMAIN_ID"] = str(claimed_domain(range(1, 40)))
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw-1").removeprefix("gw")) + 1
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

# The same examples in every run; `--hypothesis-profile=default` looks for new ones, and for more.
# Time limits would fail at random where the workers, and what tests start, share few cores.
settings.register_profile(
    "repeatable",
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


_WAITING = {REPOSITORY / "tests" / name for name in ("system", "ros")}  # tests that wait much
# Files that take ten seconds or more; one of them that began last would keep one core busy alone.
_LONG = {
    *("test_demo.py", "test_live.py", "test_live_questions.py", "test_up.py"),
    # Late in a worker that has had hundreds of graphs its nodes did not find their player, for a
    # cause that is not known; early, and alone, they do.
    "test_two_robots.py",
    *("test_remote_memory.py", "test_mapping_processes.py", "test_evaluation.py"),
    *("test_benchmarks.py", "test_maps.py", "test_examples.py", "test_agent.py"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("frozen values")
    group.addoption("--all-rows", action="store_true", help="Compare everything, not a sample.")
    group.addoption("--freeze", action="store_true", help="Record the values as they are now.")


def pytest_configure(config: pytest.Config) -> None:
    """Let each worker of a whole run begin with other files: it finds compiled what the others
    had before it."""
    if _worker and config.args == config.getini("testpaths"):
        files = [str(file) for file in sorted((REPOSITORY / "tests").rglob("test_*.py"))]
        first = (_worker - 1) * len(files) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args = files[first:] + files[:first]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exempt the thousands of tests, which live as long as the run, from Python's collector of
    cycles: a full collection of them takes 0.4 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread files whose tests wait for nodes and processes among those that compute, which keeps
    all cores busy; the longest are first.

    Tests of nodes are tried twice: no time limit of DDS holds on every machine. The summary lists
    those that needed it.
    """
    groups: dict[bool, list[Path]] = {True: [], False: []}
    for file in sorted({item.path for item in items}, key=lambda f: (f.name not in _LONG, f)):
        groups[not _WAITING.isdisjoint(file.parents)].append(file)
    place = {
        file: number / len(group) for group in groups.values() for number, file in enumerate(group)
    }
    # Equal places in files' order: workers collect files in orders of their own.
    items.sort(key=lambda item: (place[item.path], item.path))
    for item in items:
        if item.path in groups[True]:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session", autouse=True)
def _pipelines_start_at_once() -> Iterator[None]:
    """A mapping pipeline begins with a full collection, of the exempted objects too; that has
    tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scenemind.mapping.pipeline.settle_garbage", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The default folder of memories and of the models' ledger during the tests."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCENEMIND_HOME", str(path))
        yield path


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of recorded sequences, weights and annotations, which not every machine has."""
    default = REPOSITORY.parent / "shared" / "data"
    path = Path(os.environ.get("SCENEMIND_SHARED_DATA", default))
    if not path.is_dir():
        pytest.skip(f"no recorded data at {path}; set SCENEMIND_SHARED_DATA to its folder")
    return path
