"""Which messages a call is about: by id, session or time; dates without a time mean the whole day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from everyword.errors import InvalidInputError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: datetime) -> int:
    """Return an aware time as whole microseconds since 1970 UTC, without the rounding of a float."""
    return (moment - EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """All conditions hold together; None leaves one out."""

    message_ids: tuple[str, ...] | None = None
    session_id: str | None = None
    after: datetime | None = None
    before: datetime | None = None

    @property
    def is_everything(self) -> bool:
        """Tell whether no condition is set."""
        return self == Scope()


def scope(
    *,
    message_ids: Sequence[str] | None = None,
    session_id: str | None = None,
    after: datetime | date | str | None = None,
    before: datetime | date | str | None = None,
) -> Scope:
    """Return a checked scope. Raise InvalidInputError."""
    return Scope(
        message_ids=None if message_ids is None else tuple(message_ids),
        session_id=session_id,
        after=moment(after, name="after", end_of_day=False),
        before=moment(before, name="before", end_of_day=True),
    )


def moment(value: datetime | date | str | None, *, name: str, end_of_day: bool) -> datetime | None:
    """Return an aware time; a date alone is its first or its last instant, a time without zone is UTC."""
    if value is None or isinstance(value, datetime):
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time.max if end_of_day else time.min, tzinfo=UTC)
    try:
        parsed = date.fromisoformat(value) if len(value) <= 10 else datetime.fromisoformat(value)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"{name}={value!r} is not a time: use ISO 8601, for example 2026-05-22.") from error
    return moment(parsed, name=name, end_of_day=end_of_day)
