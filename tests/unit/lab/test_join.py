"""The page as one file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everyword.lab.conversation import Conversation, conversation
from everyword.lab.join import bundle, page

LAB = Path(__file__).parents[3] / "src/everyword/lab"
MODULES = sorted((LAB / "page").glob("*.js"))
_DATA = re.compile(r'<script type="application/json" id="(\w+)">(.*?)</script>', re.DOTALL)


def test_the_page_that_is_kept_is_the_joined_one(talk: Conversation) -> None:
    kept = (LAB / "index.html").read_text("utf-8")
    assert kept == page(talk), "write it again: everyword lab build -o src/everyword/lab/index.html"


def test_every_module_is_in_the_page(talk: Conversation) -> None:
    joined = page(talk)
    assert not [path.name for path in MODULES if f"// ---- {path.name} ----" not in joined]


def test_the_page_names_no_address_to_load_from(talk: Conversation) -> None:
    without_words = _DATA.sub("", page(talk)).replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?://|//cdn|@import|\bsrc=|url\(", without_words)


def test_a_page_of_a_file_may_ask_nobody_and_a_served_one_its_server(talk: Conversation) -> None:
    assert "connect-src 'none'" in page(talk)
    assert "connect-src 'self'" in page(talk, served={})


def test_the_policy_allows_the_script_and_the_style_that_are_there(talk: Conversation) -> None:
    joined = page(talk)
    for text in (
        joined.rpartition("<script>")[2].partition("</script>")[0],
        joined.partition("<style>")[2].partition("</style>")[0],
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in joined


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--", "{{SCRIPT}} $& \\1", "\ud800 half", "\u2028"]
)
def test_words_of_a_conversation_stay_words(text: str) -> None:
    document = {"title": text, "language": "", "messages": [{"turn": 1, "role": "user", "text": text}], "facts": []}
    joined = page(conversation(document))
    found = dict(_DATA.findall(joined))
    assert json.loads(found["conversation"])["messages"][0]["text"] == text
    assert joined.count("<script>") == 1
    joined.encode()


def test_modules_come_after_what_they_import() -> None:
    order = re.findall(r"^// ---- (\w+)\.js ----$", bundle("app"), re.MULTILINE)
    for path in MODULES:
        for wanted in re.findall(r'from "\./(\w+)\.js"', path.read_text("utf-8")):
            assert order.index(wanted) < order.index(path.stem)


def test_no_module_is_longer_than_a_person_reads_at_once() -> None:
    assert not [
        path.name for path in MODULES if path.stem != "strings" and len(path.read_text("utf-8").splitlines()) > 300
    ]


# ---- words of the interface ----


@pytest.fixture(scope="module")
def texts(page_of: Callable[[str], Any]) -> dict[str, list[str]]:
    return page_of(bundle("strings"))("$strings.allTexts()")


def test_every_text_has_words_in_three_languages_with_the_same_holes(texts: dict[str, list[str]]) -> None:
    for key, words in texts.items():
        assert len(words) == 3, key
        assert all(words), key
        assert len({frozenset(re.findall(r"\{\w+\}", each)) for each in words}) == 1, key


def test_every_text_that_a_module_asks_for_exists_and_none_is_left_over(texts: dict[str, list[str]]) -> None:
    sources = "\n".join(path.read_text("utf-8") for path in MODULES if path.stem != "strings")
    named = set(re.findall(r'\bt\("(\w+)"', sources))
    assert named <= set(texts)
    mentioned = set(re.findall(r'"(\w+)"|\b(\w+):', sources))
    words = {word for pair in mentioned for word in pair if word}
    made = {
        f"test{name}"
        for name in ("Capacity", "Order", "Summary", "Recall", "Cumulative", "Cost", "Error", "Protection", "Reset")
    }
    made |= {f"{name}Hint" for name in ("truncate", "summary", "full", "usage", "summaries", "everyword")}
    made |= {"summariser_extractive", "summariser_model"}
    assert not set(texts) - named - words - made


def test_a_lower_ratio_is_said_to_make_a_shorter_summary_that_loses_more(texts: dict[str, list[str]]) -> None:
    assert (
        "The lower the ratio, the shorter the summary, and the more easily it loses facts." in texts["summaryHint"][0]
    )
    assert "壓縮比越低，摘要越短，越容易丟事實" in texts["summaryHint"][1]
    assert "压缩比越低，摘要越短，越容易丢事实" in texts["summaryHint"][2]


def test_the_limits_are_told(texts: dict[str, list[str]]) -> None:
    for word in ("Not a real bill", "cache prices", "tier discounts", "upper bound", "Latency"):
        assert word in texts["limitsText"][0]
    assert "not any vendor's tokenizer" in texts["estimate"][0]


@pytest.mark.parametrize(
    ("chosen", "preferred", "language"),
    [
        ("en", ["zh-TW"], "en"),
        (None, ["zh-TW", "en"], "zh-Hant"),
        (None, ["zh-CN"], "zh-Hans"),
        (None, ["en-US"], "zh-Hans"),
        ("fr", [], "zh-Hans"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_chinese_that_the_browser_prefers(
    page_of: Callable[[str], Any], chosen: str | None, preferred: list[str], language: str
) -> None:
    strings = page_of(bundle("strings"))
    assert strings("$strings.firstLanguage(chosen, preferred)", chosen=chosen, preferred=preferred) == language
