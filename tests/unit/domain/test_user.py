from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.domain.user import LONGEST, file_name, user, user_of
from everyword.errors import InvalidUserIdError

NASTY = st.sampled_from(
    [
        "..",
        ".",
        "/",
        "\\",
        "~",
        "%",
        "%2f",
        "+",
        ".db",
        "CON",
        "con",
        "a.",
        " a",
        "é",
        "e\u0301",
        "用戶",
        "🎂",
        "a/../b",
        "A",
        "a",
    ]
)
USER_IDS = (
    st.lists(NASTY | st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12), min_size=1)
    .map("".join)
    .filter(lambda text: text.strip() and len(text) <= LONGEST)
)


@given(USER_IDS)
def test_a_file_name_turns_back_into_its_user_unless_it_is_too_long(user_id: str) -> None:
    name = file_name(user(user_id))
    assert user_of(name) == user_id or (user_of(name) is None and len(name) > 100)


@given(USER_IDS)
def test_a_file_name_is_one_plain_name(user_id: str) -> None:
    name = file_name(user(user_id))
    assert set(name.removesuffix(".db")) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-%~")
    assert name.endswith(".db")
    assert len(name) <= 160


@given(USER_IDS, USER_IDS)
def test_two_users_have_two_files_also_where_case_is_folded(one: str, other: str) -> None:
    names = {file_name(user(user_id)).casefold() for user_id in (one, other)}
    assert len(names) == len({one, other})


@given(st.text("é用🎂Aa", min_size=40, max_size=128), st.text("é用🎂Aa", min_size=40, max_size=128))
def test_two_users_with_long_names_have_two_files(one: str, other: str) -> None:
    assert len({file_name(user(one)), file_name(user(other))}) == len({one, other})


@pytest.mark.parametrize("user_id", ["con", "CON", "nul", "nul.txt", "com1", "lpt9 x", "aux-", "conx"])
def test_no_file_name_is_a_device_of_windows(user_id: str) -> None:
    name = file_name(user(user_id))
    assert user_of(name) == user_id
    assert name.split(".")[0] not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


def test_a_file_name_of_a_plain_user_is_the_user() -> None:
    assert file_name(user("ana_2-b")) == "ana_2-b.db"


@pytest.mark.parametrize("user_id", ["a", " a ", "a" * LONGEST, "../../etc/passwd", "用戶", "🎂", "a\u202eb"])
def test_what_names_somebody_is_a_user_id(user_id: str) -> None:
    assert user(user_id) == user_id


@pytest.mark.parametrize("user_id", ["", " ", "\t\n", "a" * (LONGEST + 1), "a\x00b", "a\nb", "\ud800", "\x7f"])
def test_what_names_nobody_is_refused(user_id: str) -> None:
    with pytest.raises(InvalidUserIdError):
        user(user_id)


@pytest.mark.parametrize("user_id", [None, 1, b"ana", ["ana"], True])
def test_a_user_id_that_is_no_text_is_refused(user_id: Any) -> None:
    with pytest.raises(InvalidUserIdError, match="whose memory"):
        user(user_id)
