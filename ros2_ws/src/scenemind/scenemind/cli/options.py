"""Options that several commands share, as annotated types and as dataclasses of options.

A command with many options takes them as one dataclass: `takes` reads its fields for Typer.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from scenemind.composition import choose_detector, is_memory, memory_folder, stored_memory
from scenemind.config import ConfigError, SceneMindConfig
from scenemind.config.scenemind_config import default_root
from scenemind.errors import UsageError
from scenemind.memory import SceneMemoryError, list_memories
from scenemind.perception.protocols import Detector
from scenemind.perception.weights import WEIGHTS_VARIABLE, detectors_in
from scenemind.reasoning import Policy, ReasoningFailure
from scenemind.reasoning.query import METHODS
from scenemind.report.replies import exit_status
from scenemind.untrusted import say

if TYPE_CHECKING:
    from scenemind.frames import RecordedSequence

Options = TypeVar("Options")


def memory_names(context: typer.Context, incomplete: str) -> list[str]:
    """Names of stored memories that complete `--memory`."""
    names = list_memories(context.params.get("memory_root") or default_root())
    return [name for name in names if name.startswith(incomplete)]


MemoryName = Annotated[
    str,
    typer.Option(
        "--memory",
        "-m",
        help="Name of the memory, or its folder as a path with a slash.",
        autocompletion=memory_names,
    ),
]
MemoryRoot = Annotated[
    Path | None,
    typer.Option(
        help="Folder of all memories; else $SCENEMIND_HOME, else ~/.local/share/scenemind.",
        show_default=False,
    ),
]
Live = Annotated[
    bool, typer.Option("--live", help="Ask the running nodes over ROS instead of a saved memory.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="YAML file with settings.", show_default=False)
]
DetectorName = Annotated[
    str | None,
    typer.Option(
        "--detector",
        help="For recordings: an .onnx, .xml or .pt file; a folder of them; or a name such"
        " as yoloe-26n-seg, or of a file in $SCENEMIND_WEIGHTS. Else detector.weights, else"
        " $SCENEMIND_WEIGHTS.",
        show_default=False,
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        help="Language model; also the vision model, unless models.vision names one. Else"
        " models.language.model.",
        show_default=False,
    ),
]
Endpoint = Annotated[
    str,
    typer.Option(
        help="Server of the model, with OpenAI's protocol, such as http://localhost:11434/v1; else"
        " models.language.endpoint.",
        show_default=False,
    ),
]
Timeout = Annotated[
    float, typer.Option("--timeout", min=0.1, help="Seconds that the whole question may take.")
]
By = Annotated[
    str,
    typer.Option(help='Who asks: "my cup" is theirs; else the current user.', show_default=False),
]
Record = Annotated[
    Path | None,
    typer.Option(help="Add every exchange with models to this file.", show_default=False),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        help="Take the replies of models from this recording; no network is used.",
        show_default=False,
    ),
]
DetectorOfPhoto = Annotated[
    str,
    typer.Option(
        "--detector",
        help="Open-vocabulary detector for photographs, such as yoloe-26n-seg; else"
        " detector.weights, else $SCENEMIND_WEIGHTS.",
        show_default=False,
    ),
]
DepthModel = Annotated[
    str,
    typer.Option(
        "--depth-model",
        help="Metric depth model for photographs (extra depth): a folder, or NAME@COMMIT of the"
        " Hugging Face hub; else vadar.depth_model, else no depth.",
        show_default=False,
    ),
]
Pictures = Annotated[
    Path | None,
    typer.Option(
        help="Folder for a page of the key frames, with boxes and where they were taken.",
        show_default=False,
    ),
]
SelectorName = Annotated[
    str,
    typer.Option(
        "--selector",
        help="Selector of key frames: tree (a language model, as in MemTree3D) or objects (those"
        " that the question names, no model); for comparison: uniform, retrieval, detector; else"
        " memtree.selector, without a model objects.",
        show_default=False,
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        help=f"Method of reasoning: {', '.join(METHODS)}. auto is symbolic, and where that has no"
        " answer and a model is named, llm_tpc or memtree, by the question.",
    ),
]
PolicyName = Annotated[
    Policy,
    typer.Option(
        "--policy",
        help="Where nothing that was seen fits: balanced gives what is likely, strict fails,"
        " always_answer guesses.",
    ),
]

# Option -> the setting that it overrides.
_SETTINGS = {
    "model": "models.language.model",
    "endpoint": "models.language.endpoint",
    "record": "models.record",
    "replay": "models.replay",
    "selector": "memtree.selector",
    "frames": "memtree.frames",
    "detector": "detector.weights",
    "depth_model": "vadar.depth_model",
}


def takes(
    options: type[Options],
) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Give a command an option or argument for each field of a dataclass, and pass it one."""
    hints = get_type_hints(options, include_extras=True)
    parameters = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is dataclasses.MISSING
            else field.default,
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(options)  # type: ignore[arg-type]
    ]

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        def run(**values: Any) -> None:
            command(options(**values))

        run.__doc__ = command.__doc__
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {}
        return run

    return decorate


def load_settings(config: Path | None, **options: object) -> SceneMindConfig:
    """Settings of the --config file, or the defaults, with the options that were given.

    Args:
        options: values by option, as in `_SETTINGS`; an empty one changes nothing.

    Raises:
        ConfigError: the file cannot be read, or a value is impossible.
        UsageError: an endpoint without a model.
    """
    settings = _loaded(config) if config else SceneMindConfig()
    given = {name: value for name, value in options.items() if value}
    if "endpoint" in given and not ("model" in given or settings.models.language.model):
        raise UsageError(f"no model is named to ask at {given['endpoint']}: say --model NAME")
    if not given:
        return settings
    tree = settings.model_dump()
    if "detector" in given:
        tree["detector"]["backend"] = "auto"
    for name, value in given.items():
        *sections, key = _SETTINGS[name].split(".")
        section = tree
        for part in sections:
            section = section[part]
        section[key] = str(value) if isinstance(value, Path) else value
    return SceneMindConfig.from_nested(tree, source="the command line")


def _loaded(config: Path) -> SceneMindConfig:
    try:
        return SceneMindConfig.load(config)
    except ConfigError:
        if config.is_file() and b"ros__parameters:" in config.read_bytes():
            raise UsageError(
                f"{config} is a ROS parameter file, for `scenemind up --config` and for ros2 launch"
                " (params_file:=): --config of this command takes the library's settings, which are"
                " sections such as detector and models, without the names of nodes"
            ) from None
        raise


def named_detector(
    settings: SceneMindConfig, sequence: RecordedSequence | None, named: str | None = None
) -> tuple[SceneMindConfig, Detector]:
    """See `choose_detector`; which it is, and why, is printed on standard error."""
    chosen, model = choose_detector(settings, sequence, named)
    weights = Path(chosen.detector.weights)
    if named:
        why = "--detector"
    elif settings.detector.weights:
        why = "detector.weights"
    elif settings.detector.backend != "auto":
        why = "detector.backend"
    elif chosen.detector.backend == "instance_camera":
        why = "the room is simulated"
    elif os.environ.get(WEIGHTS_VARIABLE):
        why = f"${WEIGHTS_VARIABLE}"
    else:
        why = f"found in {weights.parent}, as none is named"
    asked = named or settings.detector.weights or os.environ.get(WEIGHTS_VARIABLE, "")
    others = [name for name in detectors_in(weights.parent) if name != weights.name]
    if weights.name and others and (not asked or Path(asked).expanduser().is_dir()):
        why += f"; also there: {', '.join(others)}"
    say(f"detector: {weights.name or model.name} ({why})", file=sys.stderr)
    return chosen, model


def memory_path(memory: str, root: Path | None) -> Path:
    """The folder of a memory, which need not exist.

    Args:
        memory: a name, or, with a slash, a path.
        root: folder of all memories; None: `default_root()`.

    Raises:
        SceneMemoryError: it is neither.
        UsageError: a path, and a root as well.
    """
    if os.sep not in memory:
        return memory_folder(memory, root)
    if root is not None:
        raise UsageError(f"--memory {memory} is a path: leave out --memory-root, or say a name")
    return Path(memory).expanduser()


def same_memory(memory: str, root: Path | None) -> str:
    """The options that name this memory again, for a command to type next."""
    named = f"--memory {quote(memory)}"
    return named if root is None else f"{named} --memory-root {quote(str(root))}"


def stored_path(memory: str, root: Path | None) -> Path:
    """The folder of a stored memory; see `memory_path`.

    Raises:
        SceneMemoryError: no memory is stored there; the message names those beside it.
    """
    path = memory_path(memory, root)
    names = list_memories(path.parent)
    if memory == "current" and names and not is_memory(path):
        raise SceneMemoryError(
            f"there is no memory {memory} in {path.parent} (there: {', '.join(names)}): add"
            f" --memory {names[0]}"
        )
    return stored_memory(path)


def refuse_with_live(**options: object) -> None:
    """Refuse options of this process's own models: running nodes have theirs.

    Args:
        options: values by option; an empty one is not refused.

    Raises:
        UsageError: there is one.
    """
    if named := [f"--{name}" for name, value in options.items() if value]:
        raise UsageError(
            f"running nodes have models of their own: --live takes no {', '.join(named)}; set"
            " models and memtree in the node's parameters"
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionOptions:
    """Options of every command that asks a memory or running nodes."""

    memory: MemoryName = "current"
    live: Live = False
    model: ModelName = ""
    endpoint: Endpoint = ""
    timeout: Timeout = 60.0
    record: Record = None
    replay: Replay = None
    pictures: Pictures = None
    config: ConfigFile = None
    memory_root: MemoryRoot = None
    as_json: AsJson = False

    @property
    def path(self) -> Path:
        """See `stored_path`."""
        return stored_path(self.memory, self.memory_root)

    def settings(self, **more: object) -> SceneMindConfig:
        """See `load_settings`, which `more` goes to as well."""
        models = {"model": self.model, "endpoint": self.endpoint}
        return load_settings(self.config, **models, record=self.record, replay=self.replay, **more)

    def live_request(self, **refused: object) -> dict[str, Any]:
        """Fields that all requests to running nodes share.

        Args:
            refused: further options that running nodes do not take.

        Raises:
            UsageError: see `refuse_with_live`.
        """
        refuse_with_live(
            model=self.model,
            endpoint=self.endpoint,
            record=self.record,
            replay=self.replay,
            **refused,
        )
        return {
            "timeout_s": self.timeout,
            "pictures": None if self.pictures is None else str(self.pictures.absolute()),
            "as_json": self.as_json,
        }


def exit_with(failure: ReasoningFailure | None) -> None:
    """End the command where a question has no answer.

    Raises:
        Exit: with `exit_status`.
    """
    if failure is not None:
        raise typer.Exit(exit_status(failure))


def was_given(context: typer.Context, option: str) -> bool:
    """Whether the option of this name was given on the command line."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"
