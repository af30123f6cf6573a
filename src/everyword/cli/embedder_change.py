"""Another embedder for a folder: written to its settings, its vectors built while the old ones answer."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everyword import Memory
from everyword.cli import terminal
from everyword.cli.progress import Bars
from everyword.errors import ModelError, ReadOnlyLogError, SettingsError

_LINE = re.compile(r"^[ \t]*embedder[ \t]*=.*$", re.MULTILINE)


def change_embedder(spec: str, user_id: str | None, home: Path, *, as_json: bool) -> None:
    """Make `spec` the embedder of the folder and compute its vectors, for one user or for all.

    Raise SettingsError for an unknown one, ModelError for one that fails; then the settings stay as they were.
    """
    with Bars() as bars, Memory(home, embedder=spec, vectors="off", model_progress=bars.model) as memory:
        chosen = memory.users() if user_id is None else [user_id]
        with _written(home / "settings.toml", spec):
            indexed = {each: _indexed(memory, each, spec, bars) for each in chosen}
        others = [each for each in memory.users() if each not in chosen]
    _report(spec, indexed, others, as_json=as_json)


def _indexed(memory: Memory, user_id: str, spec: str, bars: Bars) -> int:
    return 0 if spec == "none" else memory.index(user_id=user_id, progress=bars.vectors)


def _report(spec: str, indexed: dict[str, int], others: list[str], *, as_json: bool) -> None:
    if as_json:
        document: dict[str, Any] = {"embedder": spec, "indexed": indexed, "waiting_users": others}
        terminal.write_json(document)
    elif spec == "none":
        print("From now on messages are found by their words only.")
    else:
        took_over = (
            f"{spec} took over for {each}: {count:,} passages have new vectors." for each, count in indexed.items()
        )
        terminal.write_lines(took_over)
    if others and not as_json:
        terminal.say(f"{len(others):,} other users keep their old vectors until: everyword rebuild --embedder {spec}")
    if os.environ.get("EVERYWORD_EMBEDDER", spec) != spec:
        terminal.say("EVERYWORD_EMBEDDER is set in the environment and goes before the new setting: unset it.")


@contextmanager
def _written(file: Path, spec: str) -> Generator[None]:
    """Write the setting; put the file back as it was where the model cannot be used."""
    before = file.read_text("utf-8") if file.exists() else None
    _replace(file, _with_embedder(before or "", spec))
    try:
        yield
    except ModelError:
        _replace(file, before)
        raise


def _with_embedder(text: str, spec: str) -> str:
    """Return settings with this embedder and everything else as it was."""
    line = f"embedder = {json.dumps(spec, ensure_ascii=False)}"
    changed = _LINE.sub(lambda _: line, text, count=1) if _LINE.search(text) else f"{line}\n{text}"
    expected = tomllib.loads(text) | {"embedder": spec}
    if tomllib.loads(changed) != expected:
        raise SettingsError(f"settings.toml cannot be changed safely: write {line} in it yourself.")
    return changed


def _replace(file: Path, text: str | None) -> None:
    """Write the file whole or not at all; None removes it."""
    try:
        if text is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        fresh.write_text(text, "utf-8")
        fresh.replace(file)
    except OSError as error:
        raise ReadOnlyLogError(f"{file} cannot be written ({error.strerror}): check the folder.") from error
