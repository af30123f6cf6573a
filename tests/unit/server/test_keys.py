from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from everyword.errors import InvalidInputError, NotFoundError, StorageError, UnknownKeyError
from everyword.server.keys import FILE, KeyRing


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path)


def test_a_key_is_found_by_its_text(ring: KeyRing) -> None:
    key, text = ring.add(tenant="acme", user="ana", label="phone", rate=30)
    assert ring.find(text) == key
    assert (key.kind, key.tenant, key.user, key.label, key.rate) == ("user", "acme", "ana", "phone", 30)


def test_the_text_of_a_key_is_in_no_file(ring: KeyRing, tmp_path: Path) -> None:
    _, text = ring.add(user="ana")
    secret = text[16:]
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"ana" in stored
    assert text.encode() not in stored
    assert secret.encode() not in stored


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_the_owner_reads_the_file(ring: KeyRing) -> None:
    ring.add(user="ana")
    assert stat.S_IMODE(ring.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change", [lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"), lambda text: text + "A"]
)
def test_a_key_that_is_nearly_right_is_unknown(ring: KeyRing, change) -> None:
    _, text = ring.add(user="ana")
    with pytest.raises(UnknownKeyError):
        ring.find(change(text))


@pytest.mark.parametrize("text", ["", "ew_", "ew_000000000000_" + "A" * 43, "sk-1", "ew_'; DROP TABLE api_key;--"])
def test_what_is_no_key_is_unknown(ring: KeyRing, text: str) -> None:
    ring.add(user="ana")
    with pytest.raises(UnknownKeyError):
        ring.find(text)


def test_a_revoked_key_is_unknown_at_once_and_stays_in_the_list(ring: KeyRing) -> None:
    key, text = ring.add(user="ana")
    ring.revoke(key.key_id)
    with pytest.raises(UnknownKeyError):
        ring.find(text)
    assert [each.is_active for each in ring.listed()] == [False]
    assert ring.has_keys()
    with pytest.raises(NotFoundError):
        ring.revoke(key.key_id)
    with pytest.raises(NotFoundError):
        ring.rotate(key.key_id)


def test_a_rotated_key_has_a_new_text_and_opens_the_same(ring: KeyRing) -> None:
    key, old = ring.add(user="ana")
    again, new = ring.rotate(key.key_id)
    assert again == key
    assert ring.find(new) == key
    with pytest.raises(UnknownKeyError):
        ring.find(old)


def test_the_old_text_holds_while_it_is_allowed_to_and_no_longer(ring: KeyRing) -> None:
    key, old = ring.add(user="ana")
    ring.rotate(key.key_id, grace_s=60)
    assert ring.find(old) == key
    ring.rotate(key.key_id, grace_s=-1)
    with pytest.raises(UnknownKeyError):
        ring.find(old)


def test_a_revoked_key_has_no_old_text_either(ring: KeyRing) -> None:
    key, old = ring.add(user="ana")
    ring.rotate(key.key_id, grace_s=60)
    ring.revoke(key.key_id)
    with pytest.raises(UnknownKeyError):
        ring.find(old)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"metrics": True, "user": "ana"},
        {"tenant": "acme/beta"},
        {"tenant": "Acme"},
        {"tenant": ""},
        {"tenant": "acme", "user": ""},
        {"user": "a" * 200},
        {"user": "acme/ana"},
    ],
)
def test_a_key_of_nobody_or_of_two_is_not_made(ring: KeyRing, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        ring.add(**wrong)  # type: ignore[arg-type]
    assert not ring.has_keys()


def test_no_file_is_made_by_asking(ring: KeyRing, tmp_path: Path) -> None:
    assert not ring.has_keys()
    assert ring.listed() == []
    with pytest.raises(UnknownKeyError):
        ring.find("ew_000000000000_" + "A" * 43)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_opens_nothing(ring: KeyRing, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    with pytest.raises(StorageError):
        ring.has_keys()
    with pytest.raises(StorageError):
        ring.find("ew_000000000000_" + "A" * 43)
