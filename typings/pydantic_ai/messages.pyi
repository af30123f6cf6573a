from typing import Any

from pydantic import TypeAdapter

class ModelMessage:
    kind: str

class ToolReturn:
    def __init__(self, return_value: Any, *, content: Any = None, metadata: Any = None) -> None: ...

ModelMessagesTypeAdapter: TypeAdapter[list[ModelMessage]]
