"""Rows that are whole: of their types, with their checksum and with values that can be. The others
are noted with table and key, and left out; pages that cannot be read are read around."""

from __future__ import annotations

import logging
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scenemind.errors import SceneMemoryError
from scenemind.memory.disk.schema import Row, Table, tables
from scenemind.memory.frames_first import in_steps

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_MOST_ROWS = 20_000_000
_ROWS_AT_ONCE = 256  # that are looked at before frames go first
_MOST_TRIES = 2000  # parts of a table with unreadable pages that are looked at
_SHOWN = 3
_IMPOSSIBLE = (SceneMemoryError, ValueError, TypeError, ArithmeticError, struct.error)


@dataclass(frozen=True, slots=True)
class Damage:
    """What is damaged.

    Attributes:
        where: table, or file within the memory's folder.
        key: of the row; empty: the table or file as a whole.
        reason: in words.
    """

    where: str
    key: str
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.where} {self.key}: {self.reason}"
            if self.key
            else f"{self.where}: {self.reason}"
        )


class DamageList:
    """What was found damaged, each place once."""

    def __init__(self, path: Path) -> None:
        """Args: path: of the memory's file, for the log."""
        self._path = path
        self._found: dict[tuple[str, str], Damage] = {}
        self._is_told = False
        self._shown = 0  # since then

    def __len__(self) -> int:
        return len(self._found)

    def note(self, where: str, key: object, reason: str) -> None:
        damage = Damage(where, str(key), reason)
        if self._found.setdefault((where, damage.key), damage) is damage and self._is_told:
            if self._shown == _SHOWN:
                _log.warning("%s: more damage is only counted", self._path)
            elif self._shown < _SHOWN:
                _log.warning("%s is damaged: %s is left out", self._path, damage)
            self._shown += 1

    def all(self) -> tuple[Damage, ...]:
        return tuple(self._found.values())

    def tell(self) -> None:
        """Log once what there is so far; the first few that are found later are logged at once."""
        self._is_told = True
        if self._found:
            _log.warning("%s; what is whole was read", summary(self._path, self.all()))


def summary(path: Path, damage: Sequence[Damage]) -> str:
    """A sentence with the first few damages, and the way out."""
    shown = "; ".join(map(str, damage[:_SHOWN]))
    more = f" and {len(damage) - _SHOWN} more" if len(damage) > _SHOWN else ""
    name = path.parent.name
    return (
        f"{path} is damaged ({shown}{more}): `scenemind memory check --memory {name}` says all,"
        f" `scenemind memory repair --memory {name}` keeps what is whole"
    )


class SoundRows:
    """Reads whole rows of a connection, whose owner locks it."""

    def __init__(self, connection: sqlite3.Connection, damage: DamageList) -> None:
        self._connection = connection
        self.damage = damage

    def all_of(
        self,
        name: str,
        decode: Callable[[Row], _T],
        check: Callable[[Sequence[Row]], None] | None = None,
    ) -> list[_T]:
        """The values of a table's whole rows, by ascending key.

        Args:
            decode: a row without its checksum to a value; SceneMemoryError, ValueError or
                another error of a value that cannot be.
            check: raises such an error if one of several rows cannot be, before they are decoded;
                cheaper than a look at each.
        """
        found = self.raw(name)
        return [
            value
            for rows in in_steps(len(found), _ROWS_AT_ONCE)
            for value in self._values(tables()[name], found[rows], decode, check)
        ]

    def some_of(
        self, name: str, decode: Callable[[Row], _T], clause: str, parameters: Sequence[object] = ()
    ) -> list[_T]:
        """The values of the whole ones among some rows.

        Args:
            clause: what follows the table's name in the query.
        """
        found = self._connection.execute(f"SELECT {name}.* FROM {name} {clause}", parameters)
        return self._values(tables()[name], found.fetchall(), decode)

    def check_pages(self, *names: str) -> None:
        """Note what is wrong with the pages of tables."""
        for name in names:
            try:
                said = [row[0] for row in self._connection.execute(f"PRAGMA quick_check({name})")]
            except sqlite3.DatabaseError as error:  # as of a table whose first page is lost
                if _is_no_damage(error):
                    raise
                said = [str(error)]
            for problem in said:
                if problem != "ok":
                    self.damage.note(name, "", str(problem).splitlines()[-1])

    def raw(self, name: str) -> list[Row]:
        """All rows that can be read, whole or not, by ascending key as far as pages are whole."""
        table = tables()[name]
        query = f"SELECT * FROM {name} ORDER BY {', '.join(table.key)}"
        try:
            found = self._connection.execute(query).fetchmany(_MOST_ROWS + 1)
        except sqlite3.DatabaseError as error:
            if _is_no_damage(error):
                raise
            self.damage.note(name, "", f"pages cannot be read ({error})")
            found = list(self._around(table))
        if len(found) > _MOST_ROWS:
            raise SceneMemoryError(f"{name} has more than {_MOST_ROWS} rows")
        return found

    def _values(
        self,
        table: Table,
        found: Sequence[Row],
        decode: Callable[[Row], _T],
        check: Callable[[Sequence[Row]], None] | None = None,
    ) -> list[_T]:
        whole = table.whole(found)
        if len(whole) < len(found):
            for row in found:
                if not table.whole([row]):
                    self.damage.note(table.name, _key(table, row), "its checksum is another one")
        return self._decoded(table, whole, decode, check)

    def _decoded(
        self,
        table: Table,
        whole: Sequence[Row],
        decode: Callable[[Row], _T],
        check: Callable[[Sequence[Row]], None] | None,
    ) -> list[_T]:
        """The values of those rows that can be; they are looked at one by one if one cannot."""
        try:
            if check is not None and whole:
                check(whole)
            return [decode(row) for row in whole]
        except _IMPOSSIBLE as error:
            if len(whole) > 1:
                return [v for row in whole for v in self._decoded(table, [row], decode, check)]
            self.damage.note(table.name, _key(table, whole[0]), str(error).splitlines()[0])
            return []

    def _around(self, table: Table) -> Iterator[Row]:
        """The rows of whole pages: from both ends of a part until a page that cannot be read, then
        the halves of what is between."""
        width, first = len(table.key), table.key[0]
        seen: set[Row] = set()
        parts, tries = [(-(2**63), 2**63 - 1)], 0
        while parts and tries < _MOST_TRIES:
            low, high = parts.pop()
            tries += 1
            ends = []
            for order in ("ASC", "DESC"):
                end, query = None, f"{first} BETWEEN ? AND ? ORDER BY {first} {order}"
                try:
                    for row in self._connection.execute(
                        f"SELECT * FROM {table.name} WHERE {query}", (low, high)
                    ):
                        end = row[0]
                        if row[:width] not in seen:
                            seen.add(row[:width])
                            yield row
                    break
                except sqlite3.DatabaseError as error:
                    if _is_no_damage(error):
                        raise
                    ends.append(end)
            else:
                low = low if ends[0] is None else max(low, ends[0])
                high = high if ends[1] is None else min(high, ends[1])
                middle = (low + high) // 2
                if low < middle < high:
                    parts += [(middle, high), (low, middle)]


def _is_no_damage(error: sqlite3.Error) -> bool:
    """Interrupted, locked, full or closed: what is stored may be whole."""
    if isinstance(error, sqlite3.OperationalError):
        return not any(sign in str(error) for sign in ("malformed", "disk I/O error"))
    return isinstance(error, sqlite3.ProgrammingError)


def _key(table: Table, row: Row) -> str:
    return ", ".join(str(value)[:40] for value in row[: len(table.key)])
