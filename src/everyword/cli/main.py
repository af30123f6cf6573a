"""The command line: which commands there are, and what holds for all of them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from everyword import __version__
from everyword.cli import (
    advise,
    backups,
    care,
    claims,
    demo,
    health,
    hook,
    keys,
    lab,
    mcp,
    moves,
    serve,
    snapshots,
    words_in,
    words_out,
)
from everyword.cli.failures import EXIT_CODES, Commands

app = typer.Typer(
    name="everyword",
    cls=Commands,
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _example(*lines: str) -> str:
    return "\n".join(["\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  everyword {line}" for line in lines)])


@app.callback(invoke_without_command=True)
def everyword(
    context: typer.Context,
    *,
    home: Annotated[
        Path | None,
        typer.Option(
            "--home", metavar="DIR", envvar="EVERYWORD_HOME", help="Memory folder. Default: the platform's data folder."
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="ID", envvar="EVERYWORD_USER", help="Whose memory.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Long-term memory for AI conversations: keeps every word, finds the few that answer, packs them into a budget.

    These options may stand before or after the command.
    """
    if version:
        typer.echo(f"everyword {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
    options = {"home": home, "user": user, "as_json": as_json or None}
    given = {name: each for name, each in options.items() if each is not None}
    if isinstance(context.command, TyperGroup):
        context.default_map = _inherited(context.command, given)


def _inherited(group: TyperGroup, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as defaults of every command below."""
    below = {
        name: _inherited(each, given) if isinstance(each, TyperGroup) else given
        for name, each in group.commands.items()
    }
    return {**given, **below}


app.command("demo", epilog=_example("demo"))(demo.demo)
app.command(
    "import",
    epilog=_example(
        "import ~/Downloads/chatgpt-export.zip --user me", "import ~/.claude/projects --user me --format claude-code"
    ),
)(words_in.import_)
app.command(
    "add",
    epilog=_example(
        'add "My spare key is with Mrs. Chou." --user me', "add --messages-json --user me --session s1 < turn.json"
    ),
)(words_in.add)
app.command(
    "search", epilog=_example("search spare key --user me", "search 烏克麗麗 --user me --after 2026-03-01 --json")
)(words_out.search)
app.command(
    "context",
    epilog=_example(
        'context "Who has my spare key?" --user me', 'context "Where were we?" --user me --session s1 --openai'
    ),
)(words_out.context)
app.command("explain", epilog=_example('explain "Who has my spare key?" --user me'))(words_out.explain)
app.command(
    "claims",
    epilog=_example(
        "claims --user me",
        'claims --remember "Answer in French." --kind procedure --user me',
        "claims --as-of 2026-03-01 --user me",
    ),
)(claims.claims)
app.command(
    "snapshots",
    epilog=_example("snapshots --make before-import --user me", "snapshots --rollback before-import --user me"),
)(snapshots.snapshots)
app.command("stats", epilog=_example("stats --user me"))(care.stats)
app.command("health", epilog=_example("health --user me", "health --user me --json"))(health.health)
app.command("verify", epilog=_example("verify --user me"))(care.verify)
app.command("rebuild", epilog=_example("rebuild --user me", "rebuild --embedder e5-small:int8"))(care.rebuild)
app.command("index", epilog=_example("index --user me"))(care.index)
app.command("export", epilog=_example("export --user me -o me.jsonl", "export --user me | gzip > me.jsonl.gz"))(
    moves.export
)
app.command("forget", epilog=_example("forget --session s1 --user me", "forget --everything --user me --yes"))(
    moves.forget
)
app.command("backup", epilog=_example("backup /mnt/backups/2026-05-22"))(backups.backup)
app.command("restore", epilog=_example("restore /mnt/backups/2026-05-22 --home ./memory"))(backups.restore)
app.command("users", epilog=_example("users"))(care.users)
app.command("settings", epilog=_example("settings", "settings --home ./memory --json"))(care.settings)
app.command(
    "advise",
    epilog=_example(
        "advise --preset companion",
        "advise --corpus 2M --updates daily --price 3 --questions 500",
        "advise --routes --user me",
    ),
)(advise.advise_)
app.command("hook", epilog=_example("hook claude-code --user me --print-config"))(hook.hook)
app.command(
    "mcp", epilog=_example("mcp --user me", "mcp --user me --http --port 8731", "mcp --user me --print-config cursor")
)(mcp.mcp)
app.command("serve", epilog=_example("serve", "serve --port 9000 --upstream https://api.openai.com/v1 --user me"))(
    serve.serve
)
app.add_typer(
    keys.app, name="keys", epilog=_example("keys add --user ana", "keys add --tenant acme --all-users", "keys list")
)
app.add_typer(lab.app, name="lab", epilog=_example("lab --open", "lab run --strategy truncate --window 32K --json"))

if find_spec("everyword.cli.eval"):
    app.add_typer(import_module("everyword.cli.eval").app, name="eval")
