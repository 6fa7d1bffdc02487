"""Two demos in one folder, and a folder that cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.errors import UsageError
from scenemind_ros.demo.run import only_writer


def test_a_second_demo_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "demo-report"
    refused = pytest.raises(UsageError, match="another demo writes")
    with only_writer(folder), refused, only_writer(folder):
        pass
    with only_writer(folder):
        assert folder.is_dir()


def test_error_names_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UsageError, match=r"notes\.txt"), only_writer(tmp_path / "notes.txt"):
        pass
