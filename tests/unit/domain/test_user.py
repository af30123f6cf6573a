from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.domain.user import LONGEST, file_name, user, user_of
from everyword.errors import InvalidUserIdError

NASTY = st.sampled_from(
    ["..", ".", "/", "\\", "~", "%", "%2f", "+", ".db", "CON", "con", "a.", " a", "é", "e\u0301", "用戶", "🎂", "a/../b", "A", "a"]
)
USER_IDS = st.lists(NASTY | st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12), min_size=1).map("".join).filter(
    lambda text: text.strip() and len(text) <= LONGEST
)


@given(USER_IDS)
def test_a_file_name_turns_back_into_its_user(user_id: str) -> None:
    assert user_of(file_name(user(user_id))) == user_id


@given(USER_IDS)
def test_a_file_name_stays_inside_its_folder_and_is_plain(user_id: str) -> None:
    name = file_name(user(user_id))
    assert not name.is_absolute()
    assert ".." not in name.parts
    assert all(set(part) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-%+.") for part in name.parts)
    assert all(len(part) <= 200 for part in name.parts)


@given(USER_IDS, USER_IDS)
def test_two_users_have_two_files_also_where_case_is_folded(one: str, other: str) -> None:
    names = {str(file_name(user(user_id))).casefold() for user_id in (one, other)}
    assert len(names) == len({one, other})


@given(USER_IDS)
def test_no_part_of_a_file_name_is_a_device_or_another_users_folder(user_id: str) -> None:
    parts = file_name(user(user_id)).parts
    stems = {part.split(".")[0].rstrip("+") for part in parts}
    assert not stems & {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
    assert all(part.endswith("+") for part in parts[:-1])
    assert parts[-1].endswith(".db")


@pytest.mark.parametrize("user_id", ["con", "CON", "nul.txt", "com1", "x" * 60 + "é" * 20 + "con"])
def test_a_device_name_of_windows_is_written_otherwise(user_id: str) -> None:
    assert user_of(file_name(user(user_id))) == user_id


def test_a_file_name_of_a_plain_user_is_the_user() -> None:
    assert file_name(user("ana_2-b")) == PurePosixPath("ana_2-b.db")


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
