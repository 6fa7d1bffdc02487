"""The nodes while they are asked: those that run already, or new ones that saw the recording."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from scenemind.simulation import open_source
from scenemind_ros.client import SceneMindClient
from scenemind_ros.demo.nodes import DemoNodes
from scenemind_ros.demo.options import DemoOptions
from scenemind_ros.evaluation.options import LiveOptions

NODES = "nodes"  # folder of logs and the memory, in that of the run
_READY_S = 60.0


@contextmanager
def mapped_by_nodes(options: LiveOptions, client: SceneMindClient) -> Iterator[None]:
    """Within it the nodes have mapped the whole recording.

    The player sends frames as fast as the mapping node acknowledges that it has mapped them, and
    ends after the last one.

    Raises:
        RosError: a node failed, or none answers.
    """
    if options.is_running:
        client.wait_ready(_READY_S)
        yield
        return
    folder = options.out / NODES
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was interrupted
    played = DemoOptions(options.recording, options.detector or None, folder, options.frames)
    with DemoNodes(played, open_source(options.recording)) as nodes:
        nodes.start()
        nodes.play()  # which waits until the mapping node reads; both start at the same time
        client.wait_ready(_READY_S)
        yield
        nodes.check()
