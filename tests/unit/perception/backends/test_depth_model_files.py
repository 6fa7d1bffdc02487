"""Which depth models are taken, and what is said of others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.backends.depth_model_files import (
    EXAMPLE,
    DepthModelFiles,
    check_tells_metres,
)

METRIC = {"model_type": "depth_anything", "depth_estimation_type": "metric", "max_depth": 20}


@pytest.fixture
def _with_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are looked at alike whether the extra is installed or not."""
    monkeypatch.setattr("scenemind.perception.backends.depth_model_files._PACKAGES", ())


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model_type": "depth_anything"}, "relative"),  # the library's default
        ({**METRIC, "depth_estimation_type": "relative"}, "not by how many metres"),
        ({**METRIC, "model_type": "dpt"}, "type 'dpt'"),
        ([], "type None"),
    ],
)
def test_a_model_that_tells_no_metres_is_refused_with_one_that_does(
    settings: object, says: str
) -> None:
    with pytest.raises(PerceptionError, match=says) as error:
        check_tells_metres(settings, "somebody/model")
    assert EXAMPLE in str(error.value)


@pytest.mark.usefixtures("_with_extra")
def test_a_folder_with_metres_is_taken_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "indoor-small"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(METRIC), encoding="utf-8")
    files = DepthModelFiles(str(folder))
    assert files.title == "indoor-small"
    assert files.with_weights() == folder


@pytest.mark.usefixtures("_with_extra")
@pytest.mark.parametrize("content", [None, "no json"])
def test_a_folder_without_a_model_is_told_what_it_lacks(
    tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(PerceptionError, match=r"preprocessor_config\.json and model\.safetensors"):
        DepthModelFiles(str(tmp_path))


@pytest.mark.usefixtures("_with_extra")
@pytest.mark.parametrize("name", ["./nowhere", "nowhere", "~/models/nowhere", "a/b/c"])
def test_what_is_no_name_of_the_hub_is_looked_for_on_this_machine_only(name: str) -> None:
    with pytest.raises(PerceptionError, match=r"there is no depth model at (.*nowhere|a/b/c)"):
        DepthModelFiles(name)


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = "scenemind.perception.backends.depth_model_files._PACKAGES"
    monkeypatch.setattr(packages, ("json", "no_such_package"))
    with pytest.raises(PerceptionError, match=r"needs no_such_package: .*'scenemind\[depth\]'"):
        DepthModelFiles(EXAMPLE)
