"""Lines of JSON, one a location, that are written in less detail when their budget is full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from scenemind.memory.tree.contents import NO_OBJECT, Contents
from scenemind.memory.tree.tree_lines import Detail, Line, Thing, what_counts, write_line

# What is written anew because the budget is full takes at most this share of it.
_SHARE_AFTERWARDS = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class WrittenLines:
    """
    Attributes:
        lines: oldest first; a location may have none.
        tokens: of all lines; at most the budget.
        location_count: how many locations were written, or left out.
        objects_seen: map objects of any of them.
    """

    lines: tuple[Line, ...]
    tokens: int
    detail: Detail
    location_count: int
    objects_seen: frozenset[int]


class JsonLines:
    """A fold over the locations in order: the same locations give the same lines, whether they
    come at once or one by one.

    Attributes:
        things: the objects that may be named.
        written: every location that was added.
    """

    def __init__(self, things: Mapping[int, Thing], token_budget: int) -> None:
        self.things = things
        self.written: list[Contents] = []
        self._lines: list[Line] = []  # those with a text
        self._tokens = 0
        self._detail = Detail.FULL
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
            and self.written == list(closed[: len(self.written)])
            and (
                things is self.things
                or all(things.get(object_id) == thing for object_id, thing in self._used.items())
            )
        )

    def add(self, contents: Contents) -> None:
        """One more location."""
        self.written.append(contents)
        self._used.update(self._things_of(contents))
        self._write(contents)
        if self._tokens > self._budget:
            self._save_tokens()

    def with_last(self, growing: Contents | None) -> WrittenLines:
        """These and one more location that may still change.

        That costs the same however many locations there are, unless there is no room for its line:
        then all lines are written anew, and again in the next call.
        """
        if growing is None:
            return self._as_written((), {})
        line = self._line_of(growing)
        if self._tokens + line.tokens > self._budget:
            longer = self._copy()
            longer.add(growing)
            return longer._as_written((), {})
        return self._as_written((line,), self._things_of(growing))

    def _as_written(
        self, more: tuple[Line, ...], used_more: dict[int, Thing | None]
    ) -> WrittenLines:
        used = self._used | used_more
        return WrittenLines(
            (*self._lines, *(line for line in more if line.text)),
            self._tokens + sum(line.tokens for line in more),
            self._detail,
            len(self.written) + len(more),
            frozenset([object_id for object_id, thing in used.items() if thing is not None]),
        )

    def _copy(self) -> JsonLines:
        """One that can be written on."""
        longer = copy(self)
        longer.written, longer._lines = self.written.copy(), self._lines.copy()
        longer._used, longer._place_of = self._used.copy(), self._place_of.copy()
        longer._listed = {key: listed.copy() for key, listed in self._listed.items()}
        return longer

    def _things_of(self, contents: Contents) -> dict[int, Thing | None]:
        return {i: self.things.get(i) for i in contents.object_ids if i != NO_OBJECT}

    def _write(self, contents: Contents) -> None:
        line = self._line_of(contents)
        place = self._place(contents)
        self._place_of[contents.location_id] = place
        self._listed.setdefault(what_counts(self._detail, place), set()).update(line.listed)
        if line.text:
            self._lines.append(line)
            self._tokens += line.tokens

    def _line_of(self, contents: Contents) -> Line:
        """As the next one."""
        listed = self._listed.get(what_counts(self._detail, self._place(contents)))
        return write_line(contents, self.things, self._detail, listed or set())

    def _place(self, contents: Contents) -> int:
        first = contents.revisit_of
        return contents.location_id if first is None else self._place_of.get(first, first)

    def _save_tokens(self) -> None:
        enough = _SHARE_AFTERWARDS * self._budget
        while self._tokens > enough and self._detail < Detail.COUNTS_ONLY:
            self._detail = Detail(self._detail + 1)
            self._lines, self._tokens = [], 0
            self._listed.clear()
            self._place_of.clear()
            for contents in self.written:
                self._write(contents)
                if self._tokens > enough and self._detail < Detail.COUNTS_ONLY:
                    break  # still too much: the next step drops more
        if self._tokens > enough:
            self._detail = Detail.NEWEST_ONLY
            self._drop_oldest(self._tokens - enough)

    def _drop_oldest(self, tokens: float) -> None:
        dropped = 0
        while tokens > 0:
            tokens -= self._lines[dropped].tokens
            dropped += 1
        self._tokens -= sum(line.tokens for line in self._lines[:dropped])
        del self._lines[:dropped]
