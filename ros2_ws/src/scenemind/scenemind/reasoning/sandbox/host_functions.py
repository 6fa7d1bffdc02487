"""Functions of this process that a program may call."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scenemind.reasoning.sandbox.errors import ApiError
from scenemind.reasoning.sandbox.values import is_small


class HostFunctions:
    """One program's calls: timed, and with bugs of ours kept from it.

    Attributes:
        by_name: what the sandbox calls.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        seconds: float,
        is_over: Callable[[], bool],
    ) -> None:
        """
        Args:
            seconds: of all calls together, after which each fails.
            is_over: whether the program has been stopped: nothing is called then.
        """
        self.by_name = {name: partial(self._call, f) for name, f in functions.items()}
        self._limit_s = seconds
        self._is_over = is_over
        self._used_s = 0.0
        self._bug: Exception | None = None

    def raise_bug(self) -> None:
        """What a function raised that is no `ApiError`, whatever the program made of it. From then
        on none is called."""
        if self._bug is not None:
            raise self._bug

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self._is_over() or self._used_s >= self._limit_s:
            raise TimeoutError(f"the {self._limit_s:g} s for calls of the API are over")
        if self._bug is not None:  # the run has failed, whatever the program makes of it
            raise RuntimeError("no function of the API is called any more")
        if not is_small((args, kwargs)):
            raise ValueError("what is given to a function of the API is too large")
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        except ApiError as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            if isinstance(error, TypeError) and not _takes(function, args, kwargs):
                raise
            self._bug = error
            raise RuntimeError("the function failed by itself") from error
        finally:
            self._used_s += time.perf_counter() - start


def _takes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call fits the function's parameters."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True
