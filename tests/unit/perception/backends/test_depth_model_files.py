"""Depth models that are accepted, and the errors about others."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.backends.depth_estimator import (
    EXAMPLE_MODEL,
    DepthModelFiles,
    check_is_metric,
)

METRIC = {"model_type": "depth_anything", "depth_estimation_type": "metric", "max_depth": 20}


@pytest.fixture
def _with_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the extra is installed: files are checked alike without it."""
    monkeypatch.setattr("scenemind.perception.backends.depth_estimator._PACKAGES", ())


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model_type": "depth_anything"}, "relative"),  # the library's default
        ({**METRIC, "depth_estimation_type": "relative"}, "relative depth, not metres"),
        ({**METRIC, "model_type": "dpt"}, "type 'dpt'"),
        ([], "type None"),
    ],
)
def test_error_about_a_relative_model_names_a_metric_one(settings: object, says: str) -> None:
    with pytest.raises(PerceptionError, match=says) as error:
        check_is_metric(settings, "somebody/model")
    assert EXAMPLE_MODEL in str(error.value)


@pytest.mark.usefixtures("_with_extra")
def test_a_folder_with_metres_is_taken_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "indoor-small"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(METRIC), encoding="utf-8")
    files = DepthModelFiles(str(folder))
    assert files.title == "indoor-small"
    assert files.with_weights() == folder


@pytest.mark.usefixtures("_with_extra")
@pytest.mark.parametrize("content", [None, "no json", "[" * 100_000])
def test_error_names_files_that_a_folder_lacks(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(PerceptionError, match=r"preprocessor_config\.json and model\.safetensors"):
        DepthModelFiles(str(tmp_path))


@pytest.mark.usefixtures("_with_extra")
@pytest.mark.parametrize("name", ["./nowhere", "nowhere", "~/models/nowhere", "a/b/c"])
def test_other_names_than_those_of_the_hub_are_sought_on_this_machine_only(name: str) -> None:
    with pytest.raises(PerceptionError, match=r"there is no depth model at (.*nowhere|a/b/c)"):
        DepthModelFiles(name)


@pytest.mark.usefixtures("_with_extra")
@pytest.mark.parametrize("revision", ["", "@main", "@v1.0", "@0123abc"])
def test_a_model_of_the_hub_is_held_at_one_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    """Its owner can move a branch or a tag to other weights."""
    commit = "0123abcd" * 5
    folder = tmp_path / "snapshots" / commit
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(METRIC), encoding="utf-8")
    asked: list[tuple[str | None, list[str]]] = []

    def snapshot_download(
        name: str, *, revision: str | None, allow_patterns: list[str], local_files_only: bool
    ) -> str:
        assert (name, local_files_only) == (EXAMPLE_MODEL, False)
        asked.append((revision, allow_patterns))
        return str(folder)

    hub = SimpleNamespace(snapshot_download=snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    monkeypatch.delenv("SCENEMIND_OFFLINE", raising=False)
    with pytest.raises(PerceptionError, match=f"by its commit.* {EXAMPLE_MODEL}@{commit}"):
        DepthModelFiles(f"{EXAMPLE_MODEL}{revision}")
    assert asked.pop() == (revision[1:] or None, ["*.json"])  # no weights yet
    files = DepthModelFiles(f"{EXAMPLE_MODEL}@{commit}")
    assert files.with_weights() == folder
    assert asked == [(commit, ["*.json"]), (commit, ["*.json", "*.safetensors"])]


def test_error_names_the_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = "scenemind.perception.backends.depth_estimator._PACKAGES"
    monkeypatch.setattr(packages, ("json", "no_such_package"))
    with pytest.raises(PerceptionError, match=r"needs no_such_package: .*scenemind\[depth\]'"):
        DepthModelFiles(EXAMPLE_MODEL)
