from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everyword.claims
import everyword.text
from everyword.text.expression import expression

WORDS = r"(?P<first>[a-c]+)|\d"
_AT_THE_START = """
import re
compiled = []
compile_, re.compile = re.compile, lambda pattern, flags=0: compiled.append(str(pattern)) or compile_(pattern, flags)
from everyword.claims import triples
assert not any("kitten" in each for each in compiled), "a pattern of the module was compiled"
triples.relates_others("Rex is Mia's dog")
assert any("kitten" in each for each in compiled), "the pattern that was used was not compiled"
"""


@given(st.text("abcXYZ 012"))
def test_it_finds_what_a_compiled_pattern_finds(text: str) -> None:
    lazy, compiled = expression(WORDS, re.IGNORECASE), re.compile(WORDS, re.IGNORECASE)
    assert [each.span("first") for each in lazy.finditer(text)] == [
        each.span("first") for each in compiled.finditer(text)
    ]
    assert lazy.findall(text) == compiled.findall(text)
    assert lazy.sub("-", text) == compiled.sub("-", text)
    assert bool(lazy.fullmatch(text)) == bool(compiled.fullmatch(text))
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)


def test_a_mistake_shows_at_the_first_use() -> None:
    broken = expression("(")
    assert broken.pattern == "("
    with pytest.raises(re.error):
        broken.search("a")


def test_no_module_compiles_what_nobody_asked_for() -> None:
    ran = subprocess.run([sys.executable, "-c", _AT_THE_START], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr


def test_every_expression_of_the_package_compiles() -> None:
    found = [each for module in _modules() for each in _expressions(tuple(vars(import_module(module)).values()))]
    assert len(found) > 60
    for each in found:
        assert each.groups >= 0


def _modules() -> list[str]:
    return [
        module.name
        for package in (everyword.claims, everyword.text)
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    ]


def _expressions(value: Any) -> list[re.Pattern[str]]:
    """Return the expressions in a module's names, and in the tables among them."""
    if type(value) is type(expression("")):
        return [value]
    inside = cast("Iterable[Any]", value) if isinstance(value, tuple) else ()
    return [found for each in inside for found in _expressions(each)]
