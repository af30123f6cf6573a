"""Care: stats, verify, rebuild, index, users, settings."""

from __future__ import annotations

import os
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from everyword import Memory
from everyword.cli import documents, terminal, vectors
from everyword.cli.embedder_change import change_embedder
from everyword.cli.options import Home, Json, NoIndex, User, whose
from everyword.cli.progress import Bars
from everyword.config import cache_folder, default_home


def stats(*, user: User = None, home: Home = None, as_json: Json = False) -> None:
    """Show counts, sizes, and what is not indexed yet."""
    with Memory(home, vectors="off") as memory:
        counts = memory.stats(user_id=whose(user))
    if as_json:
        terminal.write_json(documents.plain(counts))
    else:
        terminal.write_lines(f"{name.replace('_', ' '):<18}{_readable(value)}" for name, value in counts.items())


def _readable(value: Any) -> str:
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value)
        return ", ".join(f"{name} {_readable(each)}" for name, each in pairs.items()) or "none"
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def verify(*, user: User = None, home: Home = None, as_json: Json = False) -> None:
    """Check every stored byte and every derived row.

    Exit 1 where something does not agree, with each problem in a line.
    """
    with Memory(home, vectors="off") as memory:
        found = memory.verify(user_id=whose(user))
    counts = f"{found.messages:,} messages, {found.passages:,} passages, {found.vectors:,} vectors"
    if as_json:
        terminal.write_json({"ok": found.ok, **documents.plain(found)})
    elif found.ok:
        print(f"ok: {counts}")
    else:
        terminal.write_lines(found.problems)
        terminal.say(f"{len(found.problems):,} problems in {counts}; a derived row is repaired by: everyword rebuild")
    raise typer.Exit(0 if found.ok else 1)


def rebuild(
    *,
    embedder: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Change the model of all users, e.g. e5-small:int8, hf:OWNER/NAME."),
    ] = None,
    no_index: NoIndex = False,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Make the index again, or change the embedder.

    Everything derived is made again from the log. With --embedder the new vectors are built while the old ones answer,
    and the folder's settings.toml names the new model.
    """
    if embedder is not None:
        change_embedder(embedder, whose(user) if user is not None else None, home or default_home(), as_json=as_json)
        return
    named = whose(user)
    with Bars() as bars, Memory(home, vectors="off", model_progress=bars.model) as memory:
        memory.rebuild(user_id=named, progress=bars.passages)
        indexed = vectors.follow(memory, named, bars) if not no_index and vectors.are_wanted(home) else 0
        counts = memory.stats(user_id=named)
    if as_json:
        terminal.write_json({name: counts[name] for name in ("messages", "passages", "vectors", "pending_passages")})
    else:
        print(f"Rebuilt {counts['passages']:,} passages of {counts['messages']:,} messages, {indexed:,} with vectors.")


def index(*, user: User = None, home: Home = None, as_json: Json = False) -> None:
    """Compute the vectors that wait.

    It may be stopped at any time and goes on where it was.
    """
    named = whose(user)
    with Bars() as bars, Memory(home, vectors="off", model_progress=bars.model) as memory:
        indexed = memory.index(user_id=named, progress=bars.vectors)
        counts = memory.stats(user_id=named)
    if as_json:
        terminal.write_json({"indexed": indexed, **{name: counts[name] for name in ("vectors", "pending_passages")}})
    else:
        print(f"{indexed:,} passages have new vectors; {counts['vectors']:,} in all.")


def users(*, user: User = None, home: Home = None, as_json: Json = False) -> None:  # noqa: ARG001 - it may stand everywhere
    """List the users of a folder."""
    with Memory(home, vectors="off") as memory:
        known = sorted(memory.users())
    if as_json:
        terminal.write_json({"users": known})
    else:
        terminal.write_lines(known)


def settings(*, user: User = None, home: Home = None, as_json: Json = False) -> None:  # noqa: ARG001
    """Show the settings and where each comes from."""
    folder = home or default_home()
    effective = asdict(vectors.chosen(folder))
    rows = {name: {"value": value, "source": _source(name, folder)} for name, value in effective.items()}
    if as_json:
        terminal.write_json({"home": str(folder), "cache": str(cache_folder()), "settings": rows})
        return
    terminal.write_lines([f"{'home':<14}{folder}", f"{'cache':<14}{cache_folder()}"])
    terminal.write_lines(f"{name:<14}{row['value']!s:<24}{row['source']}" for name, row in rows.items())


def _source(name: str, home: Path) -> str:
    variable, file = f"EVERYWORD_{name.upper()}", home / "settings.toml"
    if variable in os.environ:
        return variable
    return str(file) if file.exists() and name in tomllib.loads(file.read_text("utf-8")) else "default"
