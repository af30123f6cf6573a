from enum import StrEnum
from typing import Any, Self

class MessageRole(StrEnum):
    SYSTEM = "system"
    USER = "user"

class TextBlock:
    text: str
    def __init__(self, *, text: str) -> None: ...

class ChatMessage:
    role: MessageRole
    additional_kwargs: dict[str, Any]
    blocks: list[Any]
    def __init__(self, content: Any | None = None, **data: Any) -> None: ...
    @property
    def content(self) -> str | None: ...
    def model_dump_json(self) -> str: ...
    def model_copy(self, *, update: dict[str, Any] | None = None) -> Self: ...
    @classmethod
    def model_validate(cls, obj: Any) -> Self: ...
