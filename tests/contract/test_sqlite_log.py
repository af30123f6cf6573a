from __future__ import annotations

from pathlib import Path

from everyword.log.sqlite.database import Database
from everyword.log.sqlite.log import SqliteLog
from everyword.testing.log_contract import LogContract


class TestSqliteLog(LogContract):
    def new_log(self, folder: Path) -> SqliteLog:
        return SqliteLog(Database(folder / "ana.db"))


class TestSqliteLogInMemory(LogContract):
    def new_log(self, folder: Path) -> SqliteLog:
        return SqliteLog(Database(Path(":memory:")))
