"""Which Chinese script a text is in, told by the characters that only one of the two has."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def traditional_only(text: str) -> frozenset[str]:
    """Return the characters of a text that are written otherwise in simplified Chinese."""
    return _told_apart()[0] & set(text)


def simplified_only(text: str) -> frozenset[str]:
    """Return the characters of a text that are written otherwise in traditional Chinese; 后 and 里 are in both."""
    return _told_apart()[1] & set(text)


@cache
def _told_apart() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters that only traditional and only simplified Chinese has, by the tables of OpenCC."""
    to_simplified, to_traditional = _table("TSCharacters.txt"), _table("STCharacters.txt")
    traditional = frozenset(one for one, others in to_simplified.items() if one not in others)
    simplified = frozenset(one for one, others in to_traditional.items() if one not in others)
    return traditional - simplified, simplified - traditional


def _table(name: str) -> dict[str, frozenset[str]]:
    lines = files("opencc").joinpath(f"dictionary/{name}").read_text("utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines)
    return {one: frozenset(others.split(" ")) for one, _, others in pairs if len(one) == 1}
