"""Plays a recorded sequence on the camera topics, with the recorded stamps."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from scenemind.frames import FrameError, RecordedSequence
from scenemind.simulation import open_source
from scenemind_ros.parameters import declare_parameters, overrides_in_words, read_parameters
from scenemind_ros.player.frame_publisher import FramePublisher
from scenemind_ros.player.pacing import Pacing
from scenemind_ros.player.parameters import PlayerParameters
from scenemind_ros.run_node import closing_undisturbed, run_in_ros
from scenemind_ros.spin_thread import SpinThread


class SequencePlayer(Node):
    """Publishes frames from the thread that calls `play`; acknowledgements come by the executor."""

    def __init__(self, sequence: RecordedSequence | None = None, **node_options: object) -> None:
        """Plays the given sequence, or the one that the parameter `sequence` names.

        Raises:
            ConfigError, FrameError, SimulationError: the parameters or the sequence are unusable.
        """
        with overrides_in_words():
            super().__init__(
                "sequence_player",
                automatically_declare_parameters_from_overrides=True,
                **node_options,
            )
        declare_parameters(self, PlayerParameters)
        self._settings = read_parameters(self, PlayerParameters)
        self.sequence = open_source(self._settings.sequence) if sequence is None else sequence
        self._frames = FramePublisher(self, self.sequence, self._settings)
        self._pacing = Pacing(self, self._settings.rate, self._settings.topics.processed)
        self._stopped = threading.Event()

    def play(self) -> int:
        """Publish everything; returns how many frames were sent.

        Raises:
            FrameError: nobody subscribes, or an image cannot be read.
        """
        self._wait_for_subscribers()
        sent = self._play_once()
        while self._settings.loop and not self._stopped.is_set():
            sent += self._play_once()
        self._frames.wait_until_delivered()
        return sent

    def stop(self) -> None:
        self._stopped.set()
        self._pacing.stop()

    def _play_once(self) -> int:
        total = min(len(self.sequence), self._settings.frames or len(self.sequence))
        self.get_logger().info(f"playing {self.sequence.name}: {total} frames")
        self._pacing.restart()
        sent, reported_at = 0, time.monotonic()
        for frame in islice(self.sequence, total):
            self._pacing.wait_for_turn(frame.stamp_ns)
            if self._stopped.is_set():
                break
            self._frames.publish(frame)
            sent += 1
            if time.monotonic() - reported_at > 5.0 or sent == total:
                self.get_logger().info(f"sent {sent}/{total} frames")
                reported_at = time.monotonic()
        self._pacing.finish()
        return sent

    def _wait_for_subscribers(self) -> None:
        deadline = time.monotonic() + self._settings.wait_s
        announced = False
        while missing := self._frames.unread_topics() + self._pacing.unheard_topics():
            if not announced:
                self.get_logger().info(f"waiting for a reader of {', '.join(missing)}")
                announced = True
            if time.monotonic() > deadline:
                raise FrameError(
                    f"nobody was at the other end of {', '.join(missing)} for"
                    f" {self._settings.wait_s:g} s: is the mapping node active, and are its"
                    " topics.* these?"
                )
            if self._stopped.wait(0.05):
                return


@contextmanager
def spinning(node: Node) -> Iterator[None]:
    """The node's callbacks run on a thread of their own meanwhile."""
    thread = SpinThread(node, SingleThreadedExecutor(context=node.context))
    try:
        yield
    finally:
        thread.close()


def main(args: list[str] | None = None) -> int:
    """Until everything is played, or SIGINT or SIGTERM."""
    return run_in_ros("sequence_player", _run, args)


def _run() -> None:
    player = SequencePlayer()
    with closing_undisturbed(player), spinning(player):
        # On SIGTERM the context ends without a word to the thread that plays.
        player.context.on_shutdown(player.stop)
        player.play()


if __name__ == "__main__":
    raise SystemExit(main())
