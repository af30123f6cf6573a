"""`everyword keys`: API keys of the server, made, listed, replaced and revoked."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from everyword.cli import terminal
from everyword.cli.options import Home, Json, User
from everyword.config import default_home
from everyword.errors import InvalidInputError
from everyword.server.keys import Key, KeyRing, stored_user

app = typer.Typer(
    help="API keys of the server: each opens one user, one tenant, or the metrics.", rich_markup_mode=None
)

KeyId = Annotated[str, typer.Argument(metavar="ID", help="As `keys list` shows it.")]
_HOUR_S = 3600.0


@app.command()
def add(
    *,
    tenant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of this tenant: with --user or --all-users.")
    ] = None,
    all_users: Annotated[bool, typer.Option("--all-users", help="Every user of the tenant.")] = False,
    metrics: Annotated[bool, typer.Option("--metrics", help="The metrics alone.")] = False,
    label: Annotated[str | None, typer.Option(metavar="TEXT", help="What it is for.")] = None,
    rate: Annotated[int | None, typer.Option(metavar="N", min=0, help="Requests a minute; 0: no limit.")] = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Make a key. It is shown this once; what is stored cannot be turned back into it."""
    named = _named(user, tenant, all_users=all_users, metrics=metrics)
    key, text = _ring(home).add(tenant=tenant, user=named, metrics=metrics, label=label, rate=rate)
    _show_new(key, text, as_json=as_json)


@app.command("list")
def list_(*, user: User = None, home: Home = None, as_json: Json = False) -> None:  # noqa: ARG001 - it may stand everywhere
    """List the keys, without their secrets."""
    keys = _ring(home).listed()
    if as_json:
        terminal.write_json({"keys": [_document(key) for key in keys]})
    else:
        terminal.write_lines(_line(key) for key in keys)


@app.command()
def rotate(
    *,
    key_id: KeyId,
    grace: Annotated[
        float, typer.Option("--grace", metavar="HOURS", min=0, max=8760, help="How long the old one still holds.")
    ] = 0.0,
    user: User = None,  # noqa: ARG001 - it may stand everywhere
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Replace the secret of a key."""
    key, text = _ring(home).rotate(key_id, grace_s=grace * _HOUR_S)
    _show_new(key, text, as_json=as_json)


@app.command()
def revoke(*, key_id: KeyId, user: User = None, home: Home = None, as_json: Json = False) -> None:  # noqa: ARG001
    """Close a key for good; a running server refuses it from now on."""
    key = _ring(home).revoke(key_id)
    if as_json:
        terminal.write_json(_document(key))
    else:
        terminal.say(f"Key {key.key_id} opens nothing any more.")


def _named(user: str | None, tenant: str | None, *, all_users: bool, metrics: bool) -> str | None:
    """Return the user that the key is bound to; a key is never wider than was said. Raise InvalidInputError."""
    is_wide = all_users or metrics
    if is_wide and user not in (None, os.environ.get("EVERYWORD_USER")):
        raise InvalidInputError("--user makes a key of one user: leave it out, or --all-users and --metrics.")
    if all_users and tenant is None:
        raise InvalidInputError("--all-users is of a tenant: name it with --tenant.")
    if user is None and not is_wide:
        raise InvalidInputError(
            "Say what the key opens: --user ID, --tenant NAME with --user or --all-users, or --metrics."
        )
    return None if is_wide else user


def _ring(home: Any) -> KeyRing:
    return KeyRing(home or default_home())


def _show_new(key: Key, text: str, *, as_json: bool) -> None:
    if as_json:
        terminal.write_json({**_document(key), "key": text})
    else:
        print(text)
        terminal.say(f"{_line(key)}\nThis is the only time that the key is shown.")


def _document(key: Key) -> dict[str, Any]:
    return {**asdict(key), "created_s": _when(key.created_s), "revoked_s": _when(key.revoked_s)}


def _when(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _line(key: Key) -> str:
    opens = "metrics" if key.kind == "metrics" else f"tenant {key.tenant}"
    if key.user is not None:
        opens = f"user {stored_user(key.tenant, key.user)}"
    rate = "" if key.rate is None else f", {key.rate} a minute"
    state = "" if key.is_active else f", revoked {_when(key.revoked_s)}"
    label = f"  {key.label}" if key.label else ""
    return f"{key.key_id}  {opens}{rate}, made {_when(key.created_s)}{state}{label}"
