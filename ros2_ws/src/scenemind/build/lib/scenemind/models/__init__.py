"""Language and vision models behind one protocol."""

from scenemind.models.chat import (
    Allowance,
    ChatMessage,
    ChatModel,
    ChatReply,
    FailureKind,
    ModelError,
    OnText,
    Tool,
    ToolCall,
    Usage,
)
from scenemind.models.endpoint import ModelStatus
from scenemind.models.roles import Models, open_models
from scenemind.models.structured import BadFormError, ask_for

__all__ = [
    "Allowance",
    "BadFormError",
    "ChatMessage",
    "ChatModel",
    "ChatReply",
    "FailureKind",
    "ModelError",
    "ModelStatus",
    "Models",
    "OnText",
    "Tool",
    "ToolCall",
    "Usage",
    "ask_for",
    "open_models",
]
