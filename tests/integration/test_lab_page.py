"""The page in a real browser: opened as a file, with no network, by clicks and by keys."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from everyword import Memory
from everyword.lab.conversation import script
from everyword.lab.engine import Settings, run
from everyword.lab.evidence import COUNTER
from everyword.lab.server import Means, serving
from everyword.testing.scripted_model import ScriptedModel

PAGE = Path(__file__).parents[2] / "src/everyword/lab/index.html"
SIZES = [(1600, 1000), (1280, 800)]
LANGUAGES = ["en", "zh-Hant", "zh-Hans"]


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return what opens the page offline; whatever it complains about or asks for fails the test."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_page(address: str = PAGE.as_uri(), *, size: tuple[int, int] = SIZES[0], offline: bool = True) -> Any:
        contexts.append(
            browser.new_context(viewport={"width": size[0], "height": size[1]}, locale="en-US", offline=offline)
        )
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: wrong.append(asked.url) if offline and not asked.url.startswith(("file:", "data:")) else None,
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def _strategy(page: Any, name: str) -> None:
    page.locator(f"label:has(#strategy-{name})").click()


def _window(page: Any, k: int) -> None:
    page.locator(f"label:has(#window-{k * 1024})").click()


def _slide(page: Any, name: str, value: int) -> None:
    page.locator(f"#{name}").fill(str(value))


def _metric(page: Any, name: str) -> str:
    return page.locator(f"#metric-{name}").inner_text()


def _rows(page: Any, status: str) -> int:
    return page.locator(f'.message[data-status="{status}"]').count()


def _kept(page: Any) -> int:
    return page.locator('.probed[data-status="right"]').count()


def _open_file(page: Any, path: Path, *, messages: int) -> None:
    page.set_input_files("#open-file", path)
    page.locator(".about", has_text=path.name).wait_for()
    assert page.locator(".message").count() == messages


def _fail(page: Any) -> None:
    """Go to the error of the article: everything of 120 turns in 4K, after a good result of 4K and 30 turns."""
    _window(page, 4)
    _slide(page, "turns", 30)
    _strategy(page, "full")
    _slide(page, "turns", 120)


# ---- the walk of the article ----


def test_step_1_32k_has_forgotten_everything_after_120_turns(opened: Callable[..., Any]) -> None:
    page = opened()
    assert _metric(page, "recall") == "0.0%"
    assert _metric(page, "single") == "32,605"
    assert _metric(page, "cumulative") == "2,687,796"
    assert _metric(page, "cumulativeCost") == "$6.72"
    assert page.locator("#boundary-label").inner_text() == "32K 窗口起点"
    assert _rows(page, "dropped") == 74
    assert page.locator('.message[data-status="dropped"] .tag').first.text_content() == "已移出窗口"
    assert page.locator("#self-test-count").inner_text() == "9/9 PASS"


def test_step_2_the_name_goes_between_75_and_80_turns(opened: Callable[..., Any]) -> None:
    page = opened()
    _slide(page, "turns", 75)
    assert (_kept(page), _metric(page, "single")) == (6, "30,937")
    _slide(page, "turns", 80)
    assert (_kept(page), _metric(page, "single")) == (5, "32,707")
    gone = page.locator('.probed[data-status="wrong"]')
    assert "我叫什麼名字" in gone.inner_text()
    assert "第 1 轮 · 已移出窗口" in gone.inner_text()


def test_step_3_all_six_are_gone_at_110_turns(opened: Callable[..., Any]) -> None:
    page = opened()
    _slide(page, "turns", 110)
    assert page.locator('.probed[data-status="wrong"]').count() == 6


def test_step_4_8k_with_a_tenth_as_summary_keeps_all_six(opened: Callable[..., Any]) -> None:
    page = opened()
    _strategy(page, "summary")
    _window(page, 8)
    _slide(page, "ratio", 10)
    assert (_metric(page, "recall"), _metric(page, "cumulative"), _metric(page, "single")) == (
        "100.0%",
        "910,716",
        "8,103",
    )
    assert _rows(page, "compressed") == 222
    assert page.locator('.message[data-status="compressed"] .tag').first.text_content() == "已压缩"


def test_step_5_everything_in_4k_is_an_error_that_keeps_the_last_good_result(opened: Callable[..., Any]) -> None:
    page = opened()
    _fail(page)
    error = page.locator("#error")
    assert "context_length_exceeded:当前 48,430 tokens 超过窗口 4,096" in error.inner_text()
    assert "44,334" in error.inner_text()
    assert page.locator("#error button").all_inner_texts() == ["把窗口提升到 48K", "改用摘要策略 · 15K", "改用截断策略"]
    assert (_kept(page), _metric(page, "recall"), _metric(page, "single")) == (1, "16.7%", "4,073")
    assert _rows(page, "kept") == 19
    assert page.evaluate("__lab.state().result.recall") == 0


def test_step_6_a_single_message_that_is_too_long_is_the_same_error(opened: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "字" * 1200}, {"role": "assistant", "content": "好"}]), "utf-8"
    )
    page = opened()
    _open_file(page, path, messages=2)
    page.locator("#custom-window").fill("1")
    page.locator("#custom-window").press("Enter")
    assert "context_length_exceeded:当前 1,380 tokens 超过窗口 1,024" in page.locator("#error").inner_text()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("window", {"strategy": "full", "window": 49_152}),
        ("summary", {"strategy": "summary", "window": 15_360, "ratio": 0.3}),
        ("truncate", {"strategy": "truncate", "window": 4096}),
    ],
)
def test_each_way_out_leads_to_a_result(opened: Callable[..., Any], name: str, settings: dict[str, Any]) -> None:
    page = opened()
    _fail(page)
    page.locator(f"#repair-{name}").click()
    assert page.locator("#error").is_hidden()
    found = run(script(), Settings(turns=120, **settings))
    assert not found.overflow
    assert _metric(page, "single") == f"{found.request.tokens:,}"
    assert page.evaluate("document.activeElement.name") == "strategy"


# ---- what the page shows ----


def test_where_the_history_fits_the_line_is_the_limit(opened: Callable[..., Any]) -> None:
    page = opened()
    _slide(page, "turns", 60)
    assert page.locator("#boundary-label").inner_text() == "32K 上限"
    assert _rows(page, "kept") == 120
    assert _rows(page, "dropped") == 0


def test_facts_of_later_turns_are_not_said_yet(opened: Callable[..., Any]) -> None:
    page = opened()
    _slide(page, "turns", 10)
    assert page.locator('.probed[data-status="later"]').count() == 3
    assert _metric(page, "recall") == "50.0%"


def test_pinning_the_facts_brings_them_back(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator("#pinned").check()
    assert _metric(page, "recall") == "100.0%"
    assert page.locator(".key.pinnedPart").inner_text().endswith(" 77")


def test_the_curves_follow_the_sliders(opened: Callable[..., Any]) -> None:
    page = opened()
    lines = page.locator("#recall-curve .line.truncate")
    before = lines.get_attribute("d")
    _window(page, 8)
    assert lines.get_attribute("d") != before
    assert page.locator("#cost-curve .line").count() >= 3
    box = page.locator("#recall-curve .plot").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    assert page.locator("#turns").input_value() == "30"


def test_the_tables_are_the_published_ones(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator("#tab-tables").click()
    tables = [
        [row.split("\t") for row in table.splitlines()]
        for table in page.locator("#view-tables table").all_inner_texts()
    ]
    recall = [[cell.strip() for cell in row] for row in tables[0] if len(row) == 5][1:]
    assert recall == [
        ["4K", "16.7%", "0.0%", "0.0%", "9"],
        ["8K", "50.0%", "0.0%", "0.0%", "19"],
        ["16K", "100.0%", "16.7%", "0.0%", "39"],
        ["32K", "100.0%", "100.0%", "0.0%", "77"],
    ]
    assert [row[0] for row in tables[1] if len(row) == 4][1:] == ["75", "80", "85", "95", "105", "110"]
    assert {"$4.18", "$6.72", "$4.19", "$2.28"} <= {row[-1].strip() for row in tables[2]}


def test_a_cached_price_changes_the_cost(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator("#cached-price").fill("0.25")
    page.locator("#cached-price").press("Enter")
    assert _metric(page, "cumulativeCost") == "$3.59"


def test_reset_puts_everything_back(opened: Callable[..., Any]) -> None:
    page = opened()
    first = page.evaluate("JSON.stringify(__lab.state())")
    _fail(page)
    page.locator("#price").fill("9")
    page.locator("#reset").click()
    assert page.evaluate("JSON.stringify(__lab.state())") == first
    assert page.locator("#error").is_hidden()


def test_the_console_computes_with_the_page(opened: Callable[..., Any]) -> None:
    page = opened()
    found = page.evaluate("__lab.run({ strategy: 'summary', window: 8192, turns: 120, ratio: 0.1, price: 2.5 })")
    expected = run(script(), Settings(strategy="summary", window=8192, turns=120, ratio=0.1))
    assert found == expected.document()
    assert page.evaluate("__lab.selfTest()") == {"pass": 9, "total": 9, "failures": []}


# ---- languages, keys, readers ----


def test_the_language_of_the_interface_can_be_switched_and_the_conversation_stays(opened: Callable[..., Any]) -> None:
    page = opened()
    words = page.locator(".message p").first.inner_text()
    page.locator("#language-en").click()
    assert page.locator("h1").inner_text() == "Context Window Lab"
    assert page.locator("#boundary-label").inner_text() == "32K window starts"
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator(".message p").first.inner_text() == words
    page.locator("#language-zh-Hant").click()
    assert page.locator("#boundary-label").inner_text() == "32K 視窗起點"


def test_everything_can_be_reached_and_changed_with_keys(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator("#strategy-truncate").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("__lab.state().settings.strategy") == "summary"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("__lab.state().settings.window") == 16_384
    page.locator("#turns").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("__lab.state().settings.turns") == 119
    page.locator("#tab-curves").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#view-tables").is_visible()
    assert page.evaluate("document.activeElement.id") == "tab-tables"


def test_every_control_has_a_name(opened: Callable[..., Any]) -> None:
    page = opened()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, [role=img], [role=tab], [role=tabpanel]")].filter((e) =>
            !(e.innerText?.trim() || e.labels?.length || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby"))
        ).map((e) => e.outerHTML)"""
    )
    assert nameless == []


def test_a_reader_is_told_of_the_result_once_the_sliders_rest(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator("#language-en").click()
    _slide(page, "turns", 75)
    page.locator("#status", has_text="turn 75: recall 100.0%").wait_for(state="attached")
    assert page.locator("#error").get_attribute("role") == "alert"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_overlaps_or_is_cut_off(opened: Callable[..., Any], size: tuple[int, int], language: str) -> None:
    page = opened(size=size)
    page.locator(f"#language-{language}").click()
    states: list[Callable[[], None]] = [
        lambda: None,
        lambda: _slide(page, "turns", 60),
        lambda: (_slide(page, "turns", 120), _strategy(page, "summary"), _window(page, 8), _slide(page, "ratio", 10))[
            0
        ],
        lambda: _fail(page),
    ]
    for state in states:
        state()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
        assert page.evaluate(OVERLAPS) == []


OVERLAPS = """() => {
  const names = ["header", "#controls", "#error", "#budget", "#timeline", "#views", "#metrics", "#probe", "#self-test", "footer"];
  const boxes = names.map((name) => [name, document.querySelector(name)]).filter(([, e]) => e.offsetParent)
    .map(([name, e]) => [name, e.getBoundingClientRect()]);
  const crossing = ([, a], [, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => crossing(a, b)).map((b) => `${a[0]} ${b[0]}`));
  const cut = [...document.querySelectorAll(".card, .segment span, .tabs button, #error p, h1, .legend")]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2).map((e) => e.innerText);
  return [...pairs, ...cut];
}"""


def test_every_word_stands_out_from_its_ground(opened: Callable[..., Any]) -> None:
    page = opened()
    _fail(page)
    assert page.evaluate(FAINT) == []


FAINT = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.querySelector("body"), NodeFilter.SHOW_TEXT);
  const faint = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !e.offsetParent || e.closest("script")) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(groundOf(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.add(`${e.className || e.tagName} ${ratio.toFixed(1)}`);
  }
  return [...faint];
}"""


# ---- a conversation of one's own ----


def test_a_conversation_of_a_file_gets_facts_that_its_owner_chooses(opened: Callable[..., Any], tmp_path: Path) -> None:
    said = [
        {
            "role": role,
            "content": f"Turn {turn}. My key is with Mrs. Chou." if turn == 3 else "Bread, tea and rain. " * 20,
        }
        for turn in range(1, 41)
        for role in ("user", "assistant")
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(said), "utf-8")
    page = opened()
    _open_file(page, path, messages=80)
    assert _metric(page, "recall") == "—"
    page.locator("#tab-facts").click()
    page.locator("#fact-question").fill("Who has my key?")
    page.locator("#fact-answer").fill("Mrs. Chou")
    page.locator("#view-facts form button").click()
    assert _kept(page) == 1
    assert _metric(page, "recall") == "100.0%"
    page.locator("#custom-window").fill("2")
    page.locator("#custom-window").press("Enter")
    assert _metric(page, "recall") == "0.0%"
    assert page.locator("#self-test-count").inner_text() == "9/9 PASS"


def test_of_a_long_conversation_the_part_around_the_boundary_is_drawn(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "long.jsonl"
    lines = [{"role": role, "content": "好" * 50} for _ in range(1000) for role in ("user", "assistant")]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    page = opened()
    _open_file(page, path, messages=600)
    assert page.locator(".mark").is_visible()
    page.locator(".further button").first.click()
    assert page.locator(".message").count() == 600
    assert page.locator(".message").first.get_attribute("data-position") == "600"
    page.locator("#timeline .head button").click()
    _slide(page, "turns", 10)
    assert _rows(page, "kept") == 20


def test_a_file_that_holds_no_conversation_is_told_and_changes_nothing(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}", "utf-8")
    page = opened()
    page.set_input_files("#open-file", path)
    page.locator(".about", has_text="other.json").wait_for()
    assert page.locator(".message").count() == 240


def test_words_of_a_conversation_never_become_markup(opened: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "evil.json"
    path.write_text(json.dumps([{"role": "user", "content": "<img src=x onerror=alert(1)><b>bold</b>"}]), "utf-8")
    page = opened()
    _open_file(page, path, messages=1)
    assert page.locator(".message p").inner_text() == "<img src=x onerror=alert(1)><b>bold</b>"
    assert page.locator(".message img, .message b").count() == 0


# ---- served ----


def test_the_file_says_what_it_cannot_do_alone(opened: Callable[..., Any]) -> None:
    page = opened()
    page.locator("#language-en").click()
    for name in ("usage", "summaries", "everyword"):
        page.locator(f"#tab-{name}").click()
        assert "A page opened as a file cannot do this" in page.locator(f"#view-{name}").inner_text()
        assert page.locator(f"#view-{name} code").inner_text().startswith("everyword lab ")


@contextmanager
def _memory() -> Iterator[Memory]:
    with (
        TemporaryDirectory() as folder,
        Memory(Path(folder), embedder="none", counter=COUNTER, vectors="off") as memory,
    ):
        yield memory


def test_the_served_page_measures_and_draws_what_it_measured(opened: Callable[..., Any]) -> None:
    means = Means(open_memory=_memory, model=ScriptedModel().otherwise("沈以寧"), budget=600)
    with serving(script(), means) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            page = opened(f"http://127.0.0.1:{server.server_port}/?lang=en", offline=False)
            _slide(page, "turns", 20)
            page.locator("#tab-usage").click()
            page.locator("#view-usage button").click()
            assert "answered 1 of 5 probes" in page.locator("#view-usage .verdict").inner_text()
            page.locator("#tab-summaries").click()
            _window(page, 4)
            page.locator("#view-summaries button").click()
            assert "Measured recall" in page.locator("#view-summaries .verdict").inner_text()
            page.locator("#tab-everyword").click()
            page.locator("#view-everyword button").click()
            assert "Measured recall" in page.locator("#view-everyword .verdict").inner_text()
            page.locator("#tab-curves").click()
            page.locator("#recall-curve .line.everyword").wait_for(state="attached")
            assert "Everyword" in page.locator(".values").inner_text()
        finally:
            server.shutdown()
            thread.join()
