"""What every message log must do. Subclass it and return a new empty log from `new_log`."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from everyword.domain.message import Draft, Message
from everyword.domain.scope import scope
from everyword.errors import IdempotencyConflictError, InvalidMessageError, NotFoundError
from everyword.ports import MessageLog
from everyword.testing.drafts import START, draft

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ODD_TEXTS = (
    "", " \n", "nul \x00 inside", "🎂 👩‍👩‍👧‍👦 🇹🇼", "مرحبا بالعالم", "שלום", "繁體與简体",
    "が か\u3099", "สวัสดี", "x" * 100_000,
    "\ufeff\u202eright to left", "'; DROP TABLE message; --",
)  # fmt: skip


def said(message: Draft | Message) -> dict[str, object]:
    """Return what the caller said of a message, without what the log added."""
    names = {field.name for field in fields(Draft)} - {"message_id"}
    return {name: getattr(message, name) for name in names}


class LogContract:
    """Order, bytes, ids, keys, scopes and erasure."""

    def new_log(self, folder: Path) -> MessageLog:
        """Return an empty log that keeps its files in the folder."""
        raise NotImplementedError

    @pytest.fixture
    def log(self, tmp_path: Path) -> MessageLog:
        return self.new_log(tmp_path)

    def test_messages_come_back_in_order_with_all_that_was_said(self, log: MessageLog) -> None:
        drafts = [
            draft("plain"),
            draft(
                "with everything",
                role="tool",
                session_id="s2",
                author="weather",
                agent_id="agent-7",
                origin="web",
                branch="side",
                created_at=datetime(2026, 5, 22, 23, 59, 59, 123456, timezone(timedelta(hours=5, minutes=45))),
                metadata={"a": [1, None, {"ß": "𝄞"}], "lone": "\ud800"},
                key="k1",
                payload=b'{"role": "tool",\r\n "content": "\\ud800"}',
            ),
            draft("without a time", created_at=None),
        ]
        log.append(drafts, received_at=NOW)
        assert [said(message) for message in log.scan()] == [said(each) for each in drafts]

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
    def test_odd_text_comes_back_as_it_was(self, log: MessageLog, text: str) -> None:
        stored = log.append([draft(text)], received_at=NOW).messages[0]
        assert log.by_id(stored.message_id).text == text
        assert log.by_id(stored.message_id).payload == draft(text).payload

    def test_the_offset_of_the_clock_is_kept_beside_the_moment(self, log: MessageLog) -> None:
        times = [datetime(2026, 3, 29, 1, 30, tzinfo=timezone(timedelta(hours=hours))) for hours in (-12, 0, 8, 14)] + [
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-12))),
        ]
        log.append([draft("x", created_at=time) for time in times], received_at=NOW)
        stored = [message.created_at for message in log.scan()]
        assert stored == times
        assert [time and time.utcoffset() for time in stored] == [time.utcoffset() for time in times]
        assert log.verify() == []
        assert log.stats()["messages"] == len(times)

    def test_sequence_numbers_rise_and_are_never_used_again(self, log: MessageLog) -> None:
        first = log.append([draft("a"), draft("b")], received_at=NOW).messages
        log.erase([first[1].seq])
        second = log.append([draft("c")], received_at=NOW).messages
        assert [message.seq for message in (*first, *second)] == [1, 2, 3]

    def test_ids_are_distinct_and_an_own_id_is_kept(self, log: MessageLog) -> None:
        own = "0123456789abcdef0123456789ABCDEF"
        stored = log.append([draft("a"), draft("b"), draft("c", message_id=own)], received_at=NOW).messages
        assert len({message.message_id for message in stored}) == 3
        assert log.by_id(own) == stored[2]
        assert log.verify() == []

    def test_an_unknown_id_is_not_found(self, log: MessageLog) -> None:
        for unknown in ("0" * 32, "", "not hexadecimal", "\ud800", "00"):
            with pytest.raises(NotFoundError):
                log.by_id(unknown)

    def test_a_key_that_was_used_adds_nothing(self, log: MessageLog) -> None:
        first = log.append([draft("once", key="k")], received_at=NOW)
        again = log.append([draft("once", key="k"), draft("new")], received_at=NOW)
        assert again.messages[0] == first.messages[0]
        assert [message.text for message in again.new] == ["new"]

    def test_a_key_repeated_in_one_call_adds_one_message(self, log: MessageLog) -> None:
        appended = log.append([draft("once", key="k"), draft("once", key="k")], received_at=NOW)
        assert len(appended.messages) == 2
        assert len(appended.new) == 1

    def test_a_key_for_other_words_is_refused_and_nothing_is_stored(self, log: MessageLog) -> None:
        log.append([draft("once", key="k")], received_at=NOW)
        with pytest.raises(IdempotencyConflictError, match="'k'"):
            log.append([draft("before"), draft("other", key="k")], received_at=NOW)
        assert [message.text for message in log.scan()] == ["once"]

    @pytest.mark.parametrize("key", ["0" * 32, "A" * 32, "k/0", "ключ", "\x00", " "])
    def test_any_text_is_a_key(self, log: MessageLog, key: str) -> None:
        log.append([draft("once", key=key)], received_at=NOW)
        assert [message.key for message in log.append([draft("once", key=key)], received_at=NOW).messages] == [key]

    @pytest.mark.parametrize("field", ["text", "author", "agent_id", "session_id", "key"])
    def test_a_lone_surrogate_outside_the_payload_is_refused(self, log: MessageLog, field: str) -> None:
        bad = Draft(**{**said(draft("fine", payload=b"{}")), field: "\ud800"})  # type: ignore[arg-type]
        with pytest.raises(InvalidMessageError, match="surrogate"):
            log.append([draft("before"), bad], received_at=NOW)
        assert list(log.scan()) == []

    def test_an_id_that_is_none_is_refused(self, log: MessageLog) -> None:
        with pytest.raises(InvalidMessageError):
            log.append([draft("x", message_id="not an id")], received_at=NOW)

    def test_messages_are_found_by_sequence_number_in_order(self, log: MessageLog) -> None:
        log.append([draft(str(number)) for number in range(5)], received_at=NOW)
        assert [message.seq for message in log.by_seq([4, 2, 99, 2])] == [2, 4]
        assert log.by_seq([]) == []

    def test_a_scan_passes_every_message_once(self, log: MessageLog) -> None:
        log.append([draft(str(number)) for number in range(25)], received_at=NOW)
        assert [message.text for message in log.scan(batch=10)] == [str(number) for number in range(25)]
        assert [message.seq for message in log.scan(after=20, batch=2)] == [21, 22, 23, 24, 25]

    def test_a_scan_goes_on_while_messages_are_added(self, log: MessageLog) -> None:
        log.append([draft("a"), draft("b")], received_at=NOW)
        scanning = log.scan(batch=1)
        assert next(scanning).text == "a"
        log.append([draft("c")], received_at=NOW)
        assert [message.text for message in scanning] == ["b", "c"]

    def test_the_last_turns_start_at_a_message_of_the_user(self, log: MessageLog) -> None:
        roles = ("user", "assistant", "tool", "assistant", "user", "assistant")
        log.append([draft(str(n), role=role) for n, role in enumerate(roles)], received_at=NOW)  # type: ignore[arg-type]
        log.append([draft("elsewhere", session_id="s2")], received_at=NOW)
        assert [message.text for message in log.recent(session_id="s1", turns=1)] == ["4", "5"]
        assert len(log.recent(session_id="s1", turns=2)) == 6
        assert len(log.recent(session_id="s1", turns=10**30)) == 6
        assert [message.text for message in log.recent(session_id=None, turns=2)] == ["elsewhere"]
        assert log.recent(session_id="s1", turns=0) == log.recent(session_id="unknown", turns=3) == []

    def test_left_branches_are_not_recent(self, log: MessageLog) -> None:
        log.append([draft("kept"), draft("left", branch="other"), draft("side", branch="side")], received_at=NOW)
        assert [message.text for message in log.recent(session_id="s1", turns=5)] == ["kept"]

    def test_a_scope_chooses_by_id_session_and_time(self, log: MessageLog) -> None:
        stored = log.append(
            [draft("a"), draft("b", minute=60 * 24), draft("c", session_id="s2"), draft("d", created_at=None)],
            received_at=NOW,
        ).messages
        assert log.chosen(scope()) == [1, 2, 3, 4]
        assert log.chosen(scope(session_id="s1")) == [1, 2, 4]
        assert log.chosen(scope(message_ids=[stored[3].message_id, stored[0].message_id])) == [1, 4]
        assert log.chosen(scope(message_ids=[])) == []
        assert log.chosen(scope(after=START.date(), before=START.date())) == [1, 3]
        assert log.chosen(scope(before=START)) == [1, 3]
        assert log.chosen(scope(session_id="s1", after=START + timedelta(hours=1))) == [2]

    def test_a_scope_can_be_read_page_by_page_from_both_ends(self, log: MessageLog) -> None:
        log.append([draft(str(n), session_id="s1" if n % 2 else "s2") for n in range(10)], received_at=NOW)
        assert log.chosen(scope(), after_seq=3, limit=2) == [4, 5]
        assert log.chosen(scope(), before_seq=8, limit=3, newest=True) == [5, 6, 7]
        assert log.chosen(scope(session_id="s1"), after_seq=2, before_seq=9) == [4, 6, 8]
        assert log.chosen(scope(session_id="s1"), limit=1, newest=True) == [10]
        assert log.chosen(scope(), after_seq=10**30) == log.chosen(scope(), before_seq=-(10**30)) == []
        assert log.chosen(scope(), limit=10**30) == list(range(1, 11))

    def test_ids_have_sequence_numbers_and_unknown_ones_have_none(self, log: MessageLog) -> None:
        first, second = log.append([draft("a"), draft("b")], received_at=NOW).messages
        upper = second.message_id.upper()
        assert log.seqs_of([first.message_id, upper, "0" * 32]) == {first.message_id: 1, upper: 2}
        assert log.seqs_of([]) == {}
        with pytest.raises(NotFoundError):
            log.seqs_of(["zz"])

    def test_sessions_are_told_by_their_last_word_with_where_they_begin(self, log: MessageLog) -> None:
        for name in ("s1", "s2", "s1", "s3", "s1"):
            log.append([draft(name, session_id=name)], received_at=NOW)
        found = log.sessions(opening=2)
        assert [(each.session_id, each.messages, each.last_seq) for each in found] == [
            ("s1", 3, 5),
            ("s3", 1, 4),
            ("s2", 1, 2),
        ]
        assert [each.opening for each in found] == [(1, 3), (4,), (2,)]
        assert [each.session_id for each in log.sessions(before_seq=5, limit=1)] == ["s3"]
        log.erase([4])
        assert [each.session_id for each in log.sessions(before_seq=5)] == ["s2"]

    def test_what_was_erased_is_gone_and_the_rest_is_not(self, log: MessageLog) -> None:
        stored = log.append([draft("a", key="k"), draft("b"), draft("c", session_id="s2")], received_at=NOW).messages
        log.erase([1, 3, 99])
        assert [message.text for message in log.scan()] == ["b"]
        assert log.stats()["sessions"] == 1
        with pytest.raises(NotFoundError):
            log.by_id(stored[0].message_id)
        assert log.append([draft("a", key="k")], received_at=NOW).new

    def test_counts_say_what_is_there(self, log: MessageLog) -> None:
        assert log.stats()["messages"] == 0
        log.append([draft("four"), draft("äöü", role="assistant", minute=1)], received_at=NOW)
        stats = log.stats()
        assert stats["roles"] == {"assistant": 1, "user": 1}
        assert stats["characters"] == 7
        assert stats["first"] == START.isoformat()
        assert stats["last"] == (START + timedelta(minutes=1)).isoformat()

    def test_a_sound_log_has_no_problems(self, log: MessageLog) -> None:
        assert log.verify() == []
        log.append([draft(text) for text in ODD_TEXTS], received_at=NOW)
        assert log.verify() == []
