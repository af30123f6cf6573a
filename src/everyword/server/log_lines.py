"""The server's log: one JSON object a line, with ids, routes and times, and no word that anybody said."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

NAME = "everyword.server"
LOGGER = logging.getLogger(NAME)


class JsonLines(logging.Formatter):
    """Writes the event and its fields; of an exception its class and where it was raised, since its words may quote."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.msg if record.name == NAME else record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            line |= {"error": record.exc_info[0].__name__, "at": places(record.exc_info[2])}
        return json.dumps(line, ensure_ascii=True, default=str)


def say(event: str, *, level: int = logging.INFO, error: BaseException | None = None, **fields: Any) -> None:
    """Write one line."""
    about = {} if error is None else {"error": type(error).__name__, "at": places(error.__traceback__)}
    LOGGER.log(level, event, extra={"fields": {**fields, **about}})


def places(trace: TracebackType | None) -> list[str]:
    """Return the last places of a traceback, without source lines or values."""
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(trace)][-6:]


def configuration(level: str = "INFO") -> dict[str, Any]:
    """Return a `logging` configuration that sends everything of the server and of uvicorn to stderr as JSON lines."""
    named = {"handlers": ["stderr"], "level": level, "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "loggers": {"everyword": named, "uvicorn": named, "uvicorn.error": named},
    }
