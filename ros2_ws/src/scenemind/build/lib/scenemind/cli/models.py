"""`scenemind models`: configured language and vision models, and their use of tokens."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from pydantic import BaseModel, ConfigDict
from rich.markup import escape

from scenemind.cli.options import AsJson, ConfigFile, Endpoint, ModelName, load_settings
from scenemind.config import ChatModelConfig, ModelsConfig
from scenemind.errors import UsageError
from scenemind.models import ChatMessage, ModelError, ask_for, open_models
from scenemind.models.endpoint import ModelStatus
from scenemind.models.ledger import UsageLedger
from scenemind.models.openai_chat import key_variable_of
from scenemind.models.roles import ledger_path
from scenemind.report.replies import usage_json
from scenemind.report.terminal import (
    make_table,
    print_json,
    print_table,
    progress_console,
)
from scenemind.untrusted import printable, say

app = typer.Typer()

_FORM = 'Answer in JSON such as {"colour": "black"}, with the English word of one colour.'
# English -> blue, green, red.
_COLOURS = {"red": (0, 0, 255), "green": (0, 160, 0), "blue": (255, 0, 0), "yellow": (0, 255, 255)}
_SIDE_PX = 64


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    colour: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Outcome of a check of a model.

    Attributes:
        said: its answer; empty: none of use came.
        error: what is wrong; empty: nothing.
    """

    said: str
    error: str
    seconds: float

    @property
    def is_well(self) -> bool:
        return not self.error

    @property
    def sentence(self) -> str:
        return self.error or f"answers in {self.seconds:.1f} s, in the form asked for"


def check_text(model: ChatModelConfig, config: ModelsConfig) -> Checked:
    """Check that the model answers in the requested form."""
    return _ask(model, config, ChatMessage("user", f"What colour is snow? {_FORM}"))


def check_picture(model: ChatModelConfig, config: ModelsConfig) -> Checked:
    """Check that the model sees: ask the colour of a picture, drawn at random."""
    colour = random.choice(list(_COLOURS))
    picture = np.full((_SIDE_PX, _SIDE_PX, 3), _COLOURS[colour], np.uint8)
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    text = f"What colour is this picture? {_FORM}"
    checked = _ask(model, config, ChatMessage("user", text, (jpeg,)))
    if checked.error or colour in checked.said.casefold():
        return checked
    error = f"{model.model} does not see: it called a {colour} picture {checked.said!r}"
    return Checked(checked.said, error, checked.seconds)


def _ask(model: ChatModelConfig, config: ModelsConfig, message: ChatMessage) -> Checked:
    """Ask once, without recording; it counts against the day's budget."""
    changes = {"language": model, "vision": ChatModelConfig(), "retries": 0, "record": ""}
    start_s = time.monotonic()
    said = error = ""
    try:
        with open_models(config.model_copy(update=changes)) as models:
            assert models.language is not None
            allowance = models.allowance(model.call_deadline_s)
            said = ask_for(models.language, [message], _Reply, allowance).colour
    except ModelError as failure:
        error = str(failure)
    return Checked(said, error, round(time.monotonic() - start_s, 3))


_CHECKS = {"language": check_text, "vision": check_picture}


@dataclass(frozen=True, slots=True)
class _Row:
    """A configured model.

    Attributes:
        roles: language, vision or both.
        status: before anything was asked.
    """

    roles: tuple[str, ...]
    config: ChatModelConfig
    status: ModelStatus

    @property
    def has_key(self) -> bool:
        return bool(os.environ.get(key_variable_of(self.config), "").strip())

    @property
    def key_text(self) -> str:
        variable = key_variable_of(self.config)
        if not variable:
            return "none"
        if self.status.is_ready:
            return f"{variable}: set"
        return f"{variable}: {'unusable' if self.has_key else 'missing'}"


@app.command("models", epilog="Example: scenemind models --config scenemind.yaml --check")
def _models(
    model: ModelName = "",
    endpoint: Endpoint = "",
    check: Annotated[
        bool, typer.Option("--check", help="Ask each model a short question, and time it.")
    ] = False,
    prompts: Annotated[
        bool,
        typer.Option("--prompts", help="Print all that each method sends, of an example room."),
    ] = False,
    tokenizer: Annotated[
        Path | None,
        typer.Option(help="A tokenizer.json, to count the tokens of --prompts; else an estimate."),
    ] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Show the configured models, whether their keys are set, and their use of today.

    Keys are read from the environment, and never shown.
    """
    if prompts:
        _print_prompts(tokenizer)
        return
    models = load_settings(config, model=model, endpoint=endpoint).models
    if check and models.replay:
        raise UsageError(
            f"models.replay is {models.replay}, so that no server is asked: take it out to --check"
        )
    rows = _rows(models)
    checked = {row.roles: _check(row, models) for row in rows} if check else {}
    ledger = UsageLedger(ledger_path())
    if as_json:
        print_json(_as_json(rows, models, ledger, checked))
    else:
        _print(rows, models, ledger, checked)
    results = [result for of_roles in checked.values() for result in of_roles.values()]
    if check and not (results and all(result.is_well for result in results)):
        raise typer.Exit(1)


def _print_prompts(tokenizer: Path | None) -> None:
    # Maps a room, which takes seconds: not for those who only look at the models.
    from scenemind.cli.sent_prompts import pages, record, token_counter

    count, counted_by = token_counter(tokenizer)
    for page in pages(record(), count, counted_by):
        say(page, end="\n\n")


def _rows(config: ModelsConfig) -> list[_Row]:
    """
    Raises:
        ModelError: an endpoint is no address.
    """
    configs = [model for model in (config.language, config.vision) if model.model]
    with open_models(config.model_copy(update={"record": "", "replay": ""})) as models:
        statuses = models.status()
    return [
        _Row(tuple(status.role.split(" and ")), model, status)
        for model, status in zip(configs, statuses, strict=True)
    ]


def _check(row: _Row, config: ModelsConfig) -> dict[str, Checked]:
    """Outcomes by role; a model without its key is not asked."""
    if not row.status.is_ready:
        return dict.fromkeys(row.roles, Checked("", row.status.state, 0.0))
    results = {}
    for role in row.roles:
        with progress_console().status(f"asking {escape(row.config.model)}: {role}"):
            results[role] = _CHECKS[role](row.config, config)
    return results


def _as_json(
    rows: list[_Row],
    config: ModelsConfig,
    ledger: UsageLedger,
    checked: Mapping[tuple[str, ...], Mapping[str, Checked]],
) -> dict[str, Any]:
    models = [
        {
            "roles": list(row.roles),
            "model": row.config.model,
            "endpoint": row.status.endpoint,
            "key_variable": key_variable_of(row.config),
            "has_key": row.has_key,
            "state": row.status.state,
            "has_price": row.config.has_price,
            "used_today": usage_json(ledger.used_today(row.config.model)),
            "check": {role: asdict(c) for role, c in checked.get(row.roles, {}).items()} or None,
        }
        for row in rows
    ]
    return {
        "models": models,
        "used_today": usage_json(ledger.used_today()),
        "question": {"tokens": config.question_tokens, "cost": config.question_cost},
        "day": {"tokens": config.day_tokens, "cost": config.day_cost},
        "replay": config.replay,
        "ledger": str(ledger.path),
        "trouble": ledger.trouble,
    }


def _print(
    rows: list[_Row],
    config: ModelsConfig,
    ledger: UsageLedger,
    checked: Mapping[tuple[str, ...], Mapping[str, Checked]],
) -> None:
    if rows:
        _print_table(rows, ledger)
    elif not config.replay:
        say("no model is set up: set models.language in the --config file, or say --model")
    for row in rows:
        for role, result in checked.get(row.roles, {}).items():
            say(f"{role}: {printable(result.sentence)}")
    if config.replay:
        say(f"replies come from {config.replay}: no server is asked")
    say(_limit_text("a question may use", config.question_tokens, config.question_cost))
    used = ledger.used_today()
    day = _limit_text("a day may use", config.day_tokens, config.day_cost)
    say(f"{day}; today {used.tokens} tokens{_cost(used.cost)}")
    if ledger.trouble:
        say(f"today's use is not all known: {ledger.trouble}")


def _print_table(rows: list[_Row], ledger: UsageLedger) -> None:
    today = ("calls\ntoday", "tokens\ntoday", "cost\ntoday")
    table = make_table("role", "model", "endpoint", "key", *today, right=",".join(today))
    for row in rows:
        used = ledger.used_today(row.config.model)
        table.add_row(
            row.status.role,
            escape(row.config.model),
            escape(row.status.endpoint),
            escape(row.key_text),
            str(used.calls),
            str(used.tokens),
            f"{used.cost:.4g}" if row.config.has_price else "no price",
        )
    print_table(table)


def _limit_text(who: str, tokens: int, cost: float) -> str:
    limits = [f"{tokens} tokens" if tokens else "any number of tokens"]
    if cost:
        limits.append(f"{cost:g} of money")
    return f"{who} {' and '.join(limits)}"


def _cost(cost: float) -> str:
    return f", cost {cost:.4g}" if cost else ""
