"""Reference pages of the documentation site, made from the code each time that the site is built.

`python tools/reference.py` writes the doctor's table of docs/troubleshooting.md, which stands in
the repository. mkdocs loads this file as a hook (mkdocs.yml). Topics, services and actions are
those of running nodes, so it needs the ROS environment: `make docs`.
"""

from __future__ import annotations

import ast
import inspect
import os
import posixpath
import re
import time
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

import scenemind
from scenemind.errors import SceneMindError

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "ros2_ws" / "src"
INTERFACES = SOURCES / "scenemind_interfaces"
# Ends of a setting's name -> its unit.
_UNITS = {
    "m": "m",
    "s": "s",
    "ms": "ms",
    "hz": "Hz",
    "deg": "degrees",
    "px": "pixels",
    "mb": "MB",
    "seconds": "s",
    "tokens": "tokens",
    "usd": "US dollars",
}
# What SceneMind says with types of ROS itself.
_STANDARD_TYPES = {
    "diagnostic_msgs/msg/DiagnosticArray": "State and problems of the node.",
    "nav_msgs/msg/OccupancyGrid": "The floor: 0 free, 100 occupied, -1 not seen. Latched.",
    "sensor_msgs/msg/PointCloud2": "Surface points of the objects. Latched.",
    "std_msgs/msg/Header": "Stamp of each frame that is in the map.",
    "visualization_msgs/msg/MarkerArray": "Boxes and names for RViz and Foxglove. Latched.",
    "vision_msgs/msg/Detection3DArray": "Boxes of the newest answer, where vision_msgs is there.",
}
# The doctor's table stands after it, to the end of the page.
DOCTORS_TABLE = "<!-- doctor's checks: written by tools/reference.py -->"
# Files outside docs/ that are pages of the site; other files that pages link to are copied.
_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
}


# ------------------------------------------------------------------------------------- parameters


def settings_of(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(dotted name, field) of every setting, sections within sections."""
    for name, field in model.model_fields.items():
        if _is_section(field):
            yield from settings_of(_section(field), f"{prefix}{name}.")
        else:
            yield prefix + name, field


def parameters_page() -> str:
    """Every setting of the library and of both nodes."""
    from scenemind.config import SceneMindConfig
    from scenemind_ros.parameters import MappingParameters, ReasoningParameters

    shared = SceneMindConfig.model_fields
    reasoning = ReasoningParameters.model_fields
    both = ", ".join(f"`{name}`" for name in reasoning if name in shared)
    return "\n".join(
        [
            "# Parameters",
            "",
            "Settings of a YAML file (`--config`, `config=`), and ROS parameters of the same"
            " dotted names (`params_file:=`, `--params NAME=VALUE`). An unknown name or an"
            " impossible value is an error that names the nearest setting.",
            "",
            "## Library and mapping node",
            "",
            *_section_tables(SceneMindConfig, ""),
            "## Mapping node only",
            "",
            *_section_tables(MappingParameters, "", leave_out=set(shared)),
            "## Reasoning node",
            "",
            f"It has {both} as above, for itself, and",
            "",
            *_section_tables(ReasoningParameters, "", leave_out=set(shared)),
        ]
    )


def _section_tables(
    model: type[BaseModel], prefix: str, leave_out: Collection[str] = ()
) -> Iterator[str]:
    fields = {k: v for k, v in model.model_fields.items() if k not in leave_out}
    plain = {name: field for name, field in fields.items() if not _is_section(field)}
    if plain:
        yield from ("| name | default | unit | values | meaning |", "|---|---|---|---|---|")
        for name, field in plain.items():
            default = field.get_default(call_default_factory=True)
            yield (
                f"| `{prefix}{name}` | {_code(default)} | {_unit(name)} | {_values(field)}"
                f" | {_cell(field.description or '')} |"
            )
        yield ""
    for name, field in fields.items():
        if _is_section(field):
            yield from (f"### {prefix}{name}", "", _first(_section(field).__doc__), "")
            yield from _section_tables(_section(field), f"{prefix}{name}.")


def _section(field: Any) -> type[BaseModel]:
    section: type[BaseModel] = field.annotation
    return section


def _is_section(field: Any) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _unit(name: str) -> str:
    *_, last = name.split("_")
    return "m at 1 m" if name.endswith("_1m_m") else _UNITS.get(last, "")


def _values(field: Any) -> str:
    """Choices or bounds."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(_code(value) for value in get_args(field.annotation))
    bounds = []
    for item in field.metadata:
        for sign, attribute in ((">", "gt"), ("≥", "ge"), ("<", "lt"), ("≤", "le")):
            bound = getattr(item, attribute, None)
            if bound is not None:
                bounds.append(f"{sign} {bound:g}")
    return ", ".join(bounds) or getattr(field.annotation, "__name__", "")


# ------------------------------------------------------------------------------------- interfaces


def interface_files() -> list[Path]:
    """All .msg, .srv and .action files."""
    return [
        path for kind in ("msg", "srv", "action") for path in sorted((INTERFACES / kind).iterdir())
    ]


def interfaces_page() -> str:
    """Every message, service and action, as its file has it."""
    lines = ["# Messages, services, actions", "", "Package `scenemind_interfaces`.", ""]
    headings = {"msg": "Messages", "srv": "Services", "action": "Actions"}
    for path in interface_files():
        if heading := headings.pop(path.parent.name, ""):
            lines += [f"## {heading}", ""]
        text = path.read_text(encoding="utf-8").strip()
        lines += [f"### {path.parent.name}/{path.stem}", "", "```text", text, "```", ""]
    return "\n".join(lines)


def running_nodes() -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Node -> kind -> (name, type) of what the two nodes offer when they run, and listen to."""
    import rclpy
    from rclpy.action import get_action_server_names_and_types_by_node
    from rclpy.parameter import Parameter

    from scenemind_ros.mapping_node import MappingNode
    from scenemind_ros.reasoning_node import ReasoningNode

    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "OFF"
    context = rclpy.Context()
    rclpy.init(context=context)
    simulated = {
        "detector.backend": "instance_camera",
        "topics.instances": "camera/camera/instances/image_raw",
        "topics.instance_names": "camera/camera/instances/names",
        "memory.root": "",
    }
    overrides = [Parameter(name, value=value) for name, value in simulated.items()]
    nodes: list[Any] = [
        MappingNode(context=context, parameter_overrides=overrides),
        ReasoningNode(context=context),
    ]
    try:
        found: dict[str, dict[str, list[tuple[str, str]]]] = {}
        for node in nodes:
            name = node.get_name()
            deadline = time.monotonic() + 10.0
            while time.monotonic() < deadline:
                given = {
                    "publishes": node.get_publisher_names_and_types_by_node(name, "/"),
                    "subscribes": node.get_subscriber_names_and_types_by_node(name, "/"),
                    "services": node.get_service_names_and_types_by_node(name, "/"),
                    "actions": get_action_server_names_and_types_by_node(node, name, "/"),
                }
                if given["publishes"] and given["services"]:
                    break
                time.sleep(0.05)
            found[name] = {
                kind: sorted(
                    (topic, types[0]) for topic, types in listed if _is_own(topic, types[0])
                )
                for kind, listed in given.items()
            }
        return found
    finally:
        for node in nodes:
            node.destroy_node()
        rclpy.shutdown(context=context)


def _is_own(topic: str, kind: str) -> bool:
    """Whether a name is SceneMind's, not one that every node has."""
    standard = (
        "rcl_interfaces/",
        "lifecycle_msgs/",
        "type_description_interfaces/",
        "action_msgs/",
    )
    return not kind.startswith(standard) and "/_action/" not in topic and topic != "/clock"


def nodes_page() -> str:
    """Topics, services and actions of the nodes."""
    from scenemind_ros.parameters import TopicParameters

    lines = [
        "# Topics, services, actions of the nodes",
        "",
        "What the nodes offer, as the ROS graph names it while they run. Settings:"
        " [parameters](parameters.md).",
        "",
        "## Input",
        "",
        "The mapping node reads these topics; their names are its parameters.",
        "",
        "| parameter | default | what |",
        "|---|---|---|",
    ]
    lines += [
        f"| `topics.{name}` | {_code(field.default)} | {_cell(field.description or '')} |"
        for name, field in TopicParameters.model_fields.items()
    ]
    lines.append("")
    for node, kinds in running_nodes().items():
        lines += [f"## {node}", ""]
        for kind, rows in kinds.items():
            if not rows:
                continue
            lines += [f"### {node}: {kind}", "", "| name | type | what |", "|---|---|---|"]
            for name, type_name in rows:
                lines.append(f"| `{name}` | {_type_link(type_name)} | {_purpose(type_name)} |")
            lines.append("")
    return "\n".join(lines)


def _type_link(type_name: str) -> str:
    package, kind, name = type_name.split("/")
    anchor = f"{kind}{name}".lower()
    return (
        f"[{type_name}](interfaces.md#{anchor})" if package == INTERFACES.name else f"`{type_name}`"
    )


def _purpose(type_name: str) -> str:
    """The first comment of the file, up to its first full stop."""
    package, kind, name = type_name.split("/")
    path = INTERFACES / kind / f"{name}.{kind}"
    if package != INTERFACES.name:
        return _STANDARD_TYPES.get(type_name, "")
    comment = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# "))
    return _cell(_first(" ".join(comment)))


# ------------------------------------------------------------------------- command line and errors


def commands() -> Iterator[tuple[str, Any]]:
    """(words, command) of every command and subcommand, from the parsers."""
    from scenemind.cli.main import _COMMANDS, _imported

    def walk(words: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield words, command
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(f"{words} {name}", inner)

    for name in _COMMANDS:
        yield from walk(f"scenemind {name}", _imported(name))


def cli_page() -> str:
    """Every command with its arguments and options."""
    lines = ["# Commands", "", "Each has `--help`. [How they are used](../cli.md).", ""]
    for words, command in commands():
        level = "##" if words.count(" ") == 1 else "###"
        lines += [f"{level} {words}", "", _plain(command.help or ""), ""]
        if command.epilog:
            lines += [f"`{command.epilog.removeprefix('Example: ')}`", ""]
        shown = [p for p in command.params if p.name != "help" and not getattr(p, "hidden", False)]
        if shown:
            lines += ["| option | default | meaning |", "|---|---|---|"]
            lines += [_option_row(parameter) for parameter in shown]
            lines.append("")
    return "\n".join(lines)


def _option_row(parameter: Any) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [str(parameter.name).upper()]
    default = parameter.default() if callable(parameter.default) else parameter.default
    text = "" if default in (None, False, (), [], "") else _code(default)
    variable = f" (or `${parameter.envvar}`)" if isinstance(parameter.envvar, str) else ""
    meaning = _cell(getattr(parameter, "help", None) or "")
    return f"| {', '.join(f'`{name}`' for name in names)} | {text} | {meaning}{variable} |"


def error_classes() -> list[type[SceneMindError]]:
    """Every error that a user can mend, in order of modules."""
    found = {SceneMindError.__name__: SceneMindError}
    for path in sorted((SOURCES / "scenemind/scenemind").rglob("*.py")):
        names = re.findall(r"^class (\w+Error)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
        module = ".".join(path.relative_to(SOURCES / "scenemind").with_suffix("").parts)
        for name in names:
            value = getattr(import_module(module), name)
            if issubclass(value, SceneMindError):
                found[name] = value
    return list(found.values())


def errors_page() -> str:
    """Codes of answers and services, and exceptions."""
    lines = [
        "# Errors",
        "",
        "Each message names what was wrong and what to do. What a camera or a driver does wrong is"
        " found by the [doctor](../troubleshooting.md).",
        "",
        "## Codes",
        "",
        "`answer.failure.code` in Python (lower case), `error.code` of every response over ROS.",
        "",
        "| code | number | meaning, way out |",
        "|---|---|---|",
    ]
    text = (INTERFACES / "msg" / "Error.msg").read_text(encoding="utf-8")
    for name, number, comment in re.findall(r"^uint8 (\w+)=(\d+)\s*# (.*)$", text, re.MULTILINE):
        lines.append(f"| `{name}` | {number} | {_cell(comment)} |")
    lines += ["", "## Exceptions", "", "| class | when |", "|---|---|"]
    for error in error_classes():
        place = error.__module__
        lines.append(f"| `{place}.{error.__name__}` | {_cell(_first(error.__doc__))} |")
    return "\n".join([*lines, ""])


# ------------------------------------------------------------------------------ Python API, doctor


def python_page() -> str:
    """Every public name, as mkdocstrings reads it."""
    lines = ["# Python names", "", "[How they are used](../python.md).", ""]
    for name in scenemind.__all__:
        lines += [f"## sm.{name}", "", f"::: {scenemind._MODULES[name]}.{name}", ""]
    return "\n".join(lines)


def doctor_fixes() -> list[tuple[str, str, list[str]]]:
    """(check, what it checks, ways out) from the doctor's own code."""
    found = []
    for path in sorted((SOURCES / "scenemind/scenemind/doctor").glob("*_checks.py")):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("check_"):
                doc = _first(ast.get_docstring(function))
                fixes = list(dict.fromkeys(_fixes(function)))
                if fixes:
                    found.append((_check_name(function), doc, fixes))
    return found


def _check_name(function: ast.FunctionDef) -> str:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "name":
            return ", ".join(_texts(node.value))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
            name = _text(node.args[0])
            if name:
                return name
    return function.name.removeprefix("check_").replace("_", " ")


def _fixes(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "fix":
            yield from _texts(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
            texts = (text for argument in node.args[3:] for text in _texts(argument))
            yield from (text for text in texts if not text.endswith(": …"))  # a fix again


def _texts(node: ast.expr) -> Iterator[str]:
    """Texts of an expression: both where it is one of two."""
    if isinstance(node, ast.IfExp):
        yield from (*_texts(node.body), *_texts(node.orelse))
    elif text := _text(node):
        yield text


def _text(node: ast.expr) -> str:
    """A string; its computed parts are dots. Empty: no string."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values)
    return ""


def troubleshooting_table() -> str:
    """The doctor's checks with what each advises."""
    lines = ["| check | what it asks | what to do if not |", "|---|---|---|"]
    for name, doc, fixes in doctor_fixes():
        lines.append(f"| {_cell(name)} | {_cell(doc)} | {'<br>'.join(map(_cell, fixes))} |")
    return "\n".join(lines)


def write_troubleshooting() -> None:
    """Write the table into its page, which people also read in a checkout."""
    page = ROOT / "docs" / "troubleshooting.md"
    before, mark, _ = page.read_text(encoding="utf-8").partition(DOCTORS_TABLE)
    page.write_text(f"{before}{mark}\n\n{troubleshooting_table()}\n", encoding="utf-8")


# ---------------------------------------------------------------------------------- words in cells


def _code(value: Any) -> str:
    text = str(value) if not isinstance(value, str) else value or '""'
    text = {"True": "true", "False": "false"}.get(text, text)
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;")


def _plain(text: str) -> str:
    return inspect.cleandoc(text).replace("<", "&lt;").replace("\b", "")


def _first(text: str | None) -> str:
    """The first paragraph in one line."""
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split())


# ------------------------------------------------------------------------------------ mkdocs' hooks

_GENERATED = {
    "reference/parameters.md": parameters_page,
    "reference/nodes.md": nodes_page,
    "reference/interfaces.md": interfaces_page,
    "reference/commands.md": cli_page,
    "reference/errors.md": errors_page,
    "reference/python.md": python_page,
}


def on_files(files: Any, config: Any) -> Any:
    """Add generated pages, pages of the repository, and files that pages link to."""
    from mkdocs.structure.files import File

    pages = [(page.content_string, ROOT / "docs") for page in files.documentation_pages()]
    for source, place in _PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        pages.append((text, ROOT))
        files.append(File.generated(config, place, content=_relinked(text, ROOT, place)))
    for path in sorted({path for text, folder in pages for path in _linked_files(text, folder)}):
        place = f"source/{_relative(path)}"
        files.append(File.generated(config, place, content=path.read_bytes()))
    for place, make in _GENERATED.items():
        files.append(File.generated(config, place, content=make()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Lead links out of docs/ to the copies."""
    is_generated = page.file.abs_src_path is None
    return markdown if is_generated else _relinked(markdown, ROOT / "docs", page.file.src_uri)


_LINK = re.compile(r"\[([^\[\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def _linked_files(markdown: str, folder: Path) -> Iterator[Path]:
    """Files of the repository that a page links to and that are no pages of the site."""
    for _, target, _ in _LINK.findall(markdown):
        path = (folder / target).resolve()
        name = _relative(path)
        if path.is_file() and name not in _PAGES and not name.startswith("docs/"):
            yield path


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""


def _relinked(markdown: str, folder: Path, place: str) -> str:
    """Links to files of the repository as links within the site, from the page at `place`; those to
    folders as text."""

    def lead(match: re.Match[str]) -> str:
        text, target, anchor = match.groups()
        path = (folder / target).resolve()
        name = _relative(path)
        if path.is_dir():
            return text
        if name in _PAGES:
            there = _PAGES[name]
        elif name.startswith("docs/"):
            there = name.removeprefix("docs/")
        else:
            there = f"source/{name}"
        way = posixpath.relpath(there, PurePosixPath(place).parent.as_posix())
        return f"[{text}]({way}{anchor or ''})"

    return _LINK.sub(lead, markdown)


if __name__ == "__main__":
    write_troubleshooting()
