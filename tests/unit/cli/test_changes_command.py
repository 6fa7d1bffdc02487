"""`scenemind changes`: between visits, moments and two memories."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from tests.unit.memory import walk

CONFIG = SceneMindConfig()
PAUSE_NS = 3600 * 10**9


def go(memory: Memory, numbers: range, later_ns: int = 0) -> None:
    """Past the row of chairs, one every two metres."""
    memory.begin_session()
    for number in numbers:
        step = walk.step(number)
        frame = replace(step.frame, stamp_ns=step.frame.stamp_ns + later_ns)
        memory.integrate(frame, step.detections, step.track_ids, step.observations)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`row`: two chairs were seen first, and two more an hour later. `short`: the first two."""
    folder = tmp_path_factory.mktemp("memories")
    with Memory.create(folder / "row", CONFIG) as memory:
        go(memory, range(28))
        go(memory, range(60), PAUSE_NS)
    with Memory.create(folder / "short", CONFIG) as memory:
        go(memory, range(28))
    with Memory.create(folder / "renamed", CONFIG) as memory:
        go(memory, range(28))
        (first, *_) = memory.snapshot().objects
        memory.apply([Edit("rename", (first,), value="throne")], "ann", "it is gilded")
    Memory.create(folder / "empty", CONFIG).close()
    return folder


def run(root: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["changes", *arguments, "--memory-root", str(root)])
    return done.exit_code, done.output


def run_json(root: Path, *arguments: str) -> Any:
    status, output = run(root, *arguments, "--json")
    assert status == 0, output
    return json.loads(output.splitlines()[-1])


def test_the_last_two_visits_are_compared(root: Path) -> None:
    said = run_json(root, "--memory", "row")
    assert [visit["visit"] for visit in said["visits"]] == [1, 2]
    assert said["before"]["last_ns"] == 27 * walk.FRAME_NS
    assert said["after"]["last_ns"] == PAUSE_NS + 59 * walk.FRAME_NS
    assert said["unchanged"] == 2
    assert said["counts"] == {**dict.fromkeys(said["counts"], 0), "new": 2}
    assert {change["label"] for change in said["changes"]} == {"chair"}
    xs = sorted(change["after"]["center"][0] for change in said["changes"])
    assert xs == pytest.approx([4.0, 6.0], abs=0.05)


def test_moments_are_visits_seconds_or_dates(root: Path) -> None:
    by_visit = run_json(root, "--memory", "row", "--between", "1", "2")
    assert by_visit["changes"] == run_json(root, "--memory", "row")["changes"]
    assert run_json(root, "--memory", "row", "--since", "1")["changes"] == by_visit["changes"]
    by_seconds = run_json(root, "--memory", "row", "--between", "+0.5", "+0.8")
    assert by_seconds["after"]["last_ns"] == 800_000_000
    status, output = run(root, "--memory", "row", "--since", "1970-01-01T00:00:01+00:00")
    assert status == 0
    assert "2 seen first now, 2 as they were" in output


def test_a_moment_after_the_last_frame_is_refused_with_when_that_was(root: Path) -> None:
    status, output = run(root, "--memory", "row", "--since", "2")
    assert status == 1
    assert "nothing was mapped after 2: the last frame is of" in " ".join(output.split())


def test_a_pause_can_be_shorter_or_longer(root: Path) -> None:
    status, output = run(root, "--memory", "row", "--pause", "7200")
    assert status == 0
    assert "no changes: the camera was here only once" in output
    moment = re.findall(r"Say --since (\S+) for", output)
    assert moment == ["+1801"]  # half of an hour and two seconds
    assert run(root, "--memory", "row", "--pause", "7200", "--since", *moment)[0] == 0


def test_a_first_visit_has_no_changes_and_a_note(root: Path) -> None:
    said = run_json(root, "--memory", "short")
    assert (said["changes"], said["before"], len(said["visits"])) == ([], None, 1)
    assert "only once" in said["note"]
    assert run_json(root, "--memory", "row")["note"] is None


def test_two_memories_are_compared_by_geometry(root: Path) -> None:
    said = run_json(root, "--memory", "short", "--later", "row")
    assert (said["unchanged"], said["counts"]["new"], said["unseen"]) == (2, 2, [])
    back = run_json(root, "--memory", "row", "--later", "short")
    assert (back["unchanged"], len(back["unseen"])) == (2, 2)
    (change,) = run_json(root, "--memory", "short", "--later", "renamed")["changes"]
    assert (change["kind"], change["old_label"], change["label"]) == ("renamed", "chair", "throne")
    said = run(root, "--memory", "short", "--later", "renamed")[1]
    assert "throne, before: chair (named by ann)" in " ".join(said.split())


def test_maps_that_share_nothing_are_doubted(root: Path) -> None:
    with Memory.create(root / "elsewhere", CONFIG) as memory:
        for number in range(20):
            step = walk.step(number)
            away = [
                replace(o, points=o.points + 50.0, box=replace(o.box, center=(50.0, 50.0, 50.0)))
                for o in step.observations
            ]
            memory.integrate(step.frame, step.detections, step.track_ids, away)
    assert "are both memories of" in run(root, "--memory", "short", "--later", "elsewhere")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--memory", "row", "--between", "1", "9"), "there is no visit 9"),
        (("--memory", "row", "--between", "2", "1"), "name the earlier one first"),
        (("--memory", "row", "--between", "soon", "1"), "'soon' is no moment"),
        (("--memory", "row", "--since", "1", "--between", "1", "2"), "either --between or --since"),
        (("--memory", "row", "--later", "short", "--since", "1"), "leave out the moments"),
        (("--memory", "row", "--later", "short", "--live"), "leave out --later"),
        (("--live", "--pause", "60"), "leave out --later and --pause"),
        (("--memory", "row", "--later", "row"), "compared with itself is the same"),
        (("--memory", "empty"), "has no frames yet"),
        (("--memory", "attic"), "there is no memory attic"),
    ],
)
def test_error_gives_the_reason(root: Path, arguments: tuple[str, ...], says: str) -> None:
    status, output = run(root, *arguments)
    assert status == 1
    assert says in " ".join(output.split())
