"""One tree of settings, read from YAML or from flat ROS parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.config import ConfigError, SceneMindConfig


def test_flat_names_round_trip() -> None:
    config = SceneMindConfig()
    assert SceneMindConfig.from_flat(config.flatten()) == config


def test_a_file_names_only_changed_settings(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text("tree:\n  translation_m: 2.0\n")
    config = SceneMindConfig.load(file)
    assert config.tree.translation_m == 2.0
    assert config.tree.rotation_deg == SceneMindConfig().tree.rotation_deg


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "tree:\n  translation: 2.0\n",
            r"there is no setting tree\.translation; did you mean tree\.translation_m\?",
        ),
        ("tre: {}\n", r"there is no setting tre; did you mean tree\?"),
        ("selector: tree\n", r"no setting selector; did you mean memtree\.selector\?"),
        ("xyzzy: 1\n", "there is no setting xyzzy$"),
        ("tree: 7\n", r"tree: should be a section of settings, `name: value` a line \(got 7\)"),
        ("xyzzy " * 100, r"should be a section .*\(got .{77}\.\.\.\)$"),
        (
            "tree:\n  translation_m: -1\n",
            r"tree\.translation_m: should be greater than 0 \(got -1\)",
        ),
        ("detector:\n  backend: magic\n", "detector.backend"),
        ("tree: [", "not YAML"),
        (
            "descriptions: {enabled: true}\n",
            r"yaml: descriptions\.enabled is true: name models\.vision\.model",
        ),
        (
            "models:\n  language: {model: m}\n  day_cost: 2.0\n",
            r"yaml: models: question_cost and day_cost limit nothing without prices",
        ),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=words):
        SceneMindConfig.load(file)


@pytest.mark.parametrize(
    "what",
    [
        "models: {vision: {model: owl}}",
        "models: {language: {model: owl}}",
        "models: {replay: exchanges.jsonl}",
    ],
)
def test_descriptions_can_be_enabled_with_a_model_or_an_encoder(tmp_path: Path, what: str) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text(f"descriptions: {{enabled: true}}\n{what}\n")
    assert SceneMindConfig.load(file).descriptions.enabled


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    file.write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    with pytest.raises(ConfigError, match=r"robot\.yaml is not YAML"):
        SceneMindConfig.load(file)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no configuration at .*absent\.yaml"):
        SceneMindConfig.load(tmp_path / "absent.yaml")
