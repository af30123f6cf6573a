"""The page of a memory at `/`: files of `page/`, served as they are, which speak to the same server and to nobody else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from everyword.errors import NotFoundError

_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""No text can become markup or a script: browsers that know trusted types refuse it whatever the page's code does."""
_SECURE = {"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asset:
    """One file of the page, as it goes out."""

    body: bytes
    kind: str
    policy: str | None = None

    @property
    def tag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    def answer(self, known: str | None) -> Response:
        """Return the file, or only that the browser has it already."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache", **_SECURE}
        if self.policy is not None:
            headers["Content-Security-Policy"] = self.policy
        if known == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.body, media_type=self.kind, headers=headers)


def routes(lab_page: bytes | None) -> APIRouter:
    """Return what serves the page, and the page of the context window lab where there is one."""
    router = APIRouter(include_in_schema=False)
    assets = _assets()
    start = _start(assets, has_lab=lab_page is not None)
    lab = None if lab_page is None else _Asset(body=lab_page, kind="text/html")

    @router.get("/")
    async def page(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return start.answer(request.headers.get("If-None-Match"))

    @router.get("/page/{name}")
    async def asset(name: str, request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        if name not in assets:
            raise NotFoundError(f"The page has no file {name!r}.")
        return assets[name].answer(request.headers.get("If-None-Match"))

    @router.get("/lab")
    async def lab_at(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        if lab is None:
            raise NotFoundError("This server has no lab: `everyword lab --open` shows it.")
        return lab.answer(request.headers.get("If-None-Match"))

    return router


def _assets() -> dict[str, _Asset]:
    """Return the files by name."""
    folder = files("everyword.server").joinpath("page")
    return {
        each.name: _Asset(body=each.read_bytes(), kind=_KINDS[each.name.rpartition(".")[2]])
        for each in sorted(folder.iterdir(), key=lambda each: each.name)
        if each.name.rpartition(".")[2] in _KINDS
    }


def _start(assets: dict[str, _Asset], *, has_lab: bool) -> _Asset:
    """Take out the first file; it names the modules, so that the browser asks for all of them at once."""
    modules = [name for name in assets if name.endswith(".js")]
    preloads = "\n".join(f'<link rel="modulepreload" href="/page/{name}">' for name in modules)
    text = assets.pop("index.html").body.decode().replace("<!-- modules -->", preloads)
    text = text.replace('data-lab=""', 'data-lab="/lab"') if has_lab else text
    return _Asset(body=text.encode(), kind="text/html", policy=_POLICY)
