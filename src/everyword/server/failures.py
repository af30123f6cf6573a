"""Errors on their way out: one table from the error tree to HTTP, one shape for all of them."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any, cast

from everyword import errors
from everyword.errors import ContextLengthExceeded, EverywordError, TooManyRequestsError
from everyword.server.keys import without_keys

STATUS: tuple[tuple[type[EverywordError], int], ...] = (
    (errors.RequestTooLargeError, 413),
    (errors.IdempotencyConflictError, 409),
    (errors.SettingsError, 503),
    (errors.InvalidInputError, 400),
    (errors.NotFoundError, 404),
    (errors.ContextLengthExceeded, 422),
    (errors.TranscriptError, 400),
    (errors.UnknownKeyError, 401),
    (errors.ForbiddenError, 403),
    (errors.TooManyRequestsError, 429),
    (errors.AccessError, 403),
    (errors.DiskFullError, 507),
    (errors.StorageError, 503),
    (errors.ProviderError, 502),
    (errors.ModelError, 503),
    (errors.EverywordError, 500),
)
"""The first class that fits decides; a class stands before its parent."""
_BUSY_S = 1


def status_of(error: EverywordError) -> int:
    """Return the HTTP status of an error."""
    return next(status for kind, status in STATUS if isinstance(error, kind))


def message_of(error: EverywordError) -> str:
    """Return what a caller is told; messages of the server's own troubles name paths, so their class speaks instead."""
    if isinstance(error, errors.StorageError | errors.SettingsError):
        return inspect.getdoc(type(error)) or type(error).__name__
    return str(error)


def document(kind: str, message: str, request_id: str, **more: Any) -> dict[str, Any]:
    """Return the body of every answer that is an error; what a message quotes may be a key in the wrong place."""
    return {"error": {"type": kind, "message": without_keys(message), "request_id": request_id, **more}}


def document_of(error: EverywordError, request_id: str) -> dict[str, Any]:
    """Return the body for an error of the tree."""
    more: dict[str, Any] = {}
    if isinstance(error, ContextLengthExceeded):
        more = {"needed": error.needed, "budget": error.budget}
    return document(type(error).__name__, message_of(error), request_id, **more)


def headers_of(error: EverywordError) -> dict[str, str]:
    """Return the headers that go with an error."""
    if isinstance(error, TooManyRequestsError):
        return {"Retry-After": str(math.ceil(error.retry_after_s))}
    if isinstance(error, errors.BusyLogError):
        return {"Retry-After": str(_BUSY_S)}
    return {"WWW-Authenticate": "Bearer"} if isinstance(error, errors.UnknownKeyError) else {}


def as_bytes(body: Any) -> bytes:
    """Return JSON in ASCII: a lone surrogate of a stored message has no other form. A number that JSON lacks is null."""
    try:
        return json.dumps(body, ensure_ascii=True, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_finite(body), ensure_ascii=True, allow_nan=False).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_finite(each) for each in cast("list[Any]", value)]
    return value
