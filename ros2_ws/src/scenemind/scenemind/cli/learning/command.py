"""`scenemind learn`: the calls of models that questions would cost first, spent ahead of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from scenemind.cli.asking.model_options import Endpoint, ModelName, Record, Replay, with_models
from scenemind.cli.errors import CommandError
from scenemind.cli.learning.batches import Learned, learn_all
from scenemind.cli.learning.show import library_json, print_learned, print_library
from scenemind.cli.options import AsJson, ConfigFile
from scenemind.cli.output import print_json
from scenemind.config import SceneMindConfig
from scenemind.models import Models, open_models
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.learned_methods import ApiName, MethodLibrary
from scenemind.reasoning.open_learner import open_learner, open_library
from scenemind.reasoning.sandbox import Sandbox

Method = Literal["llm_tpc", "vadar"]

_API_OF: dict[Method, ApiName] = {"llm_tpc": "scene", "vadar": "picture"}


def register(app: typer.Typer) -> None:
    app.command(
        "learn",
        epilog="Example: scenemind learn questions.txt --config models.yaml --method llm_tpc",
    )(_learn)


def _learn(
    questions: Annotated[
        Path | None,
        typer.Argument(help="Text file with a question a line, such as will be asked."),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="Whose programs shall call what is learned.")
    ] = "llm_tpc",
    shows: Annotated[
        bool, typer.Option("--list", help="Only show the methods that are there.")
    ] = False,
    model: ModelName = "",
    endpoint: Endpoint = "",
    timeout: Annotated[
        float, typer.Option(min=1.0, help="Seconds that a batch of questions may take.")
    ] = 600.0,
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Have a language model write methods that programs for such questions need, before a robot
    is asked them. They are tried on made-up data, and kept for all memories
    (learned_methods.library). No memory is looked at.
    """
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    library = open_library(_API_OF[method], settings.learned_methods)
    with _errors_told(), closing(library):
        if shows:
            _show(library, as_json)
            return
        asked = _read(questions)
        settings = with_models(
            settings, model=model, endpoint=endpoint, record=record, replay=replay
        )
        with open_models(settings.models) as models:
            learned = _learned(asked, library, models, settings, timeout)
        if as_json:
            print_json({"method": method, **learned.as_json(), **library_json(library)})
        else:
            print_learned(learned, library)
    if learned.failure is not None:
        raise learned.failure


def _learned(
    questions: Sequence[str],
    library: MethodLibrary,
    models: Models,
    settings: SceneMindConfig,
    timeout_s: float,
) -> Learned:
    """
    Raises:
        CommandError: no model is named.
    """
    language = models.language or models.vision
    if language is None:
        raise CommandError(
            "no model is named to write methods: say --model, or set models.language.model in the"
            " --config file"
        )
    models.check_keys()
    config = settings.learned_methods
    with (
        Sandbox(settings.sandbox) as sandbox,
        closing(open_learner(library.api, language, sandbox, config)) as learner,
    ):
        return learn_all(
            learner, library, questions, config.batch, lambda: models.allowance(timeout_s)
        )


@contextmanager
def _errors_told() -> Iterator[None]:
    """
    Raises:
        CommandError: the library cannot be used.
    """
    try:
        yield
    except ReasoningError as error:
        raise CommandError(str(error)) from error


def _show(library: MethodLibrary, as_json: bool) -> None:
    if as_json:
        print_json(library_json(library))
    else:
        print_library(library)


def _read(path: Path | None) -> list[str]:
    """A question a line; empty lines and those that begin with # are none.

    Raises:
        CommandError: there is no such file, or no question in it.
    """
    if path is None:
        raise CommandError("say which file has the questions, or --list")
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"the questions in {path} cannot be read: {error}") from error
    questions = [line for line in lines if line and not line.startswith("#")]
    if not questions:
        raise CommandError(f"there is no question in {path}: write one a line")
    return questions
