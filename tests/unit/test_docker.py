"""The images and the compose file name what is there, and agree on what lets containers hear each
other. No daemon is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture
def services(repository: Path) -> dict[str, Any]:
    text = (repository / "docker/compose.yaml").read_text(encoding="utf-8")
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    return services


def test_containers_share_network_memory_and_user(services: dict[str, Any]) -> None:
    assert set(services) == {"cpu", "cuda", "camera"}
    for service in services.values():
        assert (service["network_mode"], service["ipc"]) == ("host", "host")
        assert service["user"] == "${RUN_AS:-1000:1000}"
        assert service["environment"]["ROS_DOMAIN_ID"] == "${ROS_DOMAIN_ID:-0}"
        assert service["healthcheck"]["test"][0] == "CMD"


def test_images_are_built_from_files_that_are_there(
    services: dict[str, Any], repository: Path
) -> None:
    for service in services.values():
        file = repository / service["build"]["dockerfile"]
        assert (repository / "docker" / service["build"]["context"]).resolve() == repository
        text = file.read_text(encoding="utf-8").replace("\\\n", "")
        for words in re.findall(r"^COPY (.*)$", text, re.MULTILINE):
            source = next(word for word in words.split() if not word.startswith("--"))
            assert (repository / source).exists(), f"{file.name}: {source}"


def test_the_camera_has_the_profile_and_aligned_depth(
    services: dict[str, Any], repository: Path
) -> None:
    text = (repository / "docker/Dockerfile.camera").read_text(encoding="utf-8")
    (place,) = re.findall(r"^COPY \S*fastdds_profile\.xml (\S+)$", text, re.MULTILINE)
    assert f"ENV FASTRTPS_DEFAULT_PROFILES_FILE={place}" in text
    assert '"align_depth.enable:=true"' in text
    assert '"enable_sync:=true"' in text
    assert "/dev:/dev" in services["camera"]["volumes"]


def test_the_documented_steps_name_services_and_variables_of_the_file(
    services: dict[str, Any], repository: Path
) -> None:
    page = (repository / "docs/robot.md").read_text(encoding="utf-8")
    steps = page.partition("## Docker")[2].partition("```")[2].partition("```")[0]
    *_, up = steps.strip().splitlines()
    assert set(up.partition("--build ")[2].split()) <= set(services)
    compose = (repository / "docker/compose.yaml").read_text(encoding="utf-8")
    required = set(re.findall(r"\$\{(\w+):\?", compose))
    assert required <= set(re.findall(r"(\w+)=", steps.partition("docker compose")[0]))
