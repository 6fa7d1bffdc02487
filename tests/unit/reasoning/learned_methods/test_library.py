"""Learned methods on disk: versions, uses, and what becomes of bad ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from scenemind.reasoning import ReasoningError
from scenemind.reasoning.learned_methods.library import (
    LearnedMethod,
    MethodLibrary,
    offer_of,
    source_of,
)
from scenemind.reasoning.learned_methods.method_api import Signature
from tests.unit.reasoning.learned_methods.talk import method


def learned(name: str, *calls: str, behaviour: str = "") -> LearnedMethod:
    signature = Signature.model_validate(method(name, image="Image"))
    return LearnedMethod(signature, f"def {name}(image): pass", calls, behaviour or name)


@pytest.fixture
def library(tmp_path: Path) -> MethodLibrary:
    return MethodLibrary(tmp_path / "folder" / "methods.sqlite", "picture", 10)


def test_another_process_reads_learned_methods(library: MethodLibrary) -> None:
    library.add([learned("_b", "_a"), learned("_a")])
    assert library.path is not None
    other = MethodLibrary(library.path, "picture", 10)
    assert list(other.methods()) == ["_a", "_b"]  # what is called comes first
    assert other.methods()["_b"] == learned("_b", "_a")
    other.note_use(["_b"], succeeded=True)
    uses = {name: (m.uses, m.successes) for name, m in library.methods().items()}
    assert uses == {"_a": (1, 1), "_b": (1, 1)}


def test_methods_on_pictures_and_on_scenes_share_a_file_and_nothing_else(
    library: MethodLibrary,
) -> None:
    scenes = MethodLibrary(library.path, "scene", 10)
    library.add([learned("_a", behaviour="of pictures"), learned("_b", "_a")])
    scenes.add([learned("_a", behaviour="of scenes")])
    assert list(library.methods()) == ["_a", "_b"]
    assert list(scenes.methods()) == ["_a"]
    scenes.note_use(["_a", "_b"], succeeded=True)
    assert library.methods()["_a"] == learned("_a", behaviour="of pictures")
    for _ in range(8):
        scenes.note_use(["_a"], succeeded=False)
    assert scenes.methods() == {}
    assert list(library.methods()) == ["_a", "_b"]


def test_reading_makes_no_file(library: MethodLibrary) -> None:
    assert library.methods() == {}
    assert library.path is not None
    assert not library.path.parent.exists()


def test_the_first_of_a_name_stays(library: MethodLibrary) -> None:
    library.add([learned("_a", behaviour="one")])
    library.add([learned("_a", behaviour="two")])
    assert library.methods()["_a"].behaviour == "one"


def test_one_that_fails_is_retired_and_written_anew(library: MethodLibrary) -> None:
    library.add([learned("_a"), learned("_b", "_a"), learned("_good")])
    for _ in range(4):
        library.note_use(["_good"], succeeded=True)
        library.note_use(["_b"], succeeded=False)
    # First what calls it: no method is left that calls one that is not there.
    assert list(library.methods()) == ["_good"]
    library.add([learned("_a", behaviour="better")])
    again = library.methods()["_a"]
    assert (again.version, again.uses, again.behaviour) == (2, 0, "better")


def test_one_that_fails_is_retired_though_a_newer_one_has_done_worse(
    library: MethodLibrary,
) -> None:
    library.add([learned("_often"), learned("_seldom")])
    for _ in range(3):
        library.note_use(["_often", "_seldom"], succeeded=False)
    library.note_use(["_often"], succeeded=True)
    assert list(library.methods()) == ["_seldom"]  # which has not been tried often enough


def test_it_does_not_grow_without_end(tmp_path: Path) -> None:
    library = MethodLibrary(tmp_path / "methods.sqlite", "scene", 3)
    library.add([learned("_used"), learned("_base")])
    library.note_use(["_used"], succeeded=True)
    for number in range(10):
        library.add([learned(f"_m{number}", "_base")])
        methods = library.methods()
        assert len(methods) <= 3
        assert {"_used", "_base"} <= set(methods) or number == 0
        for name in methods:
            assert source_of([name], methods).count("def ") == 1 + len(methods[name].calls)


def test_its_file_does_not_grow_without_end_either(tmp_path: Path) -> None:
    library = MethodLibrary(tmp_path / "methods.sqlite", "scene", 1)
    for number in range(520):
        library.add([learned(f"_m{number}")])
    library.close()
    with closing(sqlite3.connect(tmp_path / "methods.sqlite")) as file:
        names = [name for (name,) in file.execute("SELECT name FROM methods ORDER BY rowid")]
    assert names == [f"_m{number}" for number in range(19, 520)]


def test_new_method_enters_a_full_library(library: MethodLibrary) -> None:
    """It is unused, and all others were useful."""
    old = [f"_old_{letter}" for letter in "abcdefghij"]
    library.add([learned(name) for name in old])
    library.note_use(old, succeeded=True)
    library.note_use(old[:-1], succeeded=True)
    library.add([learned("_new", "_helper"), learned("_helper")])
    assert list(library.methods()) == [*old[1:-1], "_helper", "_new"]


def test_a_method_that_calls_a_replaced_method_is_left_out(library: MethodLibrary) -> None:
    """It was tried with its own."""
    theirs = replace(learned("_a"), source="def _a(image): return 1")
    library.add([theirs])
    library.add([learned("_b", "_a"), learned("_a")])
    library.add([learned("_c", "_a")])  # tried with what is there
    assert list(library.methods()) == ["_a", "_c"]
    assert library.methods()["_a"].source == theirs.source


def test_a_file_that_was_moved_away_is_made_anew(library: MethodLibrary) -> None:
    """The error about a damaged library names this remedy, which also works while a node runs."""
    library.add([learned("_a")])
    assert library.path is not None
    library.path.rename(library.path.with_suffix(".old"))
    assert library.methods() == {}
    library.add([learned("_b")])
    assert list(library.methods()) == ["_b"]
    assert list(MethodLibrary(library.path, "picture", 10).methods()) == ["_b"]


def test_closed_library_is_one_file(library: MethodLibrary) -> None:
    library.add([learned("_a")])
    assert library.path is not None
    library.close()
    assert [path.name for path in library.path.parent.iterdir()] == ["methods.sqlite"]
    assert list(library.methods()) == ["_a"]


def test_one_without_a_file_forgets() -> None:
    library = MethodLibrary(None, "scene", 10)
    library.add([learned("_a")])
    assert list(library.methods()) == ["_a"]
    library.close()
    assert library.methods() == {}


@pytest.mark.parametrize(
    "content",
    [b"no database at all, but text that is long enough" * 50, b"SQLite format 3\x00broken"],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "methods.sqlite"
    path.write_bytes(content)
    with pytest.raises(
        ReasoningError, match=r"methods\.sqlite cannot be used.*learned_methods\.library"
    ) as e:
        MethodLibrary(path, "scene", 10).methods()
    assert e.value.failure.code == "method_unavailable"


@contextmanager
def _any_values(path: Path) -> Iterator[sqlite3.Connection]:
    """The file while its table takes any value in any column, as damage does."""
    where = "WHERE type = 'table'"
    with closing(sqlite3.connect(path)) as file, file:
        ((usual,),) = file.execute(f"SELECT sql FROM sqlite_master {where}").fetchall()
    for sql in (usual.replace("TEXT NOT NULL", ""), usual):
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("PRAGMA writable_schema = ON")
            file.execute(f"UPDATE sqlite_master SET sql = ? {where}", (sql,))
        if sql != usual:
            with closing(sqlite3.connect(path)) as file, file:
                yield file


_ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


@pytest.mark.parametrize(
    "made",
    [
        f"CREATE TRIGGER more AFTER UPDATE ON methods BEGIN SELECT MAX(x) FROM ({_ENDLESS}); END",
        f"CREATE VIEW more AS {_ENDLESS}",
        f"DROP TABLE methods; CREATE VIEW methods AS SELECT x AS api FROM ({_ENDLESS})",
        "ALTER TABLE methods ADD COLUMN more AS (uses + 1)",
    ],
)
def test_a_file_with_more_than_methods_is_refused(library: MethodLibrary, made: str) -> None:
    library.add([learned("_good")])
    library.close()
    with closing(sqlite3.connect(library.path)) as file:
        file.executescript(made)
    with pytest.raises(ReasoningError, match="cannot be used: it has other tables, views or"):
        library.methods()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("source", "print('\x1b[2J')\ndef _bad(image): pass"),
        ("source", "def _bad(image: pass"),
        ("source", "def _other(image): pass"),
        ("source", "def _bad(image): return " + "(" * 5_000),
        ("source", b"\xff"),
        ("source", None),
        ("calls", '["_bad"]'),
        ("calls", '["_calls_bad"]'),
        ("calls", '["_gone"]'),
        ("calls", "[" * 100_000),
        ("calls", '{"a": 1}'),
        ("signature", '{"name": "_bad\x1b"}'),
        ("signature", "[" * 100_000),
        ("uses", -1),
        ("uses", "many"),
        ("uses", 2.5),
    ],
)
def test_what_would_not_have_been_learned_is_left_out(
    library: MethodLibrary, column: str, value: object
) -> None:
    library.add([learned("_good"), learned("_bad"), learned("_calls_bad", "_bad")])
    assert list(library.methods()) == ["_good", "_bad", "_calls_bad"]
    with _any_values(library.path) as file:
        file.execute(f"UPDATE methods SET {column} = ? WHERE name = '_bad'", (value,))
    library.close()
    assert list(library.methods()) == ["_good"]
    library.note_use(["_good", "_bad"], succeeded=True)
    assert library.methods()["_good"].uses == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReasoningError, match="cannot be used"):
        MethodLibrary(tmp_path / "file" / "methods.sqlite", "scene", 10).add([learned("_a")])


def test_programs_are_offered_the_methods_that_succeed_most_then_the_most_used() -> None:
    """By (successes + 1) / (uses + 2): 3/4, 1/2, 1/2, 1/3."""
    counts = {"_new": (0, 0), "_poor": (4, 1), "_used": (6, 3), "_good": (2, 2)}
    methods = {
        name: replace(learned(name), uses=uses, successes=successes)
        for name, (uses, successes) in counts.items()
    }
    declared = offer_of(methods, 3).declarations
    order = sorted(counts, key=lambda name: declared.find(f"def {name}("))
    assert order == ["_poor", "_good", "_used", "_new"]
    assert "_poor" not in declared
    assert "_poor" not in offer_of(methods, 3).source
