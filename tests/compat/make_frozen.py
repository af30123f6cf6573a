"""Write the frozen file of the schema of today: `python tests/compat/make_frozen.py`.

Run it once for each new schema, and never again for one that was released: later versions must open what is there.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from everyword.domain.message import Draft
from everyword.index.index import Index
from everyword.log.sqlite.database import Database, migrations
from everyword.log.sqlite.log import SqliteLog
from everyword.models.hash import HashEmbedder
from everyword.testing.drafts import draft

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def drafts() -> list[Draft]:
    """Return one message of each kind."""
    aside = "Could you plan the trip to Oslo (my sister Vera moved there in May) for the second week, please?"
    long = "We spoke of the harbour and of the market. " * 60 + "The number of the locker is 4711."
    said = [
        draft(aside, author="Ana", key="k/0", metadata={"place": "home", "list": [1, None]}),
        draft("Here is a plan: fly on Monday, museum on Tuesday.", role="assistant", minute=1, agent_id="planner"),
        draft("Total: 1,280 dollars", role="tool", minute=2, author="price", origin="tool", key="0123456789abcdef" * 2),
        draft("昨天在臺北車站遇到一位計程車司機。🎂", minute=3, session_id="s2"),
        draft(long, role="assistant", minute=4, session_id="s2", branch="other"),
        draft("nul \x00 inside", created_at=None, session_id="s3", origin="import"),
        draft("to be forgotten", session_id="s4"),
    ]
    return [Draft(**{**_fields(each), "message_id": f"{number:032x}"}) for number, each in enumerate(said, 1)]


def _fields(one: Draft) -> dict[str, object]:
    return {name: getattr(one, name) for name in Draft.__slots__}


def write(path: Path) -> None:
    """Make the file: six messages, one that was forgotten, vectors for all but the last."""
    database = Database(path)
    log = SqliteLog(database)
    index = Index(database, log)
    for number, one in enumerate(drafts()):
        with database.transaction():
            index.add(log.append([one], received_at=NOW + timedelta(seconds=number)).new)
        if number == 4:
            index.use(HashEmbedder(32))
            index.embed(HashEmbedder(32))
    with database.transaction():
        index.erase([7])
        log.erase([7])
    database.shrink()
    database.connection.pragma("journal_mode", "delete")
    database.close()


if __name__ == "__main__":
    target = Path(__file__).with_name(f"schema_{len(migrations())}.db")
    target.unlink(missing_ok=True)
    write(target)
