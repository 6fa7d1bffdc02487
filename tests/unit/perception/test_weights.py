"""Where weights are looked for, in order, and what is said when they are nowhere."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scenemind.perception import PerceptionError
from scenemind.perception.weights import KNOWN_WEIGHTS, default_folder, find_weights, locate_weights

NAME = "yolov8s-worldv2.pt"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty home without a network."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCENEMIND_OFFLINE", "1")
    for name in ("SCENEMIND_WEIGHTS", "SCENEMIND_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"weights")
    return path


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = put(tmp_path / "mine" / "own.onnx")
    assert find_weights(str(path)) == path
    with pytest.raises(PerceptionError, match=r"no weights at .*other\.onnx"):
        find_weights(str(tmp_path / "other.onnx"))


def test_the_suffix_of_a_torch_model_may_be_left_out(home: Path, tmp_path: Path) -> None:
    stem = NAME.removesuffix(".pt")
    assert locate_weights(stem) == home / ".cache/scenemind/weights" / NAME  # where it will be
    elsewhere = put(tmp_path / "mine" / NAME)
    assert find_weights(str(elsewhere.with_suffix(""))) == elsewhere
    here = put(tmp_path / NAME)
    assert find_weights(stem).resolve() == here


def test_of_a_folder_the_best_detector_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "other.onnx")
    with pytest.raises(PerceptionError, match=r"known by name.*yolox_nano\.onnx.*name one file"):
        find_weights(str(tmp_path))
    nano = put(tmp_path / "yolox_nano.onnx")
    assert find_weights(str(tmp_path)) == nano
    with_masks = put(tmp_path / "yolov8n-seg_deq640.onnx")
    assert find_weights(str(tmp_path)) == with_masks


def test_a_name_is_looked_for_where_the_variable_says_then_at_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home = put(home / ".cache/scenemind/weights" / NAME)
    assert find_weights(NAME) == at_home == default_folder() / NAME
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(tmp_path / "folder"))
    assert find_weights(NAME) == at_home
    in_folder = put(tmp_path / "folder" / NAME)
    assert find_weights(NAME) == in_folder
    monkeypatch.setenv("SCENEMIND_WEIGHTS", str(in_folder))
    assert find_weights(NAME) == in_folder


def test_what_cannot_be_fetched_is_said_with_address_and_place(home: Path) -> None:
    with pytest.raises(PerceptionError) as refused:
        find_weights(NAME)
    assert KNOWN_WEIGHTS[NAME].url in str(refused.value)
    assert str(home / ".cache/scenemind/weights" / NAME) in str(refused.value)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(PerceptionError, match=r"did you mean yolov8s-worldv2\.pt"):
        find_weights("yolov8s-world.pt")
    with pytest.raises(PerceptionError, match=r"known are .*yoloe-26n-seg\.pt"):
        find_weights("unheard of")


def test_addresses_are_safe_and_end_in_the_name() -> None:
    for name, source in KNOWN_WEIGHTS.items():
        address = urlsplit(source.url)
        assert (address.scheme, Path(address.path).name) == ("https", name)
        assert len(source.sha256) in (0, 64)


@pytest.mark.extras
def test_ultralytics_publishes_these_names() -> None:
    downloads = pytest.importorskip("ultralytics.utils.downloads")
    ours = {name for name, source in KNOWN_WEIGHTS.items() if "ultralytics" in source.url}
    assert ours <= downloads.GITHUB_ASSETS_NAMES
