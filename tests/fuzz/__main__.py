"""`make fuzz`: changed files, replies and requests, until the time is over.

    python -m tests.fuzz --seconds 600 --seed 3 [--count 300] [replies recordings-sens requests ...]

A trial fails that raises another error than its target expects, takes longer than 5 s, or after
which the process has grown by more than 500 MB. Its seed is printed: `--seed SEED --count 1` is the
same trial again.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from tests.fuzz import memories, recordings, replies, requests, test_memories

LONGEST_S, MOST_GROWTH_MB = 5.0, 500.0
Trial = Callable[[random.Random], str]


@contextmanager
def opened_memories() -> Iterator[Trial]:
    with tempfile.TemporaryDirectory() as root:
        whole = Path(root, "whole", "row")
        test_memories.make(whole)
        answers = memories.run(whole).answers

        def trial(rng: random.Random) -> str:
            with tempfile.TemporaryDirectory(dir=root) as folder:
                return test_memories.try_one(whole, Path(folder), rng.randrange(10**9), answers)

        yield trial


TARGETS: dict[str, Callable[[], AbstractContextManager[Trial]]] = {
    "memories": opened_memories,
    "replies": replies.opened,
    "requests": requests.opened,
    **{f"recordings-{name}": partial(recordings.opened, name) for name in recordings.FORMATS},
}


def grown_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def run(name: str, seed: int, count: int, until: float, others: int) -> int:
    """Trials of one target; returns how many failed.

    Args:
        until: when all targets end, on the monotonic clock.
        others: targets that follow; the time that is left is shared with them.
    """
    failed, done = 0, 0
    with TARGETS[name]() as trial:
        trial(random.Random(seed))  # what is loaded once is no growth, and takes time
        before_mb = grown_mb()
        now = time.monotonic()
        end = now + (until - now) / (1 + others)
        for number in range(seed, seed + count):
            if time.monotonic() > end:
                break
            done += 1
            start = time.process_time()
            try:
                trial(random.Random(number))
                took_s, mb = time.process_time() - start, grown_mb() - before_mb
                assert took_s < LONGEST_S, f"it took {took_s:.1f} s"
                assert mb < MOST_GROWTH_MB, f"the process has grown by {mb:.0f} MB"
            except Exception:  # noqa: BLE001 - whatever it is, it is what was looked for
                failed += 1
                print(f"{name} --seed {number} --count 1:\n{traceback.format_exc()}", flush=True)
    print(f"{name}: {done} trials, {failed} failed, grown by {grown_mb() - before_mb:.0f} MB")
    return failed


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz")
    options.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--count", type=int, default=10**9, help="trials of each target")
    options.add_argument("targets", nargs="*", choices=[[], *TARGETS], default=[])
    given = options.parse_args()
    targets = given.targets or list(TARGETS)
    until = time.monotonic() + given.seconds
    failed = [
        run(name, given.seed, given.count, until, others)
        for others, name in zip(reversed(range(len(targets))), targets, strict=True)
    ]
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
