"""`scenemind learn`: methods for programs, written before the questions are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from scenemind.cli.options import (
    AsJson,
    ConfigFile,
    Endpoint,
    ModelName,
    Record,
    Replay,
    load_settings,
    takes,
)
from scenemind.composition import open_learner, open_library
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.memory import KeyFrame
from scenemind.models import Allowance, ModelError, Models, Usage, open_models
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.learned_methods import ApiName, Learner, MethodLibrary
from scenemind.reasoning.method import Asking
from scenemind.reasoning.method import Progress as MethodProgress
from scenemind.reasoning.sandbox import Sandbox
from scenemind.report.replies import usage_json, usage_text
from scenemind.report.terminal import (
    make_table,
    print_json,
    print_table,
    progress_console,
)
from scenemind.untrusted import printable, say

app = typer.Typer()


@dataclass(slots=True)
class Learned:
    """Result of learning.

    Attributes:
        questions: that were looked at, of all.
        refused: name -> why there is no such method.
        troubles: with designs.
        failure: what ended it before all questions were looked at.
    """

    total: int
    questions: int = 0
    names: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    failure: ModelError | None = None

    def as_json(self) -> dict[str, Any]:
        """The result for programs."""
        return {
            "questions": self.total,
            "looked_at": self.questions,
            "learned": self.names,
            "refused": self.refused,
            "troubles": self.troubles,
            "usage": usage_json(self.usage),
            "error": None if self.failure is None else str(self.failure),
        }


def learn_all(
    learner: Learner,
    library: MethodLibrary,
    questions: Sequence[str],
    batch: int,
    allowance: Callable[[], Allowance],
) -> Learned:
    """Learn batch by batch, until a model fails.

    Args:
        library: which the learner writes to.
        allowance: gives that of the next batch.

    Raises:
        ReasoningError: the library cannot be used.
        SandboxError: no program can be run.
    """
    learned, known = Learned(len(questions)), library.methods().keys()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = progress_console()
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        bar = progress.add_task("learning", total=len(questions))

        def report(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
            del key_frames
            name = text if stage == "implement" else ""
            progress.update(bar, description=printable(f"{stage} {name}".strip()))

        for start in range(0, len(questions), batch):
            part = questions[start : start + batch]
            asking = Asking(allowance(), MethodProgress(report))
            try:
                _learn_batch(learner, part, asking, learned)
            except ModelError as error:
                learned.failure = error
                break
            progress.advance(bar, len(part))
    # Also of a batch that came to no end.
    learned.names += [name for name in library.methods() if name not in known]
    return learned


def _learn_batch(learner: Learner, part: Sequence[str], asking: Asking, learned: Learned) -> None:
    """
    Raises:
        ModelError: see `Learner.learn`.
    """
    try:
        lesson = learner.learn(part, asking)
    finally:
        learned.usage += asking.allowance.used
    learned.questions += len(part)
    learned.refused |= lesson.refused
    learned.troubles += filter(None, (lesson.trouble,))


def print_learned(learned: Learned, library: MethodLibrary) -> None:
    """Print new methods, and refused ones with the reasons."""
    methods = library.methods()
    for name in learned.names:
        if name in methods:
            say(f"learned {printable(methods[name].signature.headline)}")
            say(f"    {printable(methods[name].signature.description)}")
    for name, why in learned.refused.items():
        say(f"refused {printable(name)}: {printable(why.strip())}")
    for trouble in learned.troubles:
        say(f"the design was of little use: {printable(trouble)}")
    say(
        f"{len(learned.names)} new methods from {learned.questions} of {learned.total} questions,"
        f" {len(methods)} in {library.path}; {usage_text(learned.usage)}"
    )


def print_library(library: MethodLibrary) -> None:
    """Print a row a method, the best first."""
    methods = sorted(library.methods().values(), key=lambda m: (-m.score, -m.uses))
    if not methods:
        say(f"no methods have been learned on a {library.api}: {library.path}")
        return
    table = make_table("method", "does", "version", "used", "worked", right="version,used,worked")
    for method in methods:
        words = (method.signature.headline, method.signature.description)
        counts = (method.version, method.uses, method.successes)
        table.add_row(*(escape(printable(word)) for word in words), *map(str, counts))
    print_table(table)


def library_json(library: MethodLibrary) -> dict[str, Any]:
    """The library for programs."""
    return {
        "api": library.api,
        "library": str(library.path),
        "methods": [
            {
                "name": method.name,
                "signature": method.signature.headline,
                "description": method.signature.description,
                "source": method.source,
                "calls": list(method.calls),
                "version": method.version,
                "uses": method.uses,
                "successes": method.successes,
            }
            for method in library.methods().values()
        ],
    }


Method = Literal["llm_tpc", "vadar"]
_API_OF: dict[Method, ApiName] = {"llm_tpc": "scene", "vadar": "picture"}


@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """Options of `scenemind learn`."""

    questions: Annotated[
        Path | None,
        typer.Argument(help="Text file of expected questions, one per line."),
    ] = None
    method: Annotated[Method, typer.Option(help="Method that will use the learned methods.")] = (
        "llm_tpc"
    )
    shows: Annotated[bool, typer.Option("--list", help="Only list the methods of the library.")] = (
        False
    )
    model: ModelName = ""
    endpoint: Endpoint = ""
    timeout: Annotated[float, typer.Option(min=1.0, help="Seconds for a batch of questions.")] = (
        600.0
    )
    record: Record = None
    replay: Replay = None
    config: ConfigFile = None
    as_json: AsJson = False


@app.command(
    "learn",
    epilog="Example: scenemind learn questions.txt --config models.yaml --method llm_tpc",
)
@takes(LearnOptions)
def _learn(options: LearnOptions) -> None:
    """Let a language model write methods for the programs of such questions, ahead of time.

    Methods are tried on generated data and kept in learned_methods.library, for all memories.
    """
    settings = load_settings(
        options.config,
        model=options.model,
        endpoint=options.endpoint,
        record=options.record,
        replay=options.replay,
    )
    library = open_library(_API_OF[options.method], settings.learned_methods)
    with _errors_told(), closing(library):
        if options.shows:
            _show(library, options.as_json)
            return
        asked = _read(options.questions)
        with open_models(settings.models) as models:
            learned = _learned(asked, library, models, settings, options.timeout)
        if options.as_json:
            print_json({"method": options.method, **learned.as_json(), **library_json(library)})
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
        UsageError: no model is named.
    """
    language = models.language or models.vision
    if language is None:
        raise UsageError(
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
        UsageError: the library cannot be used.
    """
    try:
        yield
    except ReasoningError as error:
        raise UsageError(str(error)) from error


def _show(library: MethodLibrary, as_json: bool) -> None:
    if as_json:
        print_json(library_json(library))
    else:
        print_library(library)


def _read(path: Path | None) -> list[str]:
    """One question per line; empty lines and lines that begin with # are skipped.

    Raises:
        UsageError: there is no such file, or no question in it.
    """
    if path is None:
        raise UsageError("say which file has the questions, or --list")
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the questions in {path} cannot be read: {error}") from error
    questions = [line for line in lines if line and not line.startswith("#")]
    if not questions:
        raise UsageError(f"there is no question in {path}: write one a line")
    return questions
