"""One self-contained page from the modules under page/: no network, no build step for whoever opens it.

`everyword lab build -o src/everyword/lab/index.html` writes the one that is kept beside this file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

from everyword.lab.conversation import Conversation

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:const|function\*?|async function\*?) (\w+))", re.MULTILINE)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ENTRY = "app"


def page(talk: Conversation, *, served: dict[str, Any] | None = None) -> str:
    """Return index.html over a conversation; `served` tells the page what the program behind it can do."""
    script = f'"use strict";\n{bundle(_ENTRY)}'
    style = source("style.css")
    filled = {
        "POLICY": _policy(script, style, is_served=served is not None),
        "STYLE": style,
        "CONVERSATION": _as_data(talk.document()),
        "SERVED": _as_data(served),
        "SCRIPT": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda hole: filled[hole[1]], source("template.html"))


def source(name: str) -> str:
    """Return a file of page/."""
    return files("everyword.lab").joinpath("page", name).read_text("utf-8")


def bundle(entry: str) -> str:
    """Return a module with all that it imports, those first, as one classic script.

    Each module keeps a scope of its own; its exports are the fields of one constant that is named like it.
    """
    return "\n".join(_scoped(name) for name in _in_order(entry, []))


def _in_order(name: str, before: list[str]) -> list[str]:
    for _, wanted in _IMPORT.findall(source(f"{name}.js")):
        if wanted not in before:
            before = _in_order(wanted, before)
    return before if name in before else [*before, name]


def _scoped(name: str) -> str:
    text = source(f"{name}.js")
    exports = ", ".join(exported for _, exported in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = $\2;", text)).strip()
    return f"// ---- {name}.js ----\nconst ${name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"


def _as_data(value: Any) -> str:
    """Return JSON that cannot end the element that it stands in."""
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _policy(script: str, style: str, *, is_served: bool) -> str:
    """Return what the page may load: its own script and style, and where it is served, answers of its server."""
    asked = "'self'" if is_served else "'none'"
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        f"connect-src {asked}; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
