from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from everyword.domain.message import Draft, Message
from everyword.index.index import Index
from everyword.log.sqlite.database import Database
from everyword.log.sqlite.log import SqliteLog

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "ana.db")


@pytest.fixture
def log(database: Database) -> SqliteLog:
    return SqliteLog(database)


@pytest.fixture
def index(database: Database, log: SqliteLog) -> Index:
    return Index(database, log)


@pytest.fixture
def add(database: Database, log: SqliteLog, index: Index) -> Callable[..., list[Message]]:
    def store(*drafts: Draft) -> list[Message]:
        with database.transaction():
            appended = log.append(drafts, received_at=NOW)
            index.add(appended.new)
        return list(appended.messages)

    return store
