"""Which commands there are and where each stands: one is loaded when it is named, so that none waits for the others."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import typer
from typer.core import TyperGroup

from everyword.cli.failures import Commands

_PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "demo": ("demo:demo", ("demo",)),
    "import": (
        "words_in:import_",
        ("import ~/Downloads/chatgpt-export.zip --user me", "import ~/.claude/projects --user me --format claude-code"),
    ),
    "add": (
        "words_in:add",
        (
            'add "My spare key is with Mrs. Chou." --user me',
            "add --messages-json --user me --session s1 < turn.json",
        ),
    ),
    "search": (
        "words_out:search",
        ("search spare key --user me", "search 烏克麗麗 --user me --after 2026-03-01 --json"),
    ),
    "context": (
        "words_out:context",
        ('context "Who has my spare key?" --user me', 'context "Where were we?" --user me --session s1 --openai'),
    ),
    "explain": ("words_out:explain", ('explain "Who has my spare key?" --user me',)),
    "claims": (
        "claims:claims",
        (
            "claims --user me",
            'claims --remember "Answer in French." --kind procedure --user me',
            "claims --as-of 2026-03-01 --user me",
        ),
    ),
    "snapshots": (
        "snapshots:snapshots",
        ("snapshots --make before-import --user me", "snapshots --rollback before-import --user me"),
    ),
    "stats": ("care:stats", ("stats --user me",)),
    "health": ("health:health", ("health --user me", "health --user me --json")),
    "verify": ("care:verify", ("verify --user me",)),
    "rebuild": ("care:rebuild", ("rebuild --user me", "rebuild --embedder e5-small:int8")),
    "index": ("care:index", ("index --user me",)),
    "export": ("moves:export", ("export --user me -o me.jsonl", "export --user me | gzip > me.jsonl.gz")),
    "forget": ("moves:forget", ("forget --session s1 --user me", "forget --everything --user me --yes")),
    "backup": ("backups:backup", ("backup /mnt/backups/2026-05-22",)),
    "restore": ("backups:restore", ("restore /mnt/backups/2026-05-22 --home ./memory",)),
    "users": ("care:users", ("users",)),
    "settings": ("care:settings", ("settings", "settings --home ./memory --json")),
    "advise": (
        "advise:advise_",
        (
            "advise --preset companion",
            "advise --corpus 2M --updates daily --price 3 --questions 500",
            "advise --routes --user me",
        ),
    ),
    "hook": ("hook:hook", ("hook claude-code --user me --print-config",)),
    "mcp": ("mcp:mcp", ("mcp --user me", "mcp --user me --http --port 8731", "mcp --user me --print-config cursor")),
    "serve": ("serve:serve", ("serve", "serve --port 9000 --upstream https://api.openai.com/v1 --user me")),
    "keys": ("keys:app", ("keys add --user ana", "keys add --tenant acme --all-users", "keys list")),
    "lab": ("lab:app", ("lab --open", "lab run --strategy truncate --window 32K --json")),
    "eval": ("eval:app", ()),
}
"""Of each command where it stands in this package, and examples of it."""
_STYLE: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False, "add_completion": False}


class Program(Commands):
    """All commands, of which only the named one is loaded."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = Shelf()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature of the group
        return list(self.commands)


class Shelf(MutableMapping[str, Any]):
    """Commands by name; taking one out loads it."""

    def __init__(self) -> None:
        self._names = [name for name, (place, _) in _PLACES.items() if find_spec(_module(place))]
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            if name not in self._names:
                raise KeyError(name)
            self._loaded[name] = _loaded(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command
        self._names.append(name)

    def __delitem__(self, name: str) -> None:
        self._names.remove(name)
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _module(place: str) -> str:
    return f"everyword.cli.{place.partition(':')[0]}"


def _loaded(name: str) -> Any:
    """Return the command, made as if it stood in a program of its own."""
    place, examples = _PLACES[name]
    found = getattr(import_module(_module(place)), place.partition(":")[2])
    alone = typer.Typer(**_STYLE)
    alone.callback()(lambda: None)
    epilog = _example(*examples) if examples else None
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name, epilog=epilog)
    else:
        alone.command(name, epilog=epilog)(found)
    group = typer.main.get_command(alone)
    assert isinstance(group, TyperGroup)  # noqa: S101 - it has a callback
    return group.commands[name]


def _example(*lines: str) -> str:
    return "\n".join(["\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  everyword {line}" for line in lines)])
