"""Threads that spin nodes: their end, and interrupts after the end of ROS."""

from __future__ import annotations

import subprocess
import sys
import threading

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from scenemind_ros.run_node import SpinThread

from .graph import TIMEOUT_S, RosGraph

# A node ends while another thread runs its callbacks.
INTERRUPTED = """
import os, signal, time, rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from scenemind_ros.run_node import closing_undisturbed, run_in_ros
from scenemind_ros.run_node import SpinThread

def body():
    node = Node("interrupted")
    with closing_undisturbed(node):
        thread = SpinThread(node, SingleThreadedExecutor())
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        except KeyboardInterrupt:
            print("ROS is up" if rclpy.ok() else "ROS has ended")
            raise
        finally:
            thread.close()

raise SystemExit(run_in_ros("interrupted", body, None))
"""


def test_threads_end_that_were_just_started(graph: RosGraph) -> None:
    node = Node("spun", context=graph.context)
    for _ in range(50):
        thread = SpinThread(node, SingleThreadedExecutor(context=graph.context))
        thread.close()
        thread.close()
    node.destroy_node()
    assert not [thread.name for thread in threading.enumerate() if thread.name == "spin spun"]


def test_an_interrupt_comes_when_ros_has_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert (done.returncode, done.stdout) == (0, "ROS has ended\n"), done.stderr
