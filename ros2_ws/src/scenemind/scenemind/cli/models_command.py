"""`scenemind models`: which language and vision models are asked, and what they have used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.asking.chosen_frames import usage_json
from scenemind.cli.asking.model_options import Endpoint, ModelName, with_models
from scenemind.cli.errors import CommandError
from scenemind.cli.model_check import Checked, check_picture, check_text
from scenemind.cli.options import AsJson, ConfigFile
from scenemind.cli.output import print_json, print_table, printable, progress_console
from scenemind.config import ChatModelConfig, ModelsConfig, SceneMindConfig
from scenemind.models import open_models
from scenemind.models.keys import key_variable_of
from scenemind.models.ledger import Ledger
from scenemind.models.roles import ledger_path
from scenemind.models.status import ModelStatus

_CHECKS = {"language": check_text, "vision": check_picture}


@dataclass(frozen=True, slots=True)
class _Row:
    """One model.

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


def register(app: typer.Typer) -> None:
    app.command("models", epilog="Example: scenemind models --config scenemind.yaml --check")(
        _models
    )


def _models(
    model: ModelName = "",
    endpoint: Endpoint = "",
    check: Annotated[
        bool, typer.Option("--check", help="Ask each a tiny question, and time it.")
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Show which models are set up, whether their keys are there, and what they used today.

    Keys stand in the environment only, and are never shown.
    """
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    models = with_models(settings, model=model, endpoint=endpoint).models
    if check and models.replay:
        raise CommandError(
            f"models.replay is {models.replay}, so that no server is asked: take it out to --check"
        )
    rows = _rows(models)
    checked = {row.roles: _check(row, models) for row in rows} if check else {}
    ledger = Ledger(ledger_path())
    if as_json:
        print_json(_as_json(rows, models, ledger, checked))
    else:
        _print(rows, models, ledger, checked)
    results = [result for of_roles in checked.values() for result in of_roles.values()]
    if check and not (results and all(result.is_well for result in results)):
        raise typer.Exit(1)


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
    """Role -> how the model did in it; not asked where its key is missing."""
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
    ledger: Ledger,
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
    ledger: Ledger,
    checked: Mapping[tuple[str, ...], Mapping[str, Checked]],
) -> None:
    if rows:
        _print_table(rows, ledger)
    elif not config.replay:
        print("no model is set up: set models.language in the --config file, or say --model")
    for row in rows:
        for role, result in checked.get(row.roles, {}).items():
            print(f"{role}: {printable(result.sentence)}")
    if config.replay:
        print(f"replies come from {config.replay}: no server is asked")
    print(_limit_text("a question may use", config.question_tokens, config.question_cost))
    used = ledger.used_today()
    day = _limit_text("a day may use", config.day_tokens, config.day_cost)
    print(f"{day}; today {used.tokens} tokens{_cost(used.cost)}")
    if ledger.trouble:
        print(f"today's use is not all known: {ledger.trouble}")


def _print_table(rows: list[_Row], ledger: Ledger) -> None:
    table = Table(box=SIMPLE_HEAD)
    for heading in ("role", "model", "endpoint", "key"):
        table.add_column(heading)
    for heading in ("calls", "tokens", "cost"):
        table.add_column(f"{heading}\ntoday", justify="right")
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
