from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from everyword.assembly import UserFile, UserFiles
from everyword.claims.derivation import derive
from everyword.claims.extractor import Reading
from everyword.claims.rules import NAME, RuleExtractor, statements
from everyword.claims.store import ATTEMPTS
from everyword.domain.claim import Claim, Link, Statement
from everyword.domain.message import Message
from everyword.errors import ProviderError, RefusedError, UntrustedClaimError
from everyword.testing.drafts import START, draft


@pytest.fixture
def store(tmp_path: Path) -> Iterator[UserFile]:
    files = UserFiles(tmp_path, open_files=4)
    yield files.of("ana", create=True)
    files.close()


def keep(store: UserFile, *texts: str, role: str = "user") -> list[Message]:
    drafts = [draft(text, role=role, origin=role) for text in texts]
    with store.transaction():
        new = store.log.append(drafts, received_at=START).new
        store.index.add(new)
    return list(new)


def texts(store: UserFile, extractor: str = NAME) -> list[str]:
    return [each.text for each in store.claims.claims(extractor)]


@dataclass
class Careful:
    """Reads by rule, and fails on a word."""

    word: str = "refuse"
    name: str = "careful"
    batch: int = 8
    is_quick: bool = False
    error: Exception = field(default_factory=lambda: RefusedError("no"))
    batches: list[list[int]] = field(default_factory=list)

    def read(self, messages: Sequence[Message], known: Sequence[Claim]) -> Reading:
        self.batches.append([message.seq for message in messages])
        if any(self.word in message.text for message in messages):
            raise self.error
        return Reading(statements=tuple(each for message in messages for each in statements(message)))


def test_only_what_the_user_said_waits_to_be_read(store: UserFile) -> None:
    keep(store, "I love tea.", "Hello")
    keep(store, "You love tea.", role="assistant")
    keep(store, "I am root.", role="tool")
    assert store.claims.count_waiting(NAME) == 2
    assert derive(store.claims, RuleExtractor()) == 2
    assert store.claims.count_waiting(NAME) == 0
    assert texts(store) == ["I love tea."]


def test_reading_again_doubles_nothing(store: UserFile) -> None:
    message = keep(store, "I love tea.")[0]
    derive(store.claims, RuleExtractor())
    assert store.claims.keep(NAME, [message.seq], statements(message)) == 0
    assert derive(store.claims, RuleExtractor()) == 0
    assert texts(store) == ["I love tea."]


def test_one_message_that_is_refused_keeps_no_other_from_being_read(store: UserFile) -> None:
    keep(store, "I love tea.", "I refuse tea.", "I love rice.", "I have a cat.")
    derive(store.claims, Careful())
    assert texts(store, "careful") == ["I love tea.", "I love rice.", "I have a cat."]
    assert store.claims.stats("careful")["failed"] == {"refused": 1}


def test_what_failed_is_tried_again_and_then_left_alone(store: UserFile) -> None:
    keep(store, "I refuse tea.")
    reader = Careful()
    for _ in range(ATTEMPTS + 2):
        derive(store.claims, reader)
    assert len(reader.batches) == ATTEMPTS
    assert store.claims.count_waiting("careful") == 0


def test_what_failed_once_is_read_when_the_model_is_well_again(store: UserFile) -> None:
    keep(store, "I refuse tea.")
    derive(store.claims, Careful())
    derive(store.claims, Careful(word="never said"))
    assert texts(store, "careful") == ["I refuse tea."]
    assert store.claims.stats("careful")["failed"] == {}


def test_where_the_endpoint_fails_nothing_is_lost_and_the_rest_still_waits(store: UserFile) -> None:
    keep(store, *(f"I love tea number {'x' * count}." for count in range(8)), "I refuse tea.")
    with pytest.raises(ProviderError):
        derive(store.claims, Careful(error=ProviderError("down")))
    assert (len(texts(store, "careful")), store.claims.count_waiting("careful")) == (8, 1)


def test_each_extractor_reads_for_itself(store: UserFile) -> None:
    keep(store, "I love tea.")
    derive(store.claims, RuleExtractor())
    assert texts(store, "careful") == []
    assert store.claims.count_waiting("careful") == 1


@pytest.mark.parametrize("kind", ["profile", "entity", "procedure", "edge", "note"])
@pytest.mark.parametrize("role", ["tool", "assistant"])
def test_what_others_said_is_refused_as_a_statement_and_nothing_is_stored(
    store: UserFile, kind: str, role: str
) -> None:
    message = keep(store, "Ana always pays Bob.", role=role)[0]
    with pytest.raises(UntrustedClaimError, match=role):
        store.claims.keep(NAME, [message.seq], [Statement(seq=message.seq, start=0, stop=4, kind=kind)])  # type: ignore[arg-type]
    assert texts(store) == []
    assert store.claims.verify() == []


def test_what_a_tool_said_may_be_noted_as_an_observation(store: UserFile) -> None:
    message = keep(store, "The door is open.", role="tool")[0]
    seen = Statement(seq=message.seq, start=0, stop=17, kind="note", trust="observed")
    store.claims.keep(NAME, [message.seq], [seen])
    (only,) = store.claims.claims(NAME)
    assert (only.trust, only.author_role, only.memory_type) == ("observed", "tool", "episodic")


def test_a_message_that_was_erased_while_it_was_read_leaves_no_claim(store: UserFile) -> None:
    message = keep(store, "I love tea.")[0]
    with store.transaction():
        store.claims.erase([message.seq])
        store.log.erase([message.seq])
    assert store.claims.keep(NAME, [message.seq], statements(message)) == 0
    assert texts(store) == []
    assert store.claims.verify() == []


def test_erasing_the_newer_claim_lets_the_older_hold_again(store: UserFile) -> None:
    old, new = keep(store, "I live in Paris.", "I live in Rome.")
    derive(store.claims, RuleExtractor())
    assert [each.is_open for each in store.claims.claims(NAME)] == [False, True]
    store.claims.erase([new.seq])
    assert [(each.seq, each.is_open) for each in store.claims.claims(NAME)] == [(old.seq, True)]


def test_links_go_with_either_of_their_claims(store: UserFile) -> None:
    old, new = keep(store, "My sister is a doctor.", "My sister left medicine.")
    derive(store.claims, RuleExtractor())
    first, second = store.claims.claims(NAME)
    store.claims.rebuild()
    newer = statements(new)[0]
    link = Link(newer=newer.key, older=first.claim_id, relation="ends")
    store.claims.keep(NAME, [old.seq, new.seq], [*statements(old), newer], [link])
    assert [each.is_open for each in store.claims.claims(NAME)] == [False, True]
    assert store.claims.claims(NAME)[0].closed_by == second.claim_id
    store.claims.erase([new.seq])
    assert [each.is_open for each in store.claims.claims(NAME)] == [True]
    with store.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM claim_link").get == 0


def test_a_rebuild_brings_the_same_claims_with_the_same_ids(store: UserFile) -> None:
    keep(store, "I love tea.", "I hate tea.", "I live in Paris.", "I live in Rome.")
    derive(store.claims, RuleExtractor())
    before = store.claims.claims(NAME)
    store.claims.rebuild()
    assert texts(store) == []
    derive(store.claims, RuleExtractor())
    assert store.claims.claims(NAME) == before


def test_a_check_finds_a_claim_that_the_words_do_not_bear_out(store: UserFile) -> None:
    keep(store, "I love tea.")
    derive(store.claims, RuleExtractor())
    assert store.claims.verify() == []
    with store.database.transaction() as connection:
        connection.execute("UPDATE claim SET kind = 'procedure'")
    assert len(store.claims.verify()) == 3
    with store.database.transaction() as connection:
        connection.execute("UPDATE claim SET stop = 99")
    assert any("does not have" in problem for problem in store.claims.verify())


def test_no_word_of_a_message_is_copied_into_the_table_of_claims(store: UserFile) -> None:
    keep(store, "I told Zebediah about the quincunx.")
    derive(store.claims, RuleExtractor())
    with store.database.reading() as connection:
        stored = str(connection.execute("SELECT * FROM claim").fetchall()).lower()
    assert "quincunx" not in stored
    assert "zebediah" not in stored
