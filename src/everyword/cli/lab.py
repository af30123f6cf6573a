"""`everyword lab`: the context window lab, as a page and as figures."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from everyword.cli import terminal
from everyword.cli.lab_report import (
    check_fit,
    check_summarised,
    recall_lines,
    result_lines,
    show,
    summary_lines,
    usage_lines,
)
from everyword.cli.options import Home, Json, User, whose
from everyword.cli.progress import Bars
from everyword.config import Settings as AllSettings
from everyword.config import default_home, settings
from everyword.errors import InvalidInputError

if TYPE_CHECKING:
    from everyword.lab.conversation import Conversation
    from everyword.lab.engine import Settings
    from everyword.lab.server import Means
    from everyword.memory import Memory
    from everyword.ports import LanguageModel, Progress

app = typer.Typer(
    help="The context window lab: what a full window forgets first. Without a command the page is served.",
    rich_markup_mode=None,
)

K = 1024
File = Annotated[Path | None, typer.Option("--file", metavar="FILE", help="A conversation that `import` can read.")]
Format = Annotated[str | None, typer.Option("--format", metavar="F", help="Take it as this format.")]
Session = Annotated[str | None, typer.Option("--session-id", metavar="ID", help="Only this conversation of the user.")]
FactTexts = Annotated[
    list[str] | None,
    typer.Option("--fact", metavar="QUESTION=WORDS", help="Ask this; WORDS as they were said. May be repeated."),
]
Window = Annotated[str, typer.Option("--window", metavar="N", help="Tokens, or K: 32768, 32K.")]
Turns = Annotated[int | None, typer.Option("--turns", metavar="N", help="Default: all.")]
Ratio = Annotated[str, typer.Option("--ratio", metavar="R", help="Tokens of a summary: 30% or 0.3.")]
Price = Annotated[float, typer.Option("--price", metavar="USD", help="For a million input tokens.")]
Pinned = Annotated[bool, typer.Option("--pinned", help="Keep the facts in the system prompt too.")]
Embedder = Annotated[str | None, typer.Option("--embedder", metavar="SPEC", help="Default: as in settings.")]
Llm = Annotated[str | None, typer.Option("--llm", metavar="SPEC", help="Language model. Default: as in settings.")]
LlmUrl = Annotated[str | None, typer.Option("--llm-base-url", metavar="URL", help="Its endpoint, OpenAI-compatible.")]
Port = Annotated[int, typer.Option("--port", metavar="N", help="Default: a free one.")]
Open = Annotated[bool, typer.Option("--open", help="Open it in the browser.")]
Budget = Annotated[int, typer.Option("--budget", metavar="N", help="Tokens of Everyword's memory in a request.")]


@app.callback(invoke_without_command=True)
def lab(
    context: typer.Context,
    *,
    port: Port = 0,
    open_: Open = False,
    file: File = None,
    format_: Format = None,
    session_id: Session = None,
    fact: FactTexts = None,
    user: User = None,
    home: Home = None,
) -> None:
    """Serve the page where no command is named."""
    if context.invoked_subcommand is not None:
        _hand_down(context)
        return
    talk = _talk(context, file, format_, user, home, session_id, fact)
    _serve(talk, _means(home), port=port, is_opened=open_)


def _hand_down(context: typer.Context) -> None:
    """Give what stands before the command to the command."""
    given = {
        name: value
        for name, value in context.params.items()
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    }
    if isinstance(context.command, TyperGroup):
        before: Mapping[str, Any] = context.default_map or {}
        context.default_map = {name: {**before.get(name, {}), **given} for name in context.command.commands}


@app.command("serve")
def serve(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    port: Port = 0,
    open_: Open = False,
    file: File = None,
    format_: Format = None,
    session_id: Session = None,
    fact: FactTexts = None,
    budget: Budget = 1500,
    embedder: Embedder = None,
    llm: Llm = None,
    llm_base_url: LlmUrl = None,
    user: User = None,
    home: Home = None,
) -> None:
    """Serve the page on this machine, over the lab's conversation or one of your own.

    The served page also measures: real token counts, real summaries, and what Everyword would send.
    """
    talk = _talk(context, file, format_, user, home, session_id, fact)
    means = _means(home, embedder=embedder, llm=llm, llm_base_url=llm_base_url, budget=budget)
    _serve(talk, means, port=port, is_opened=open_)


@app.command("build")
def build(
    context: typer.Context,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")],
    file: File = None,
    format_: Format = None,
    session_id: Session = None,
    fact: FactTexts = None,
    user: User = None,
    home: Home = None,
) -> None:
    """Write the page as one file that opens by double click. It holds the conversation that it shows."""
    from everyword.lab.join import page

    written = page(_talk(context, file, format_, user, home, session_id, fact))
    output.write_text(written, encoding="utf-8", newline="\n")
    terminal.say(f"{output} written; open it in a browser.")


@app.command("run")
def run(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    strategy: Annotated[
        Literal["truncate", "summary", "full", "everyword"], typer.Option("--strategy", help="What is sent.")
    ] = "truncate",
    window: Window = "32K",
    turns: Turns = None,
    ratio: Ratio = "30%",
    price: Price = 2.5,
    cached_price: Annotated[
        float | None, typer.Option("--cached-price", metavar="USD", help="For input that repeats a beginning.")
    ] = None,
    pinned: Pinned = False,
    budget: Budget = 1500,
    embedder: Embedder = None,
    file: File = None,
    format_: Format = None,
    session_id: Session = None,
    fact: FactTexts = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Print what one strategy sends, forgets and costs.

    `everyword` is what `everyword context` would send, from a memory of the conversation.
    """
    from everyword.lab.engine import run as result_of

    talk = _talk(context, file, format_, user, home, session_id, fact)
    chosen = _settings(talk, window, turns, ratio, price, cached_price, is_pinned=pinned)
    if strategy == "everyword":
        show(_recalled(talk, chosen, home, embedder, budget), recall_lines, as_json=as_json)
        return
    result = result_of(talk, _with_strategy(chosen, strategy))
    show(result.document(), lambda _: result_lines(talk, result), as_json=as_json)
    check_fit(talk, result)


@app.command("summary")
def summary(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    summariser: Annotated[
        Literal["extractive", "model"], typer.Option("--summariser", help="Sentences without a model, or a model.")
    ] = "extractive",
    compact_to: Annotated[
        str, typer.Option("--compact-to", metavar="R", help="Share of the window that a summary leaves filled.")
    ] = "100%",
    window: Window = "8K",
    turns: Turns = None,
    ratio: Ratio = "10%",
    price: Price = 2.5,
    pinned: Pinned = False,
    llm: Llm = None,
    llm_base_url: LlmUrl = None,
    file: File = None,
    format_: Format = None,
    session_id: Session = None,
    fact: FactTexts = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure what real summaries leave of the facts, in place of the ideal one."""
    from everyword.lab.compaction import compact

    talk = _talk(context, file, format_, user, home, session_id, fact)
    chosen = _with_strategy(_settings(talk, window, turns, ratio, price, None, is_pinned=pinned), "summary")
    means = _means(home, llm=llm, llm_base_url=llm_base_url)
    with _bar("turns") as progress:
        found = compact(
            talk,
            chosen,
            means.summariser(summariser),
            compact_to=_share(compact_to, "--compact-to"),
            progress=progress,
        )
    show(found.document(), summary_lines, as_json=as_json)
    check_summarised(found)


@app.command("usage")
def usage(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    strategy: Annotated[
        Literal["truncate", "summary", "full"], typer.Option("--strategy", help="What is sent.")
    ] = "truncate",
    every: Annotated[int, typer.Option("--every", min=1, metavar="N", help="Send the request of every N turns.")] = 10,
    window: Window = "32K",
    turns: Turns = None,
    ratio: Ratio = "30%",
    pinned: Pinned = False,
    llm: Llm = None,
    llm_base_url: LlmUrl = None,
    file: File = None,
    format_: Format = None,
    session_id: Session = None,
    fact: FactTexts = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Send the conversation to a real endpoint; print the input tokens that it reports beside the estimate.

    After the last turn every fact is asked for, and the answers are checked.
    """
    from everyword.lab.summarisers import ExtractiveSummariser
    from everyword.lab.usage import reported

    talk = _talk(context, file, format_, user, home, session_id, fact)
    chosen = _with_strategy(_settings(talk, window, turns, ratio, 0.0, None, is_pinned=pinned), strategy)
    means = _means(home, llm=llm, llm_base_url=llm_base_url)
    with _bar("requests") as progress:
        found = reported(talk, chosen, means.named_model(), ExtractiveSummariser(), every=every, progress=progress)
    show(found.document(), usage_lines, as_json=as_json)


# ---- which conversation ----


def _talk(
    context: typer.Context,
    file: Path | None,
    format_: str | None,
    user: str | None,
    home: Path | None,
    session_id: str | None,
    facts: list[str] | None,
) -> Conversation:
    """Return the conversation of the file, of the user who was named on the command line, or the lab's own."""
    from everyword.assembly import Memory
    from everyword.lab import own
    from everyword.lab.conversation import script

    if file is not None:
        talk = own.of_file(file, format=format_)
    elif session_id is not None or _is_on_the_line(context, "user"):
        with Memory(home, vectors="off") as memory:
            talk = own.of_user(memory, whose(user), session_id)
    else:
        talk = script()
    return own.with_facts(talk, facts or [])


def _is_on_the_line(context: Any, name: str) -> bool:
    """Tell whether an option was typed, before or after the command; a variable of the environment is not enough."""
    while context is not None:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            return True
        context = context.parent
    return False


# ---- which settings ----


def _settings(
    talk: Conversation,
    window: str,
    turns: int | None,
    ratio: str,
    price: float,
    cached_price: float | None,
    *,
    is_pinned: bool,
) -> Settings:
    from everyword.lab.engine import Settings

    return Settings(
        window=_window(window),
        turns=talk.turns if turns is None else turns,
        ratio=_share(ratio, "--ratio"),
        price=price,
        cached_price=cached_price,
        pinned=is_pinned,
    )


def _with_strategy(chosen: Settings, strategy: Literal["truncate", "summary", "full"]) -> Settings:
    return replace(chosen, strategy=strategy)


def _window(text: str) -> int:
    number = text.strip().upper()
    times = K if number.endswith("K") else 1
    try:
        return round(float(number.removesuffix("K")) * times)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f"--window {text!r}: give tokens or K, for example 32768 or 32K.") from error


def _share(text: str, option: str) -> float:
    """Return 0.3 for `0.3`, `30%` and `30`."""
    number = text.strip().removesuffix("%")
    try:
        share = float(number)
    except ValueError as error:
        raise InvalidInputError(f"{option} {text!r}: give a share, for example 30% or 0.3.") from error
    return share / 100 if share > 1 or number != text.strip() else share


# ---- what measures ----


def _means(
    home: Path | None,
    *,
    embedder: str | None = None,
    llm: str | None = None,
    llm_base_url: str | None = None,
    budget: int = 1500,
) -> Means:
    from everyword.lab.server import Means

    chosen = settings(home or default_home(), embedder=embedder, llm=llm, llm_base_url=llm_base_url)
    return Means(open_memory=_opening(chosen), model=_language_model(chosen, home), budget=budget)


def _language_model(chosen: AllSettings, home: Path | None) -> LanguageModel | None:
    from everyword.assembly import language_model_of

    return language_model_of(chosen, home or default_home())


def _opening(chosen: AllSettings, bars: Bars | None = None) -> Callable[[], AbstractContextManager[Memory]]:
    """Return what opens an empty memory with the models of the settings; it is gone afterwards."""

    @contextmanager
    def opened() -> Generator[Memory]:
        from everyword.assembly import Memory
        from everyword.lab.evidence import COUNTER

        shown = None if bars is None else bars.model
        with (
            TemporaryDirectory(prefix="everyword-lab-") as folder,
            Memory(
                folder,
                embedder=chosen.embedder,
                reranker=chosen.reranker,
                counter=COUNTER,
                vectors="off",
                model_progress=shown,
            ) as memory,
        ):
            yield memory

    return opened


def _recalled(
    talk: Conversation, chosen: Settings, home: Path | None, embedder: str | None, budget: int
) -> dict[str, Any]:
    from everyword.lab.evidence import recalled

    named = settings(home or default_home(), embedder=embedder)
    with (bars := Bars()), _opening(named, bars)() as memory, _bar("turns") as progress:
        return recalled(talk, chosen, memory, budget=budget, progress=progress).document()


@contextmanager
def _bar(unit: str) -> Generator[Progress]:
    """Yield what shows how far the work is, on stderr where a person sees it."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Shown

    with Shown(console=Console(file=sys.stderr), transient=True) as shown:
        task = shown.add_task(unit, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _serve(talk: Conversation, means: Means, *, port: int, is_opened: bool) -> None:
    from everyword.lab.server import HOST, serving

    with serving(talk, means, port=port) as server:
        address = f"http://{HOST}:{server.server_port}/"
        terminal.write_lines([address])
        terminal.say("The lab is served on this machine alone. Ctrl-C ends it.")
        if is_opened:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            terminal.say("Ended.")
