"""Whose memories there are, as far as the caller may know: a page offers them for choice."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from everyword.server.access import nameable
from everyword.server.keys import Key
from everyword.server.rest import REFUSALS
from everyword.server.serving import Served, key_of
from everyword.server.wire import MOST_LISTED, UsersReply

routes = APIRouter(prefix="/v1/users", tags=["memory"], responses=REFUSALS)


@routes.get("")
def list_users(serving: Served, key: Annotated[Key | None, Depends(key_of)]) -> UsersReply:
    """List the users that the caller may name: of a tenant its own, of a user's key that one."""
    found = nameable(key, serving.memory.users())
    return UsersReply(
        results=sorted(found)[:MOST_LISTED],
        default=serving.default_user if key is None else key.user,
        is_fixed=key is not None and key.kind == "user",
        needs_key=not serving.is_open(),
    )
