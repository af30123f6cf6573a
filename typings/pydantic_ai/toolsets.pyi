from collections.abc import Callable, Sequence
from typing import Any

class FunctionToolset:
    def __init__(self, tools: Sequence[Callable[..., Any]] = ..., *, id: str | None = None) -> None: ...  # noqa: A002 - the package's word
