"""The written material of each language: what people say, ask and answer, as TOML files beside this module.

Chinese is written in Traditional characters with the words of Taiwan. OpenCC gives the Simplified characters, and a table
of ours (`mainland.toml`) the words of the mainland, so that both scripts have the same lines in the same order.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from everyword.errors import InvalidInputError

_PACKAGE = "everyword.evals.generated"
LANGUAGES = ("en", "zh-Hant", "zh-Hans")
OTHER_SCRIPT = {"zh-Hant": "zh-Hans", "zh-Hans": "zh-Hant"}
ROLES = ("user", "assistant", "tool")
_FOLDERS = {"en": "en", "zh-Hant": "zh", "zh-Hans": "zh"}
_ALTERNATIVES = ";;"
_COLUMN = " | "
_ITEM = ";"


def known_language(language: str) -> str:
    """Return the language. Raise InvalidInputError that names the known ones."""
    if language not in LANGUAGES:
        raise InvalidInputError(f"No generated text in {language!r}: choose one of {', '.join(LANGUAGES)}.")
    return language


@cache
def stock(language: str, name: str) -> Mapping[str, Any]:
    """Return one file of a language, such as `asides`."""
    text = files(_PACKAGE).joinpath("stock", _FOLDERS[language], f"{name}.toml").read_text("utf-8")
    return tomllib.loads(simplified(text) if language == "zh-Hans" else text)


def simplified(text: str) -> str:
    """Return Traditional Chinese of Taiwan in the characters and words of the mainland."""
    words = _mainland()
    return _any_of(tuple(words)).sub(lambda word: words[word.group()], _converter().convert(text))


@cache
def _converter() -> Any:
    return import_module("opencc").OpenCC("t2s")


@cache
def _mainland() -> dict[str, str]:
    table = tomllib.loads(files(_PACKAGE).joinpath("stock", "mainland.toml").read_text("utf-8"))
    return dict(line.split() for line in lines(table["words"]))


@cache
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the words, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def rows(text: str) -> list[list[str]]:
    """Return the columns of each line."""
    return [line.split(_COLUMN) for line in lines(text)]


def alternatives(text: str) -> list[str]:
    """Return the sentences that say the same."""
    return text.split(_ALTERNATIVES)


def items(text: str) -> list[str]:
    """Return the items of a list."""
    return [item.strip() for item in text.split(_ITEM)]
