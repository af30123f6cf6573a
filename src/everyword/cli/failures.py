"""How a command ends: an exit code for the shell, a message for the person, and no traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from everyword.cli import terminal
from everyword.errors import EverywordError

SKIPPED = 8
"""An import took part: some records were skipped."""
READER_GONE = 141
EXIT_CODES = """\b
Exit codes:
  0  ok                               5  a transcript cannot be read
  1  a check or the command failed    6  the disk or the database refused
  2  wrong input                      7  a model could not do its work
  3  not found                        8  imported, but some records were skipped
  4  it does not fit the budget     130  interrupted
"""


class Commands(TyperGroup):
    """The commands of one program, each of which ends with an exit code."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        if not options.pop("standalone_mode", True):
            return super().main(*arguments, standalone_mode=False, **options)

        def run() -> Any:
            return TyperGroup.main(self, *arguments, standalone_mode=False, **options)

        given: Sequence[str] | None = options.get("args", arguments[0] if arguments else None)
        return sys.exit(exit_code(run, as_json=asks_for_json(given)))

    def invoke(self, ctx: Any) -> Any:
        try:
            try:
                super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except BrokenPipeError as error:
            terminal.mute()
            raise typer.Exit(READER_GONE) from error


def asks_for_json(args: Sequence[str] | None) -> bool:
    """Tell whether --json is among the options, even where they cannot be parsed."""
    given = list(sys.argv[1:] if args is None else args)
    return "--json" in (given[: given.index("--")] if "--" in given else given)


def exit_code(command: Callable[[], Any], *, as_json: bool) -> int:
    """Run a command and return how it ended."""
    terminal.prepare()
    try:
        ended = command()
    except EverywordError as error:
        return failed(error, str(error), error.exit_code, as_json=as_json)
    except typer.TyperException as error:
        return failed(error, usage(error), error.exit_code, as_json=as_json)
    except typer.Abort as error:
        return failed(error, "stopped; nothing was done.", 1, as_json=as_json)
    except OSError as error:
        return failed(error, f"{error.filename or 'the system'}: {error.strerror or error}", 1, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the last place that can tell the person
        reason = f"unexpected {type(error).__name__}: {error} (EVERYWORD_DEBUG=1 shows where)"
        return failed(error, reason, 1, as_json=as_json)
    return ended if isinstance(ended, int) else 0


def failed(error: BaseException, message: str, code: int, *, as_json: bool) -> int:
    """Tell why a command failed; return the code."""
    if os.environ.get("EVERYWORD_DEBUG", "0") not in ("", "0"):
        traceback.print_exception(error)
    tell(error, message, as_json=as_json)
    return code


def tell(error: BaseException, message: str, *, as_json: bool) -> None:
    """Put an error on stderr, in the form that was asked for."""
    if as_json:
        document = {"error": {"type": type(error).__name__, "message": message}}
        print(terminal.as_json(document), file=sys.stderr)
    else:
        terminal.say(f"everyword: {message}")


def usage(error: typer.TyperException) -> str:
    """Return what is wrong with the command line, and where its help is."""
    context = getattr(error, "ctx", None)
    message = error.format_message()
    return f"{message}\nTry '{context.command_path} --help'." if context is not None else message
