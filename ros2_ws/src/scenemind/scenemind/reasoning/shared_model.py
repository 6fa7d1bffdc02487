"""One model in this process for all questions: a detector, a segmenter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from typing import Generic, TypeVar

from scenemind.models import Allowance

Model = TypeVar("Model")


class SharedModel(Generic[Model]):
    """Made for the first question that needs it; one question uses it at a time.

    Nobody waits for it longer than their own time: it is made on a thread of its own, which goes on
    where the question that needed it has been given up, and the next one finds it.
    """

    def __init__(self, build: Callable[[], Model], kind: str) -> None:
        """
        Args:
            build: makes the model; called again where it failed.
            kind: of model, to name its thread.
        """
        self._build = build
        self._kind = kind
        self._changed = threading.Condition()  # of the two below
        self._made: Future[Model] | None = None
        self._is_busy = False

    def find(self) -> Model | None:
        """None before it is made, and where it cannot be."""
        made = self._made
        if made is None or not made.done() or made.exception() is not None:
            return None
        return made.result()

    def get(self, allowance: Allowance | None = None) -> Model:
        """
        Args:
            allowance: of who waits; None: as long as it takes.

        Raises:
            PerceptionError: it cannot be had; or whatever `build` raises.
            ModelError: cancelled, or the allowance is used up.
        """
        with self._changed:
            made = self._made
            if made is None:
                made = self._made = Future()
                make = threading.Thread(
                    target=self._make, args=(made,), name=self._kind, daemon=True
                )
                make.start()
        self._wait(made.done, allowance)
        return made.result()

    @contextmanager
    def turn(self, allowance: Allowance | None = None) -> Iterator[Model]:
        """The model, for who waits no longer than the allowance; raises as `get`."""
        model = self.get(allowance)
        self._wait(self._take_turn, allowance)
        try:
            yield model
        finally:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()

    def _make(self, made: Future[Model]) -> None:
        try:
            model = self._build()
        except BaseException as error:  # noqa: BLE001  # raised again for all who wait
            with self._changed:
                self._made = None
                made.set_exception(error)
                self._changed.notify_all()
            return
        with self._changed:
            made.set_result(model)
            self._changed.notify_all()

    def _take_turn(self) -> bool:
        was_free, self._is_busy = not self._is_busy, True
        return was_free

    def _wait(self, is_over: Callable[[], bool], allowance: Allowance | None) -> None:
        """
        Raises:
            ModelError: cancelled, or the allowance is used up.
        """
        waking = nullcontext() if allowance is None else allowance.waking(self._wake)
        with waking, self._changed:
            while not is_over():
                if allowance is not None:
                    allowance.check_time()
                self._changed.wait(None if allowance is None else max(0.0, allowance.left_s))

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
