from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from everyword.domain.user import file_name
from everyword.errors import EverywordError, ForbiddenError, InvalidInputError, InvalidUserIdError
from everyword.server.access import given_key, header_text, nameable, named_user, whose
from everyword.server.keys import Key

HOSTILE = st.one_of(
    st.text(max_size=140),
    st.sampled_from(
        ["beta/ana", "../beta/ana", "/ana", "acme/../beta/ana", "beta%2fana", "beta\\ana", "", " ", "a\x00"]
    ),
    st.builds("{}/{}".format, st.sampled_from(["acme", "beta", "..", ""]), st.text(max_size=20)),
)
TENANTS = st.sampled_from(["acme", "beta", "acme-2", "a"])


def _key(kind: str, tenant: str | None, user: str | None) -> Key:
    return Key(key_id="0", kind=kind, tenant=tenant, user=user)  # type: ignore[arg-type]


@given(tenant=TENANTS, other=TENANTS, named=HOSTILE, theirs=HOSTILE)
def test_no_header_of_a_tenants_key_names_a_user_of_another_tenant(
    tenant: str, other: str, named: str, theirs: str
) -> None:
    try:
        mine, foreign = whose(_key("tenant", tenant, None), named), whose(_key("tenant", other, None), theirs)
    except EverywordError:
        return
    assert mine.startswith(f"{tenant}/")
    if tenant != other:
        assert mine != foreign
        assert file_name(mine).casefold() != file_name(foreign).casefold()


@given(tenant=TENANTS, named=HOSTILE, theirs=HOSTILE)
def test_two_users_of_a_tenant_share_no_file(tenant: str, named: str, theirs: str) -> None:
    key = _key("tenant", tenant, None)
    try:
        files = file_name(whose(key, named)).casefold(), file_name(whose(key, theirs)).casefold()
    except EverywordError:
        return
    assert (files[0] == files[1]) == (named == theirs)


@given(tenant=st.none() | TENANTS, named=HOSTILE)
def test_a_users_key_reaches_that_user_or_nobody(tenant: str | None, named: str) -> None:
    key = _key("user", tenant, "ana")
    expected = "ana" if tenant is None else f"{tenant}/ana"
    assert whose(key, None) == expected
    if named == "ana":
        assert whose(key, named) == expected
    else:
        with pytest.raises(ForbiddenError):
            whose(key, named)


def test_a_key_for_the_metrics_reaches_nobody() -> None:
    with pytest.raises(ForbiddenError):
        whose(_key("metrics", None, None), "ana")


@given(tenant=TENANTS, users=st.lists(HOSTILE))
def test_every_name_that_a_tenants_key_is_told_leads_to_a_stored_user_of_that_tenant(
    tenant: str, users: list[str]
) -> None:
    told = nameable(_key("tenant", tenant, None), users)
    assert [f"{tenant}/{name}" for name in told] == [
        user for user in users if user.partition("/")[0] == tenant and "/" in user
    ]


def test_a_users_key_is_told_that_user_and_one_for_the_metrics_nobody() -> None:
    stored = ["ana", "acme/ana", "acme/ben"]
    assert nameable(None, stored) == stored
    assert nameable(_key("user", "acme", "ana"), stored) == ["ana"]
    with pytest.raises(ForbiddenError):
        nameable(_key("metrics", None, None), stored)


def test_a_tenants_key_demands_a_user() -> None:
    with pytest.raises(InvalidUserIdError):
        whose(_key("tenant", "acme", None), None, default="me")


def test_without_keys_the_header_goes_before_the_default() -> None:
    assert whose(None, "ana", default="me") == "ana"
    assert whose(None, None, default="me") == "me"
    with pytest.raises(InvalidUserIdError):
        whose(None, None)


def test_a_second_user_header_is_refused_even_where_it_says_the_same() -> None:
    with pytest.raises(InvalidInputError):
        named_user(["ana", "ana"])


@given(st.text(min_size=1, max_size=50).filter(lambda text: not any(0xD800 <= ord(each) < 0xE000 for each in text)))
def test_any_user_can_be_named_percent_encoded(name: str) -> None:
    from urllib.parse import quote

    assert header_text(quote(name, safe=""), "X") == name


def test_a_header_may_be_plain_utf_8() -> None:
    assert header_text("文玲".encode().decode("latin-1"), "X") == "文玲"
    with pytest.raises(InvalidInputError):
        header_text("\xff", "X")


def test_only_a_bearer_of_ours_is_a_key() -> None:
    assert given_key(Headers({"Authorization": "Bearer ew_1"})) == "ew_1"
    assert given_key(Headers({"Authorization": "bearer  ew_1"})) == "ew_1"
    assert given_key(Headers({"Authorization": "Bearer sk-1"})) is None
    assert given_key(Headers({"Authorization": "Bearer sk-1", "X-Everyword-Key": "ew_2"})) == "ew_2"
