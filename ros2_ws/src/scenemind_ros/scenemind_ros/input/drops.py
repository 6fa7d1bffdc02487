"""What was left out, by cause: counted always, said once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rclpy.impl.rcutils_logger import RcutilsLogger


class DropCounts:
    """Counts by cause; the first of each cause goes to the log with its detail."""

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self._counts: Counter[str] = Counter()
        self._details: dict[str, str] = {}

    def count(self, cause: str, detail: str) -> None:
        """One more of the cause, such as `bad_depth`; the detail says what and the way out."""
        self._counts[cause] += 1
        self._details[cause] = detail
        if self._counts[cause] == 1:
            self._logger.warning(f"dropped ({cause}): {detail}; more of these are only counted")

    def find_detail(self, cause: str) -> str | None:
        """What was said of the newest one."""
        return self._details.get(cause)

    def counts(self) -> Mapping[str, int]:
        return dict(self._counts)
