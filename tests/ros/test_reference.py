"""The site's reference names all that running nodes, files and parsers have."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import scenemind
from scenemind.cli.main import _COMMANDS
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.parameters import is_own_parameter
from scenemind_ros.reasoning_node import ReasoningNode

from .graph import SIMULATED, RosGraph
from .test_interfaces import CONTRACT


@pytest.fixture(scope="module")
def reference(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", repository / "tools/reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_parameter_of_the_nodes_is_there_and_described(
    reference: ModuleType, graph: RosGraph
) -> None:
    rows = [line for line in reference.parameters_page().splitlines() if line.startswith("| `")]
    described = {line.split("`")[1] for line in rows if line.split(" | ")[-1].strip(" |")}
    for node in (graph.add(MappingNode, SIMULATED), graph.add(ReasoningNode, {})):
        names = {name for name in node.get_parameters_by_prefix("") if is_own_parameter(name)}
        assert not names - described


def test_every_interface_and_what_the_nodes_offer_is_there(reference: ModuleType) -> None:
    page = reference.interfaces_page()
    for kind, names in CONTRACT.items():
        for name in names:
            assert f"### {kind}/{name}\n" in page
    nodes = reference.nodes_page()
    assert "](interfaces.md#actionask)" in nodes
    offered = {line.split("`")[1] for line in nodes.splitlines() if line.startswith("| `/")}
    assert {"/reasoning_node/ask", "/mapping_node/objects", "/mapping_node/merge_memory"} <= offered
    for name in set(CONTRACT["srv"]):
        assert f"/srv/{name}]" in nodes, f"no node offers {name}"


def test_every_command_error_and_public_name_is_there(reference: ModuleType) -> None:
    commands = reference.cli_page()
    assert all(f"## scenemind {name}\n" in commands for name in _COMMANDS)
    assert "### scenemind memory repair\n" in commands
    assert "`--json`" in commands
    python = reference.python_page()
    assert all(f"## sm.{name}\n" in python for name in scenemind.__all__)
    errors = reference.errors_page()
    assert "`NOT_UNDERSTOOD`" in errors
    assert "FrameError" in errors


def test_the_doctor_s_advice_is_in_troubleshooting(reference: ModuleType, repository: Path) -> None:
    """`python tools/reference.py` writes it anew."""
    table = reference.troubleshooting_table()
    assert "enable_sync:=true" in table
    assert "chrony" in table
    page = (repository / "docs/troubleshooting.md").read_text("utf-8")
    assert page.endswith(f"\n\n{table}\n")
    for check in ("depth on colour", "registered depth", "world is z-up", "… stamps", "… QoS"):
        assert any(check in row.split("|")[1] for row in table.splitlines()), check
