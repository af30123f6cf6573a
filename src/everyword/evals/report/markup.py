"""Markup that cannot be broken by what it shows: every text is escaped unless it was made here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

_VOID = frozenset("br col hr input link meta wbr".split())
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Controls and lone surrogates, which no page can hold."""
Attribute = str | float | bool | None


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Content = str | None
"""Html is taken as it is, other text is escaped, None is nothing."""


def tag(element: str, /, *children: Content, **attributes: Attribute) -> Html:
    """Return an element; `class_` stands for class, `_` for a hyphen, True for an attribute without a value."""
    opened = f"<{element}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Html(opened) if element in _VOID else Html(f"{opened}{join(children)}</{element}>")


def join(parts: Iterable[Content], between: str = "") -> Html:
    return Html(between.join(part if isinstance(part, Html) else escaped(part) for part in parts if part is not None))


def escaped(text: str) -> str:
    return escape(_UNSEEN.sub("\ufffd", text), quote=True)


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{escaped(plain(value))}"'


def plain(value: str | float) -> str:
    """Return an attribute's value; a coordinate has one decimal."""
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(value)
