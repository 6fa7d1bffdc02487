"""Lines of JSON, one a location, that are written in less detail when their budget is full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from operator import is_

from scenemind.memory.tree.contents import NO_OBJECT, Contents
from scenemind.memory.tree.tree_lines import Detail, Line, Thing, what_counts, write_line

# What is written anew because the budget is full takes at most this share of it.
_SHARE_AFTERWARDS = 0.7


class JsonLines:
    """A fold over the locations in order: the same locations give the same lines, whether they
    come at once or one by one.

    Attributes:
        things: the objects that may be named.
        written: every location that was added.
        lines: of those from `written[-len(lines)]` on; older ones are left out.
        tokens: of all lines; at most the budget.
    """

    def __init__(self, things: Mapping[int, Thing], token_budget: int) -> None:
        self.things = things
        self.written: list[Contents] = []
        self.lines: list[Line] = []
        self.tokens = 0
        self.detail = Detail.FULL
        self._budget = token_budget
        self._used: dict[int, Thing | None] = {}
        self._listed: dict[int, set[int | str]] = {}
        self._place_of: dict[int, int] = {}

    def is_beginning_of(
        self, closed: Sequence[Contents], things: Mapping[int, Thing], token_budget: int
    ) -> bool:
        """Whether a tree with these closed locations and objects begins with these lines."""
        return (
            token_budget == self._budget
            and len(self.written) <= len(closed)
            and all(map(is_, self.written, closed))
            and all(things.get(object_id) == thing for object_id, thing in self._used.items())
        )

    def add(self, contents: Contents) -> None:
        """One more location."""
        self.written.append(contents)
        for object_id in contents.object_ids:
            if object_id != NO_OBJECT:
                self._used[object_id] = self.things.get(object_id)
        self._write(contents)
        if self.tokens > self._budget:
            self._save_tokens()

    def with_last(self, contents: Contents | None) -> JsonLines:
        """These lines and one more that may still change."""
        if contents is None:
            return self
        longer = copy(self)
        longer.written, longer.lines = self.written.copy(), self.lines.copy()
        longer._used, longer._place_of = self._used.copy(), self._place_of.copy()
        longer._listed = {key: listed.copy() for key, listed in self._listed.items()}
        longer.add(contents)
        return longer

    def objects_seen(self) -> set[int]:
        """Map objects of any location."""
        return {object_id for object_id, thing in self._used.items() if thing is not None}

    def objects_shown(self) -> set[int]:
        """Map objects that the lines name or count."""
        return {object_id for line in self.lines for object_id in line.object_ids}

    def _write(self, contents: Contents) -> None:
        first = contents.revisit_of
        place = contents.location_id if first is None else self._place_of.get(first, first)
        self._place_of[contents.location_id] = place
        listed = self._listed.setdefault(what_counts(self.detail, place), set())
        line = write_line(contents, self.things, self.detail, listed)
        listed.update(line.listed)
        self.lines.append(line)
        self.tokens += line.tokens

    def _save_tokens(self) -> None:
        enough = _SHARE_AFTERWARDS * self._budget
        while self.tokens > enough and self.detail < Detail.COUNTS_ONLY:
            self.detail = Detail(self.detail + 1)
            self.lines, self.tokens = [], 0
            self._listed.clear()
            self._place_of.clear()
            for contents in self.written:
                self._write(contents)
                if self.tokens > enough and self.detail < Detail.COUNTS_ONLY:
                    break  # still too much: the next step drops more
        if self.tokens > enough:
            self.detail = Detail.NEWEST_ONLY
            self._drop_oldest(self.tokens - enough)

    def _drop_oldest(self, tokens: float) -> None:
        dropped = 0
        while tokens > 0:
            tokens -= self.lines[dropped].tokens
            dropped += 1
        self.tokens -= sum(line.tokens for line in self.lines[:dropped])
        del self.lines[:dropped]
