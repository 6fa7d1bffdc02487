"""Checks of the running camera driver: images lost on the way, shared memory, its settings.

Fast DDS hands images over in shared memory. Each process makes a segment of its own, as large as
its DDS profile says, and opens those of others; only processes of one user can.
"""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python

from scenemind.doctor.findings import Finding
from scenemind_ros.input.health import KEPT_SHARE, PROFILES, profile_line

_SHARED = Path("/dev/shm")
_SEGMENT = re.compile(r"fast(?:dds|rtps)_[0-9a-f]{16}")
_MB = 1e6
_LEAST_FREE = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of shared memory of a running process.

    Attributes:
        user: who owns it.
        process: command and number, such as `realsense2_camera_node (pid 812)`.
        has_profile: whether a DDS profile is named in the environment of the process; None: that
            of another user cannot be read.
    """

    size: int
    user: str
    process: str
    has_profile: bool | None


def segments(shared: Path = _SHARED, processes: Path = Path("/proc")) -> list[Segment]:
    """Segments of other running processes: each holds a lock on a file beside its segment. What
    killed ones left behind is none."""
    try:
        locks = (processes / "locks").read_text(encoding="utf-8").splitlines()
    except OSError:  # a kernel or container without it
        return []
    holders = {}
    for line in locks:
        words = line.split()
        if len(words) >= 6 and words[1] == "FLOCK":
            holders[int(words[5].rpartition(":")[2])] = int(words[4])
    found = []
    for path in sorted(shared.glob("fast*_*")):
        if _SEGMENT.fullmatch(path.name) is None:
            continue
        try:
            facts = path.stat()
            pid = holders.get(path.with_name(f"{path.name}_el").stat().st_ino)
        except OSError:
            continue
        if pid is not None and pid != os.getpid():
            user, process = _user(facts.st_uid), _command(processes, pid)
            found.append(Segment(facts.st_size, user, process, _has_profile(processes, pid)))
    return found


def _command(processes: Path, pid: int) -> str:
    try:
        words = (processes / str(pid) / "cmdline").read_bytes().decode().split("\0")
    except OSError:
        words = []
    names = [Path(word).name for word in words if word and not word.startswith("-")]
    is_python = bool(names) and names[0].startswith("python") and len(names) > 1
    name = (names[1] if is_python else names[0]) if names else "a process"
    return f"{name} (pid {pid})"


def _has_profile(processes: Path, pid: int) -> bool | None:
    try:
        environment = (processes / str(pid) / "environ").read_bytes().decode(errors="replace")
    except OSError:
        return None
    names = {entry.partition("=")[0] for entry in environment.split("\0")}
    return bool(names & set(PROFILES))


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def check_shared_memory(
    frame_bytes: int, found: Sequence[Segment], free: int | None, *, is_lost: bool
) -> list[Finding]:
    """Whether images fit into shared memory, and reach this user.

    Args:
        is_lost: images were lost on the way: then segments that are too small are why.
        frame_bytes: of the largest image that comes.
        free: bytes of /dev/shm; None: there is none.
    """
    if free is None:
        fix = "mount it (in containers `ipc: host`): images go over UDP without it"
        return [Finding("shared memory", "warn", "there is no /dev/shm", fix)]
    findings = [Finding("shared memory", "ok", f"{free / _MB:.0f} MB free")]
    if free < _LEAST_FREE:
        fix = "remove what killed processes left in /dev/shm; in a container --shm-size=256m"
        findings = [Finding("shared memory", "warn", f"{free / _MB:.0f} MB free", fix)]
    here = _user(os.geteuid())
    others = sorted(f"{one.process} of {one.user}" for one in found if one.user != here)
    if others:
        text = ", ".join(others)
        fix = (
            f"shared memory connects processes of one user, which is {here} here: run the driver"
            " and the nodes as the same (containers: user:)"
        )
        findings.append(Finding("users of shared memory", "warn", text, fix))
    small = [segment for segment in found if segment.size < 2 * frame_bytes]
    if small:
        text = "; ".join(
            f"{segment.process} has {segment.size / _MB:.1f} MB, an image is"
            f" {frame_bytes / _MB:.1f} MB{_WORDS[segment.has_profile]}"
            for segment in small
        )
        fix = f"in the terminal of what publishes images, as the same user: export {profile_line()}"
        findings.append(Finding("DDS profile", "warn" if is_lost else "ok", text, fix))
    elif found:
        sizes = sorted(segment.size for segment in found)
        text = f"{len(found)} processes with {sizes[0] / _MB:.1f} MB or more"
        findings.append(Finding("DDS profile", "ok", text))
    return findings


_WORDS = {True: ", its profile is too small", False: ", it has no DDS profile", None: ""}


def free_bytes(shared: Path = _SHARED) -> int | None:
    """What is free for shared memory; None: there is no such folder."""
    try:
        facts = os.statvfs(shared)
    except OSError:
        return None
    return facts.f_bavail * facts.f_frsize


def check_losses(counts: Mapping[str, int]) -> list[Finding]:
    """Images that came, against camera_info, which a driver sends with each.

    Args:
        counts: of messages by stream.
    """
    infos = counts.get("camera_info", 0)
    found = []
    for stream in ("color", "depth"):
        came = counts.get(stream, 0)
        if infos and came < KEPT_SHARE * infos:
            fix = (
                f"in the terminal of the camera's driver, as the same user: export {profile_line()}"
            )
            text = f"{came} images came with {infos} camera_info: the others were lost"
            found.append(Finding(f"{stream} on the way", "fail", text, fix))
    return found


# Of RealSense's driver (realsense-ros 4): parameter -> the value that is meant, and why.
_REALSENSE: dict[str, tuple[Any, str]] = {
    "enable_color": (True, "there are no colour images"),
    "enable_depth": (True, "there is no depth"),
    "align_depth.enable": (True, "depth is not that of the colour image's pixels"),
    "enable_sync": (True, "colour and depth are not of the same moment"),
    "rgb_camera.global_time_enabled": (True, "stamps drift against those of other sensors"),
    "depth_module.global_time_enabled": (True, "stamps drift against those of other sensors"),
    "decimation_filter.enable": (False, "depth is thinned out"),
    "depth_module.emitter_enabled": (1, "walls and other plain surfaces have no depth"),
}
_PROFILES = ("rgb_camera.color_profile", "depth_module.depth_profile")
_USUAL_PIXELS, _LEAST_HZ = 1280 * 720, 5
_IS_REALSENSE = "align_depth.enable"


class RealsenseSettings:
    """The settings of the driver that publishes a topic, where it is RealSense's."""

    def __init__(self, node: Node, topic: str) -> None:
        """Ask for them; the answer comes while the node spins."""
        self._values: dict[str, Any] | None = None
        self._ros_node, self._driver = node, ""
        publishers = node.get_publishers_info_by_topic(topic)
        if publishers:
            name, within = publishers[0].node_name, publishers[0].node_namespace.rstrip("/")
            self._driver = f"{within}/{name}"
            client = node.create_client(ListParameters, f"{self._driver}/list_parameters")
            client.call_async(ListParameters.Request()).add_done_callback(self._ask)

    def _ask(self, listed: Any) -> None:
        """Ask for those that the driver has: for an unknown one it would give none."""
        has = set(listed.result().result.names)
        names = [name for name in (*_REALSENSE, *_PROFILES) if name in has]

        def keep(values: Any) -> None:
            found = map(parameter_value_to_python, values.result().values)
            self._values = dict(zip(names, found, strict=True))

        client = self._ros_node.create_client(GetParameters, f"{self._driver}/get_parameters")
        client.call_async(GetParameters.Request(names=names)).add_done_callback(keep)

    @property
    def is_answered(self) -> bool:
        """Whether the driver has told its settings."""
        return self._values is not None

    def findings(self, depth_is_aligned: bool) -> list[Finding]:
        """One for each setting that spoils maps; none where it is another driver.

        Args:
            depth_is_aligned: as the nodes expect it (`depth.aligned`).
        """
        values = self._values or {}
        if _IS_REALSENSE not in values:
            return []
        wrong = list(self._wrong(values, depth_is_aligned))
        if not wrong:
            profiles = " and ".join(str(values[name]) for name in _PROFILES if values.get(name))
            return [Finding("RealSense settings", "ok", f"as meant, {profiles or 'no profile'}")]
        return wrong

    def _wrong(self, values: Mapping[str, Any], depth_is_aligned: bool) -> Iterable[Finding]:
        for name, (meant, why) in _REALSENSE.items():
            value = values.get(name)
            if value is None or value == meant or (name == _IS_REALSENSE and not depth_is_aligned):
                continue
            text = f"{name} is {_word(value)}: {why}"
            fix = f"ros2 param set {self._driver} {name} {_word(meant)}"
            yield Finding("RealSense settings", "warn", text, fix)
        for name in _PROFILES:
            profile = re.fullmatch(r"(\d+)[x,](\d+)[x,](\d+)", str(values.get(name) or ""))
            if profile is None:
                continue
            width, height, rate = map(int, profile.groups())
            fix = f"start the driver with {name}:=640x480x30"
            if rate < _LEAST_HZ:
                text = f"{name} is {rate} a second: objects are tracked from frame to frame"
                yield Finding("RealSense settings", "warn", text, fix)
            elif width * height > _USUAL_PIXELS:
                text = f"{name} is {width}x{height}: the nodes were tried up to 1280x720"
                yield Finding("RealSense settings", "warn", text, fix)


def _word(value: Any) -> str:
    return str(value).lower()
