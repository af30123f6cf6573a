"""The application: routes, errors, health and metrics."""

from __future__ import annotations

import os
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from everyword import __version__
from everyword.errors import EverywordError
from everyword.server import claims, explaining, failures, page, people, prompting, proxy, rest, routing
from everyword.server.gate import Gate
from everyword.server.metrics import CONTENT_TYPE
from everyword.server.serving import Json, Served, Serving, metrics_key_of
from everyword.server.wire import ErrorReply, Health

ABOUT = "Long-term memory for AI conversations: keeps every word, finds the few that answer, packs them into a budget."
_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": rest.REFUSALS[status]["description"]} for status in (401, 403, 429)
}
"""These bring the model into the description, to which all other refusals refer."""


def application(serving: Serving) -> ASGIApp:
    """Return the ASGI application of a server."""
    url = serving.settings.upstream_url
    if url != "none":
        serving.upstream = proxy.client(url, timeout_s=float(serving.settings.upstream_timeout))
    app = FastAPI(
        title="Everyword",
        version=__version__,
        summary=ABOUT,
        default_response_class=Json,
        docs_url=None,
        redoc_url=None,
    )
    app.state.serving = serving
    app.include_router(rest.routes)
    app.include_router(claims.routes)
    app.include_router(explaining.routes)
    app.include_router(prompting.routes)
    app.include_router(routing.routes)
    app.include_router(people.routes)
    app.include_router(page.routes(serving.lab_page))
    app.include_router(proxy.routes)
    _add_health(app)
    _add_failures(app, serving)
    return Gate(
        app,
        metrics=serving.metrics,
        max_bytes=serving.settings.serve_max_bytes,
        is_open=serving.is_open,
        body_s=serving.arrival_s,
    )


def _add_health(app: FastAPI) -> None:
    @app.get("/healthz", tags=["health"])
    async def healthz() -> Health:  # pyright: ignore[reportUnusedFunction]
        """Tell that the process runs."""
        return Health(status="ok")

    @app.get("/readyz", tags=["health"], responses={503: {"model": Health, "description": "Not now."}})
    def readyz(serving: Served, response: Response) -> Health:  # pyright: ignore[reportUnusedFunction]
        """Tell whether requests can be served: the memory folder can be written and the server is not stopping."""
        if serving.is_stopping or not _is_writable(serving):
            response.status_code = 503
            return Health(status="not ready")
        return Health(status="ok")

    @app.get(
        "/metrics",
        tags=["health"],
        dependencies=[Depends(metrics_key_of)],
        responses=_REFUSED,
        response_class=PlainTextResponse,
    )
    def metrics(serving: Served) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Return counts and times in the text format of Prometheus."""

        def pending(user_id: str) -> int:
            return serving.memory.stats(user_id=user_id)["pending_passages"]

        return Response(serving.metrics.text(pending), media_type=CONTENT_TYPE)


def _is_writable(serving: Serving) -> bool:
    nearest = next((each for each in (serving.memory.home, *serving.memory.home.parents) if each.exists()), None)
    return nearest is not None and os.access(nearest, os.W_OK)


def _add_failures(app: FastAPI, serving: Serving) -> None:
    """Answer every error in one shape."""

    def of_the_tree(request: Request, error: Exception) -> Response:
        assert isinstance(error, EverywordError)  # noqa: S101 - it is registered for this class
        serving.metrics.refused(type(error).__name__)
        body = failures.document_of(error, request.state.request_id)
        return Json(body, status_code=failures.status_of(error), headers=failures.headers_of(error))

    def of_the_form(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        said = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5])
        return Json(failures.document("InvalidInputError", said, request.state.request_id), status_code=422)

    def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        kind = "NotFoundError" if error.status_code == 404 else "InvalidInputError"
        body = failures.document(kind, str(error.detail), request.state.request_id)
        headers = dict(error.headers or {})
        if error.status_code == 405:
            route = getattr(request.scope.get("route"), "path", "")
            headers["Allow"] = ", ".join(sorted(name.upper() for name in app.openapi()["paths"].get(route, ())))
        return Json(body, status_code=error.status_code, headers=headers)

    app.add_exception_handler(EverywordError, of_the_tree)
    app.add_exception_handler(RequestValidationError, of_the_form)
    app.add_exception_handler(HTTPException, of_http)
