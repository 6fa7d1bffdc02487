"""The ledger of a day's use: by models, processes, restarts, and with unusable files."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from scenemind.models import ModelError, Usage
from scenemind.models.ledger import UsageLedger

CALL = Usage(calls=1, prompt_tokens=100, cached_tokens=40, reply_tokens=10, cost=0.25)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "usage.sqlite"


def times(count: int) -> Usage:
    return sum([CALL] * count, Usage())


def test_new_ledger_reads_earlier_entries(path: Path) -> None:
    first = UsageLedger(path)
    first.add("seer", CALL)
    first.add("seer", CALL)
    first.add("thinker", CALL)
    again = UsageLedger(path)
    assert again.used_today("seer") == times(2)
    assert again.used_today() == times(3)
    assert again.used_today("nobody") == Usage()
    assert again.trouble == ""


def test_two_open_ledgers_see_entries_of_each_other(path: Path) -> None:
    one, other = UsageLedger(path), UsageLedger(path)
    one.add("seer", CALL)
    assert other.used_today() == CALL
    other.add("seer", CALL)
    assert one.used_today() == times(2)


def test_another_day_begins_anew_and_the_old_one_stays(path: Path) -> None:
    days = [date(2030, 1, 31)]
    ledger = UsageLedger(path, today=lambda: days[-1])
    ledger.add("seer", CALL)
    days.append(date(2030, 2, 1))
    assert ledger.used_today() == Usage()
    ledger.add("seer", times(2))
    assert ledger.used_today() == times(2)
    assert UsageLedger(path, today=lambda: days[0]).used_today() == CALL


def test_old_days_are_forgotten(path: Path) -> None:
    UsageLedger(path, today=lambda: date(2030, 1, 1)).add("seer", CALL)
    UsageLedger(path, today=lambda: date(2032, 1, 1)).add("seer", CALL)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT day FROM model_usage").fetchall() == [("2032-01-01",)]


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ({"day_tokens": 220}, "models have used 220 of today's 220 tokens.*models.day_tokens"),
        ({"day_cost": 0.5}, "models have cost 0.5 of today's 0.5.*models.day_cost"),
    ],
)
def test_a_spent_budget_is_refused_until_tomorrow(
    path: Path, budget: dict[str, float], words: str
) -> None:
    days = [date(2030, 1, 31)]
    ledger = UsageLedger(path, **budget, today=lambda: days[-1])  # type: ignore[arg-type]
    ledger.add("seer", CALL)
    ledger.check()
    UsageLedger(path, today=lambda: days[-1]).add("thinker", CALL)  # another process
    with pytest.raises(ModelError, match=words) as raised:
        ledger.check()
    assert raised.value.kind == "over_budget"
    days.append(date(2030, 2, 1))
    ledger.check()


def test_concurrent_processes_and_threads_lose_no_entry(path: Path) -> None:
    """Four processes with four threads each, all at once."""
    program = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from scenemind.models import Usage\n"
        "from scenemind.models.ledger import UsageLedger\n"
        "ledger = UsageLedger(Path(sys.argv[1]))\n"
        "def add():\n"
        "    for _ in range(5): ledger.add('seer', Usage(1, 10, 0, 1))\n"
        "threads = [threading.Thread(target=add) for _ in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "while ledger.has_unwritten: ledger.flush()\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(4)]
    assert [run.wait(60.0) for run in runs] == [0] * 4
    assert UsageLedger(path).used_today() == Usage(80, 800, 0, 80)


def test_entries_during_a_lock_are_written_later(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = UsageLedger(path, day_tokens=220)
    ledger.add("seer", CALL)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        ledger.add("seer", CALL)
        ledger.add("seer", CALL)
        assert ledger.used_today("seer") == times(3)
        assert "locked" in ledger.trouble
        with pytest.raises(ModelError, match="330 of today's 220 tokens"):
            ledger.check()
        other.execute("ROLLBACK")
    ledger.flush()
    assert ledger.trouble == ""
    assert UsageLedger(path).used_today() == times(3)
    assert len(caplog.records) == 1


def test_a_damaged_file_is_left_as_it_is_and_counted_beside(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)
    ledger = UsageLedger(path)
    ledger.add("seer", CALL)
    ledger.add("seer", CALL)
    assert ledger.used_today() == times(2)
    assert str(path) in ledger.trouble
    assert len(caplog.records) == 1
    assert "delete it should it be damaged" in caplog.text
    assert path.read_bytes() == b"no database at all" * 100
    path.unlink()
    ledger.add("seer", CALL)
    ledger.flush()
    assert UsageLedger(path).used_today() == times(3)


def test_questions_wait_for_a_locked_file_only_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = UsageLedger(path)
    ledger.add("seer", CALL)
    tries: list[Path] = []
    connect = sqlite3.connect

    def counted(file: Path, *more: float) -> sqlite3.Connection:
        tries.append(file)
        return connect(file, *more)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(sqlite3, "connect", counted)
        for _ in range(5):
            ledger.add("seer", CALL)
        assert len(tries) == 1
        other.execute("ROLLBACK")
    assert ledger.used_today() == times(6)


def test_database_of_another_program_is_not_written_to(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE model_usage (whatever TEXT)")
    ledger = UsageLedger(path)
    ledger.add("seer", CALL)
    assert ledger.used_today() == CALL
    assert ledger.trouble


def test_folder_that_cannot_be_made_stops_no_question(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ledger = UsageLedger(tmp_path / "file" / "usage.sqlite", day_tokens=100)
    ledger.check()
    ledger.add("seer", CALL)
    with pytest.raises(ModelError, match="110 of today's 100"):
        ledger.check()
    assert "file" in ledger.trouble


def test_reading_writes_nothing(path: Path) -> None:
    ledger = UsageLedger(path, day_tokens=1)
    ledger.add("seer", Usage())
    ledger.check()
    assert ledger.used_today() == Usage()
    assert not path.exists()
