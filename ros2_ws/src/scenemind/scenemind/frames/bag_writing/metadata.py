"""metadata.yaml of rosbag2: of one file, and of a bag of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from scenemind.frames.errors import FrameError

Information: TypeAlias = dict[str, Any]
"""What stands in metadata.yaml below `rosbag2_bagfile_information`."""

_TOP = "rosbag2_bagfile_information"


def read_information(path: Path) -> Information:
    """
    Raises:
        FrameError: the file cannot be read, or is no metadata.
    """
    try:
        return dict(yaml.safe_load(path.read_text(encoding="utf-8"))[_TOP])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise FrameError(f"{path} is no metadata of a bag: {error!r}") from error


def message_count(information: Information, topic: str) -> int:
    """Messages on a topic."""
    return sum(
        int(entry["message_count"])
        for entry in information["topics_with_message_count"]
        if entry["topic_metadata"]["name"] == topic
    )


def first_and_last_ns(information: Information) -> tuple[int, int]:
    """Stamps of the first and of the last message."""
    start = int(information["starting_time"]["nanoseconds_since_epoch"])
    return start, start + int(information["duration"]["nanoseconds"])


def merged(parts: Sequence[Information]) -> dict[str, Information]:
    """The whole document for a bag of these files, which follow each other."""
    start_ns = first_and_last_ns(parts[0])[0]
    end_ns = first_and_last_ns(parts[-1])[1]
    topics = {
        entry["topic_metadata"]["name"]: entry["topic_metadata"]
        for part in parts
        for entry in part["topics_with_message_count"]
    }
    whole = {
        **parts[0],
        "relative_file_paths": [path for part in parts for path in part["relative_file_paths"]],
        "duration": {"nanoseconds": end_ns - start_ns},
        "message_count": sum(part["message_count"] for part in parts),
        "topics_with_message_count": [
            {
                "topic_metadata": topic,
                "message_count": sum(message_count(part, name) for part in parts),
            }
            for name, topic in topics.items()
        ],
        "files": [file for part in parts for file in part["files"]],
    }
    return {_TOP: whole}
