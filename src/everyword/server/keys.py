"""API keys: made once, shown once, stored as digests, each bound to one user, one tenant, or the metrics."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from everyword.domain.user import user as checked_user
from everyword.errors import InvalidInputError, NotFoundError, StorageError, UnknownKeyError

Kind = Literal["user", "tenant", "metrics"]
FILE = "keys.db"
PREFIX = "ew_"
TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_SHOWN = re.compile(r"ew_[0-9a-f]{12}_[A-Za-z0-9_-]*")
_SHAPE = re.compile(r"ew_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_COLUMNS = "id, kind, tenant, user, label, rate, created_s, revoked_s"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS api_key (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, tenant TEXT, user TEXT, label TEXT, rate INTEGER, created_s REAL NOT NULL,
    revoked_s REAL, digest BLOB NOT NULL, old_digest BLOB, old_until_s REAL
) STRICT
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key, without its secret."""

    key_id: str
    kind: Kind
    tenant: str | None
    user: str | None
    """The user of a `user` key, as the tenant names them."""
    label: str | None = None
    rate: int | None = None
    """Requests a minute; None: as the settings say."""
    created_s: float = 0.0
    revoked_s: float | None = None

    @property
    def is_active(self) -> bool:
        """Tell whether the key opens anything."""
        return self.revoked_s is None


class KeyRing:
    """The keys of one memory folder. Every question reads the file, so that a revoked key is refused at once."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE

    def add(
        self,
        *,
        tenant: str | None = None,
        user: str | None = None,
        metrics: bool = False,
        label: str | None = None,
        rate: int | None = None,
    ) -> tuple[Key, str]:
        """Make a key and return it with its text, which is stored nowhere. Raise InvalidInputError."""
        kind = _kind(tenant, user, metrics=metrics)
        key_id, text = _fresh(secrets.token_hex(6))
        row = (key_id, kind, tenant, user, label, rate, time.time(), _digest(text))
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO api_key (id, kind, tenant, user, label, rate, created_s, digest) VALUES (?,?,?,?,?,?,?,?)",
                row,
            )
        return self._named(key_id), text

    def rotate(self, key_id: str, *, grace_s: float = 0.0) -> tuple[Key, str]:
        """Give a key a new text; the old one holds for `grace_s` more. Raise NotFoundError for one that is not active."""
        _, text = _fresh(key_id)
        with self._writing() as connection:
            changed = connection.execute(
                "UPDATE api_key SET old_digest = digest, old_until_s = ?, digest = ? WHERE id = ? AND revoked_s IS NULL",
                (time.time() + grace_s, _digest(text), key_id),
            ).rowcount
        if not changed:
            raise NotFoundError(f"There is no active key {key_id!r}: `everyword keys list` shows them.")
        return self._named(key_id), text

    def revoke(self, key_id: str) -> Key:
        """Close a key for good. Raise NotFoundError for one that is not active."""
        with self._writing() as connection:
            changed = connection.execute(
                "UPDATE api_key SET revoked_s = ?, old_digest = NULL WHERE id = ? AND revoked_s IS NULL",
                (time.time(), key_id),
            ).rowcount
        if not changed:
            raise NotFoundError(f"There is no active key {key_id!r}: `everyword keys list` shows them.")
        return self._named(key_id)

    def listed(self) -> list[Key]:
        """Return all keys, revoked ones too, in the order in which they were made."""
        with self._reading() as connection:
            if connection is None:
                return []
            return [_key(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM api_key ORDER BY created_s, id")]  # noqa: S608

    def has_keys(self) -> bool:
        """Tell whether a key was ever made here: from then on none of them may be missing from a request."""
        with self._reading() as connection:
            return connection is not None and connection.execute("SELECT 1 FROM api_key LIMIT 1").fetchone() is not None

    def find(self, text: str) -> Key:
        """Return the active key with this text. Raise UnknownKeyError, StorageError."""
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            raise UnknownKeyError
        query = f"SELECT {_COLUMNS}, digest, old_digest, old_until_s FROM api_key WHERE id = ? AND revoked_s IS NULL"  # noqa: S608
        with self._reading() as connection:
            row = None if connection is None else connection.execute(query, (shape[1],)).fetchone()
        if row is None:
            raise UnknownKeyError
        digest, old_digest, old_until_s = row[8:]
        given = _digest(text)
        is_old = old_digest is not None and hmac.compare_digest(given, old_digest) and time.time() < old_until_s
        if not (hmac.compare_digest(given, digest) or is_old):
            raise UnknownKeyError
        return _key(row[:8])

    def _named(self, key_id: str) -> Key:
        return next(key for key in self.listed() if key.key_id == key_id)

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self.path, timeout=10)) as connection, connection:
                connection.execute(_SCHEMA)
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"{self.path}: {error}") from error

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection | None]:
        if not self.path.exists():
            yield None
            return
        try:
            with closing(
                sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)
            ) as connection:
                yield connection
        except sqlite3.Error as error:
            raise StorageError(f"{self.path}: {error}") from error


def has_key(text: str) -> bool:
    """Tell whether a key, or the beginning of one, stands in a text."""
    return _SHOWN.search(text) is not None


def without_keys(text: str) -> str:
    """Return a text in which no key can be read."""
    return _SHOWN.sub(f"{PREFIX}…", text)


def stored_user(tenant: str | None, user: str) -> str:
    """Return the user id under which a tenant's user is stored; no two tenants share one, since no tenant has a slash."""
    return user if tenant is None else f"{tenant}/{user}"


def _kind(tenant: str | None, user: str | None, *, metrics: bool) -> Kind:
    if metrics == (tenant is not None or user is not None):
        raise InvalidInputError("Say what the key opens: a user, a tenant, a user of a tenant, or the metrics alone.")
    if tenant is not None and not TENANT.fullmatch(tenant):
        raise InvalidInputError(f"tenant={tenant!r}: use 1 to 32 of a-z, 0-9, _ and -, the first a letter or a digit.")
    if user is not None:
        checked_user(user)
        checked_user(stored_user(tenant, user))
        _refuse_hidden_tenant(tenant, user)
    return "metrics" if metrics else "tenant" if user is None else "user"


def _refuse_hidden_tenant(tenant: str | None, user: str) -> None:
    """Refuse a user without tenant whose id reads as the user of one."""
    first, slash, rest = user.partition("/")
    if tenant is None and slash and TENANT.fullmatch(first):
        raise InvalidInputError(f"user={user!r} is user {rest!r} of tenant {first!r}: name both.")


def _fresh(key_id: str) -> tuple[str, str]:
    return key_id, f"{PREFIX}{key_id}_{secrets.token_urlsafe(32)}"


def _digest(text: str) -> bytes:
    """Return what is stored. The text has 256 random bits, which no dictionary holds: a slow hash would add nothing."""
    return hashlib.sha256(text.encode()).digest()


def _key(row: tuple[str, Kind, str | None, str | None, str | None, int | None, float, float | None]) -> Key:
    key_id, kind, tenant, user, label, rate, created_s, revoked_s = row
    return Key(
        key_id=key_id,
        kind=kind,
        tenant=tenant,
        user=user,
        label=label,
        rate=rate,
        created_s=created_s,
        revoked_s=revoked_s,
    )
