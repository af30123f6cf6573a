"""What a running server has at hand, and how a request finds its key and its user."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Header, Request, Security
from fastapi.security import HTTPBearer
from starlette.responses import JSONResponse

from everyword.config import Settings
from everyword.domain.message import UserId
from everyword.errors import ForbiddenError
from everyword.server import failures
from everyword.server.access import USER_HEADER, caller, named_user, whose
from everyword.server.connection import ARRIVAL_S, UNREAD_S
from everyword.server.keys import Key, KeyRing
from everyword.server.limits import RateLimits
from everyword.server.listing import ListedMemory
from everyword.server.metrics import Metrics
from everyword.server.recollection import Recollections

if TYPE_CHECKING:
    import httpx


@dataclass(slots=True, kw_only=True)
class Serving:
    """One server, as its routes see it."""

    memory: ListedMemory
    settings: Settings
    ring: KeyRing
    is_public: bool = False
    """Whether other machines can reach it: then nothing is served without a key."""
    default_user: str | None = None
    """Whose memory it is where nobody is named and no key is needed."""
    lab_page: bytes | None = None
    """The page of the context window lab; None: this server has none."""
    upstream_key: str | None = None
    upstream: httpx.AsyncClient | None = None
    """None: the proxy has nowhere to send requests."""
    limits: RateLimits = field(default_factory=RateLimits)
    metrics: Metrics = field(default_factory=Metrics)
    recollections: Recollections = field(default_factory=Recollections)
    arrival_s: float = ARRIVAL_S
    """Seconds that a client may take to send its headers, and again its body."""
    unread_s: float = UNREAD_S
    """Seconds that a client may leave an answer unread."""
    is_stopping: bool = False

    def is_open(self) -> bool:
        """Tell whether requests need no key."""
        return not self.is_public and not self.ring.has_keys()

    async def close(self) -> None:
        """End what it holds."""
        self.is_stopping = True
        if self.upstream is not None:
            await self.upstream.aclose()
        self.memory.close()


class Json(JSONResponse):
    """JSON that also takes lone surrogates."""

    def render(self, content: Any) -> bytes:
        return failures.as_bytes(content)


_BEARER = HTTPBearer(auto_error=False, description="A key of `everyword keys add`. Not needed where none was made.")


async def serving_of(request: Request) -> Serving:
    """Return the server that a request came to."""
    return request.app.state.serving


Served = Annotated[Serving, Depends(serving_of)]


def key_of(request: Request, serving: Served, _bearer: Annotated[Any, Security(_BEARER)] = None) -> Key | None:
    """Return the key of a request, counted against its rate. Raise UnknownKeyError, TooManyRequestsError."""
    key = caller(request.headers, serving.ring, is_public=serving.is_public)
    if key is not None:
        request.state.key_id = key.key_id
        serving.limits.take(key.key_id, serving.settings.serve_rate if key.rate is None else key.rate)
    return key


async def user_of(
    request: Request,
    serving: Served,
    key: Annotated[Key | None, Depends(key_of)],
    _named: Annotated[
        str | None,
        Header(
            alias=USER_HEADER, description="Whose memory; with a tenant's key required, with a user's key not needed."
        ),
    ] = None,
) -> UserId:
    """Return whose memory a request is about. Raise ForbiddenError, InvalidInputError."""
    return whose(key, named_user(request.headers.getlist(USER_HEADER)), default=serving.default_user)


async def metrics_key_of(key: Annotated[Key | None, Depends(key_of)]) -> None:
    """Let only the operator read the metrics. Raise ForbiddenError."""
    if key is not None and key.kind != "metrics":
        raise ForbiddenError("The metrics tell of all users: make a key with `everyword keys add --metrics`.")


Whose = Annotated[UserId, Depends(user_of)]
