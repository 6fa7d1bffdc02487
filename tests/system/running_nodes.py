"""`scenemind up` as a process, with a memory to begin with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from scenemind.ros_environment import private_domain

SCENEMIND = Path(sys.executable).with_name("scenemind")
# Other tests of this run have the domain of the environment to themselves.
ENVIRONMENT = {**os.environ, **private_domain()}

_START_S = 120.0
_PARAMETERS = {
    "memory.name": "room",
    "detector.backend": "instance_camera",
    "topics.instances": "/instances",
    "topics.instance_names": "/instance_names",
}


@contextmanager
def running_nodes(
    folder: Path, parameters: Mapping[str, str] = MappingProxyType({})
) -> Iterator[None]:
    """Nodes with the memory "room" of a folder, on the domain of `ENVIRONMENT`; they end cleanly
    when they are interrupted."""
    command = [str(SCENEMIND), "up"]
    for name, value in {"memory.root": folder, **_PARAMETERS, **parameters}.items():
        command += ["--params", f"{name}={value}"]
    log = folder / "up.log"
    with log.open("wb") as output:
        nodes = subprocess.Popen(command, stdout=output, stderr=output, env=ENVIRONMENT)
    try:
        deadline = time.monotonic() + _START_S
        while "reasoning_node writes" not in log.read_text():
            assert nodes.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield
    finally:
        nodes.send_signal(signal.SIGINT)
        status = nodes.wait(60.0)
    assert status == 0, log.read_text()
