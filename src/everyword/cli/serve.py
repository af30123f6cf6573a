"""`everyword serve`: the memory over HTTP, and the chat proxy."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

import typer

from everyword.cli import terminal
from everyword.cli.options import Home, Json, User
from everyword.config import default_home
from everyword.domain.user import user as checked
from everyword.errors import ModelMissingError

if TYPE_CHECKING:
    from everyword.server.serving import Serving

Host = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Any but 127.0.0.1 needs API keys.")]
Port = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: a free one.")]
Upstream = Annotated[str | None, typer.Option("--upstream", metavar="URL", help="Where the chat proxy sends requests.")]


def serve(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    upstream: Upstream = None,
    user: User = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Serve the memory over HTTP until it is interrupted.

    Only programs of this machine reach it, unless --host says otherwise. Without
    API keys --user is whose memory it is where a request names nobody.
    """
    with _the_extra():
        from everyword.server import listener
    folder = home or default_home()
    default_user = None if user is None else checked(user)
    where = listener.listening(host, port, folder)

    def load() -> Serving:
        with _the_extra():
            return listener.serving(
                folder,
                is_public=where.is_public,
                default_user=default_user,
                lab_page=files("everyword.lab").joinpath("index.html").read_bytes(),
                upstream_url=upstream,
            )

    def ready() -> None:
        if as_json:
            terminal.write_json({"url": where.url, "home": str(folder)})
            sys.stdout.flush()
        else:
            terminal.say(f"Memory of {folder} at {where.url}/v1, its page at {where.url}/; stop with Ctrl-C.")

    listener.serve(where, load, ready=ready)


@contextmanager
def _the_extra() -> Generator[None]:
    """Tell how to install what is there with the extra only. Raise ModelMissingError."""
    try:
        yield
    except ImportError as error:
        raise ModelMissingError(f'{error}. Install it: pip install "everyword[server]"') from error
