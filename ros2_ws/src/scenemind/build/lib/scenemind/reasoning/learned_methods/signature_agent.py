"""The signature agent of VADAR: proposes the methods that a batch of questions needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pydantic import BaseModel, ConfigDict, Field

from scenemind.language.quoting import quoted
from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.learned_methods.method_api import MethodApi, Signature
from scenemind.reasoning.learned_methods.source import reserved_names
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import fill_prompt, hears_thoughts

_PROMPTS = "scenemind.reasoning.learned_methods"
_LONGEST_SAID = 500


class NewMethods(BaseModel):
    """The form of the model's reply."""

    model_config = ConfigDict(extra="forbid")

    think: str = Field(description="which steps the questions share that no method does yet")
    methods: list[Signature]


def propose(
    model: ChatModel,
    api: MethodApi,
    questions: Sequence[str],
    known: Sequence[Signature],
    most: int,
    asking: Asking,
) -> tuple[list[Signature], str]:
    """New methods for such questions, and the errors in other proposals.

    Args:
        known: signatures of the library's methods.
        most: number of new methods.

    Raises:
        ModelError: the model was not reached, refused, or the allowance is used up.
    """
    messages = _messages(api, questions, known, most)
    there = {signature.name for signature in known}
    asking.progress.report("design")
    hear = hears_thoughts(asking.progress, "design")

    def complaint(form: NewMethods) -> str | None:
        return "; ".join(_faults(_new(form, there), most, api)) or None

    try:
        form = ask_for(model, messages, NewMethods, asking.allowance, check=complaint, on_text=hear)
    except BadFormError as error:
        methods = _new(error.form, there) if isinstance(error.form, NewMethods) else []
        return _usable(methods, most, api), str(error)
    return _new(form, there), ""


def _new(form: NewMethods, there: Collection[str]) -> list[Signature]:
    """The proposed signatures that are new: many models repeat those of the library."""
    return [method for method in form.methods if method.name not in there]


def _faults(methods: Sequence[Signature], most: int, api: MethodApi) -> list[str]:
    taken = reserved_names(api)
    faults = [fault for method in methods if (fault := method.find_fault(api, taken))]
    if len({method.name for method in methods}) < len(methods):
        faults.append("two methods have one name")
    if len(methods) > most:
        faults.append(f"there are {len(methods)} methods, {most} are the most")
    return faults


def _usable(methods: Sequence[Signature], most: int, api: MethodApi) -> list[Signature]:
    taken = reserved_names(api)
    by_name = {method.name: method for method in methods if not method.find_fault(api, taken)}
    return list(by_name.values())[:most]


def _messages(
    api: MethodApi, questions: Sequence[str], known: Sequence[Signature], most: int
) -> list[ChatMessage]:
    listed = "\n\n".join(signature.declaration for signature in known)
    task = fill_prompt(
        _PROMPTS,
        "signatures",
        questions=api.questions,
        documentation=api.documentation,
        most=str(most),
        advice=api.design,
        parameters=", ".join(api.parameters),
        returns=", ".join(api.returns),
    )
    asked = fill_prompt(
        _PROMPTS,
        "signatures_question",
        known=f"```python\n{listed}\n```" if listed else "none yet",
        questions="\n".join(f"- {quoted(q, _LONGEST_SAID)}" for q in questions),
    )
    return [ChatMessage("system", task), ChatMessage("user", asked)]
