"""The page in a real browser, against a real server: in both languages, on a wide and a narrow screen."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WIDE, NARROW = (1280, 860), (390, 844)
LOCALES = {"en": "en-GB", "zh-Hant": "zh-TW"}
VIEWS = ["conversations", "explain", "claims", "graph", "care"]
FAMILY = "My sister is called Mia. Mia lives in Lisbon."
WALKS = 110
KEY = "My spare key is with Mrs. Chou from the tea shop."
ORDER, RIGHT = "My order number is 12435.", "My order number is 12345."
HOSTILE = "<img src=x onerror=\"document.title='broken in'\"> <script>document.title='broken in'</script> & <b>bold</b>"


def _needed(package: str, reason: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return what opens an address; an unexpected complaint fails the test, also one about a request to another server."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_page(
        url: str, *, size: tuple[int, int] = WIDE, language: str = "en", expected: str = "^$", **options: Any
    ) -> Any:
        width, height = size
        contexts.append(
            browser.new_context(viewport={"width": width, "height": height}, locale=LOCALES[language], **options)
        )
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: re.search(expected, message.text) or wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


def _filled(served: Any) -> Any:
    with served.client() as client:
        for session, said in [("keys", KEY), ("order", ORDER), ("hostile", HOSTILE), ("family", FAMILY)]:
            reply = {"role": "assistant", "content": f"I understand what you told me about {session}."}
            body = {"messages": [{"role": "user", "content": said}, reply], "session_id": session}
            client.post("/v1/memories", json=body).raise_for_status()
        walks = [{"role": "user", "content": f"Walk {number}: along the river to the mill."} for number in range(WALKS)]
        client.post("/v1/memories", json={"messages": walks, "session_id": "walks"}).raise_for_status()
    return served


@pytest.fixture
def filled(start) -> Any:
    """A server with a little of Ana's life."""
    return _filled(start(default_user="ana"))


@pytest.fixture(scope="module")
def looked_at(standing) -> Any:
    """The same, for tests that only look."""
    return _filled(standing(default_user="ana"))


@pytest.fixture(scope="module")
def loaded(browser: Any, looked_at: Any) -> Iterator[Any]:
    """The page, open, for tests of its modules alone."""
    context = browser.new_context(locale=LOCALES["en"])
    page = context.new_page()
    page.goto(looked_at.url)
    page.locator(".list a").first.wait_for()
    yield page
    context.close()


def _go(page: Any, view: str, size: tuple[int, int] = WIDE) -> None:
    page.locator(f'nav.views [data-view="{view}"]').click()
    page.locator(f'main[data-view="{view}"]').wait_for()


def _there(found: Any, count: int) -> None:
    """Wait until exactly so many are there: each part of a view comes when its own request is answered."""
    from playwright.sync_api import expect

    expect(found).to_have_count(count, timeout=20_000)


def _claim(page: Any, text: str) -> Any:
    return page.locator(".claim", has=page.locator(f"blockquote:text-is('{text}')"))


def _stated(served: Any) -> list[str]:
    with served.client() as client:
        return [each["text"] for each in client.get("/v1/claims").json()["results"]]


# ---- from search to forgetting, in both languages, on both screens ----


@pytest.mark.parametrize(
    ("language", "size"),
    [
        pytest.param("en", WIDE, id="en-wide"),
        pytest.param("zh-Hant", NARROW, id="zh-narrow"),
        pytest.param("en", NARROW, id="en-narrow", marks=pytest.mark.soak),
        pytest.param("zh-Hant", WIDE, id="zh-wide", marks=pytest.mark.soak),
    ],
)
def test_one_can_search_explain_correct_and_forget(filled, visit, language: str, size: tuple[int, int]) -> None:
    page = visit(filled.url, size=size, language=language)
    assert page.evaluate("document.documentElement.lang") == language
    _search(page)
    _explain(page)
    _correct(page)
    assert RIGHT in _stated(filled)
    _forget(page)
    assert RIGHT not in _stated(filled)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _search(page: Any) -> None:
    page.locator(".list [data-session=keys]").wait_for()
    page.locator("#search").press_sequentially("spare ke", delay=5)
    hit = page.locator(".list:not([hidden]) a").first
    page.locator(".excerpt mark", has_text="spare").wait_for()
    assert hit.locator("mark").all_inner_texts() == ["spare", "key"][: hit.locator("mark").count()]
    hit.click()
    sought = page.locator(".message.sought")
    sought.wait_for()
    assert sought.locator(".words").inner_text() == KEY
    page.locator(".message.sought:focus").wait_for()


def _explain(page: Any) -> None:
    _go(page, "explain")
    page.locator("#strategy option[value=window]").wait_for(state="attached")
    assert page.locator("#strategy").input_value() == "evidence"
    page.locator("#question").fill("Who has my spare key?")
    page.locator("#budget").fill("150")
    page.locator("#question").press("Enter")
    page.locator(".ledger").wait_for()
    first = page.locator(".piece:not(.out)", has_text="Mrs. Chou")
    assert first.locator(".steps li").count() >= 3
    shares = page.locator(".bar .part").evaluate_all("parts => parts.map(each => Number(each.style.flexGrow))")
    assert sum(shares) == 150
    _there(page.locator("details.dropped .piece"), 20)
    assert page.locator("details.dropped .reason").first.text_content()
    assert KEY in page.locator(".prompt").text_content()


def _correct(page: Any) -> None:
    _go(page, "claims")
    card = page.locator(".claim", has_text=ORDER)
    card.locator("button").nth(0).click()
    card.locator(".below .message", has_text=ORDER).wait_for()
    card.locator("button", has=page.locator("svg")).nth(1).click()
    card.locator(".below input").fill(RIGHT)
    card.locator(".below input").press("Enter")
    _claim(page, RIGHT).wait_for()
    _there(_claim(page, ORDER), 0)
    page.locator("#closed").check()
    page.locator(".claim.closed", has_text=ORDER).wait_for()


def _forget(page: Any) -> None:
    _claim(page, RIGHT).locator("> .buttons > button").nth(2).click()
    going = page.locator("dialog .going dd")
    going.first.wait_for()
    assert going.all_inner_texts() == ["1", "1", "1"]
    page.locator("dialog .danger").click()
    page.locator("dialog").wait_for(state="detached")
    _claim(page, RIGHT).wait_for(state="detached")


def test_names_are_browsed_in_the_picture_and_in_the_list(looked_at, visit) -> None:
    page = visit(f"{looked_at.url}/#/graph")
    page.locator(".network .dot").first.wait_for()
    names = page.locator(".names button > :first-child").all_inner_texts()
    assert {"you", "Mia", "Lisbon"} <= set(names)
    _there(page.locator(".network .dot"), len(names))
    page.get_by_role("button", name="Mia").click()
    page.locator(".edges li", has_text="Lisbon").wait_for()
    assert page.locator(".network .dot.self title").text_content() == "Mia"
    page.locator(".edges button", has_text="Lisbon").click()
    page.locator(".quotes blockquote", has_text="Mia lives in Lisbon").wait_for()
    page.get_by_role("button", name="Open in its conversation").first.click()
    page.locator(".message.sought", has_text="Mia lives in Lisbon").wait_for()


# ---- accessibility ----


@pytest.mark.parametrize(
    ("size", "scheme", "language"),
    [(WIDE, "light", "en"), (NARROW, "dark", "zh-Hant")],
    ids=["wide-light-en", "narrow-dark-zh"],
)
def test_axe_finds_no_serious_issue_in_any_view(
    filled, visit, size: tuple[int, int], scheme: str, language: str
) -> None:
    _needed("axe_playwright_python", "needs the Python package axe-playwright-python")
    page = visit(
        filled.url,
        size=size,
        language=language,
        color_scheme=scheme,
        bypass_csp=True,
        reduced_motion="reduce",
        expected="401",
    )
    page.locator(".list [data-session=keys]").click()
    page.locator(".message").first.wait_for()
    found = {"conversations": _issues(page)}
    for view in VIEWS[1:]:
        _go(page, view)
        _filled_view(page, view)
        found[view] = _issues(page)
    page.locator("main .quiet-danger").click()
    page.locator("dialog .going").wait_for()
    found["forget"] = _issues(page)
    page.keyboard.press("Escape")
    filled.key(user="ana")
    page.reload()
    page.locator("#key").wait_for()
    found["login"] = _issues(page)
    assert found == {view: [] for view in [*VIEWS, "forget", "login"]}


def _filled_view(page: Any, view: str) -> None:
    if view == "explain":
        page.locator("#question").fill("Who has my spare key?")
        page.locator("#budget").fill("150")
        page.locator("#question").press("Enter")
        page.locator("details.dropped summary").click()
    ready = {"explain": ".piece.out", "claims": ".claim", "graph": ".network", "care": ".health details"}
    page.locator(ready[view]).first.wait_for()


def _issues(page: Any) -> list[str]:
    from axe_playwright_python import sync_playwright

    script = Path(sync_playwright.__file__).with_name("axe.min.js").read_text("utf-8")
    if not page.evaluate("'axe' in window"):
        page.evaluate(script)
    told = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{each['id']}: {node['html'][:120]} {node['failureSummary']}"
        for each in told["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def test_the_keyboard_alone_reaches_the_search_its_results_and_a_message(looked_at, visit) -> None:
    page = visit(looked_at.url)
    page.locator(".list [data-session=keys]").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("/")
    page.locator("#search:focus").wait_for()
    page.keyboard.type("mill")
    page.locator(".excerpt mark").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".message.sought").wait_for()
    assert "mill" in page.locator(".message.sought").inner_text()


# ---- words stay words ----


def test_hostile_words_are_shown_as_words_in_every_view(filled, visit) -> None:
    with filled.client() as client:
        client.post("/v1/claims", json={"text": f"I like {HOSTILE}", "session_id": HOSTILE}).raise_for_status()
    page = visit(filled.url)
    page.locator("#search").fill("onerror bold")
    page.locator(".excerpt mark").first.wait_for()
    page.locator(".list:not([hidden]) a", has_text="onerror").first.click()
    page.locator(".message.sought").wait_for()
    assert "<img src=x onerror" in page.locator(".message.sought .words").inner_text()
    _go(page, "claims")
    page.locator(".claim", has_text="onerror").locator("> .buttons > button").nth(2).click()
    page.locator("dialog .from", has_text="<script>").wait_for()
    page.keyboard.press("Escape")
    _go(page, "explain")
    page.locator("#question").fill("What about <img onerror> bold?")
    page.locator("#question").press("Enter")
    page.locator(".piece", has_text="onerror").first.wait_for()
    assert page.locator("main img, main b:has-text('bold'), main script").count() == 0
    assert "broken in" not in page.title()


def test_a_browser_with_trusted_types_refuses_markup_whatever_the_code_does(loaded) -> None:
    refused = loaded.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return false } catch { return true } }"
    )
    assert refused


# ---- who looks ----


def test_a_key_is_asked_for_kept_in_the_tab_and_never_in_an_address(filled, visit) -> None:
    token = filled.key(user="ana")["Authorization"].removeprefix("Bearer ")
    page = visit(filled.url, expected="401")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#key").fill("ew_000000000000_" + "x" * 43)
    page.locator("#key").press("Enter")
    page.locator(".problem").wait_for()
    page.locator("#key").fill(token)
    page.locator("#key").press("Enter")
    page.locator(".list [data-session=keys]").wait_for()
    page.reload()
    page.locator(".list [data-session=keys]").wait_for()
    assert not [each for each in [*asked, page.url] if token in each]
    assert {each.partition("/v1/")[0] for each in asked if "/page/" not in each} == {filled.url, f"{filled.url}/"}
    assert all(each.startswith(filled.url) for each in asked)
    assert page.evaluate("JSON.stringify(localStorage)").count("ew_") == 0
    page.locator("header .quiet-button").click()
    page.locator("#key").wait_for()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_key_that_is_revoked_meanwhile_leads_back_to_the_door(filled, visit) -> None:
    from everyword.server.keys import KeyRing

    key, token = KeyRing(filled.home).add(user="ana")
    page = visit(filled.url, expected="401")
    page.locator("#key").fill(token)
    page.locator("#key").press("Enter")
    page.locator(".list [data-session=keys]").wait_for()
    KeyRing(filled.home).revoke(key.key_id)
    page.locator('nav.views [data-view="claims"]').click()
    page.locator("#key").wait_for()


def test_without_keys_a_user_is_chosen_and_can_be_changed(start, visit) -> None:
    served = start()
    with served.client() as client:
        for user, said in [("ana", KEY), ("%E6%96%87%E7%8E%B2", "我住在台南。")]:
            client.post("/v1/memories", json={"messages": said}, headers={"X-Everyword-User": user})
    page = visit(served.url)
    page.get_by_role("button", name="文玲").click()
    page.locator(".list a", has_text="我住在台南。").wait_for()
    page.locator("button.whose").click()
    page.get_by_role("button", name="ana").click()
    page.locator(".list a", has_text="Mrs. Chou").wait_for()
    _there(page.locator(".list a"), 1)


def test_the_language_is_the_chosen_one_and_is_remembered(looked_at, visit) -> None:
    page = visit(looked_at.url, language="zh-Hant")
    page.locator('nav.views [data-view="claims"]', has_text="陳述").wait_for()
    page.get_by_role("button", name="English").click()
    page.locator('nav.views [data-view="claims"]', has_text="Claims").wait_for()
    page.reload()
    page.locator('nav.views [data-view="claims"]', has_text="Claims").wait_for()
    assert page.evaluate("document.documentElement.lang") == "en"


# ---- a first visit, and troubles ----


def test_a_newcomer_is_told_how_to_begin_and_can(start, visit) -> None:
    page = visit(start(default_user="new one").url)
    page.locator(".command", has_text="everyword import FILE --user 'new one'").wait_for()
    page.locator(".welcome input").fill("I live in Tainan.")
    page.locator(".welcome input").press("Enter")
    page.locator(".message .words", has_text="I live in Tainan.").wait_for()
    page.locator(".list a", has_text="I live in Tainan.").wait_for()
    _go(page, "claims")
    page.locator(".claim", has_text="I live in Tainan.").wait_for()


def test_a_budget_that_does_not_hold_tells_which_one_would(looked_at, visit) -> None:
    page = visit(looked_at.url, expected="422")
    _go(page, "explain")
    page.locator("#question").fill("Who has my spare key, and where is it, and since when?")
    page.locator("#budget").fill("3")
    page.locator("#question").press("Enter")
    told = page.locator(".problem")
    told.wait_for()
    needed = int(re.search(r"at least (\d+) tokens", told.inner_text())[1])
    assert "request id" in told.inner_text()
    page.locator("#budget").fill(str(needed))
    page.locator("#question").press("Enter")
    page.locator(".ledger").wait_for()


def test_a_question_that_nothing_stands_out_for_is_told(looked_at, visit) -> None:
    page = visit(looked_at.url)
    _go(page, "explain")
    for question, is_missing in [("When did I fly to Reykjavik?", True), ("Who has my spare key?", False)]:
        page.locator("#question").fill(question)
        page.locator("#question").press("Enter")
        page.locator(".answer:not([aria-busy]) .ledger").wait_for()
        _there(page.locator(".notice", has_text="Nothing in the history stands out"), int(is_missing))


def test_a_server_that_is_gone_is_told_and_can_be_tried_again(looked_at, visit) -> None:
    page = visit(looked_at.url, expected="ERR_INTERNET_DISCONNECTED|Failed to load")
    page.locator(".list [data-session=keys]").wait_for()
    page.context.set_offline(True)
    page.locator("#search").fill("spare key")
    page.locator(".problem", has_text="everyword serve").wait_for()
    page.context.set_offline(False)
    page.locator(".problem button").click()
    page.locator(".excerpt mark").first.wait_for()


def test_every_error_of_the_server_has_advice_in_both_languages(loaded) -> None:
    from everyword.server.failures import STATUS

    kinds = [kind.__name__ for kind, _ in STATUS]
    advice = loaded.evaluate(
        """async (kinds) => {
            const { problemCard } = await import('/page/problem.js');
            const { Problem } = await import('/page/api.js');
            const { wordsOf } = await import('/page/strings.js');
            return ['en', 'zh-Hant'].map((tag) => kinds.map((kind) =>
                problemCard({ t: wordsOf(tag) }, new Problem(kind, 'said')).querySelector('.what').textContent));
        }""",
        kinds,
    )
    for told in advice:
        assert all(each and "{" not in each and "do_" not in each for each in told)
        general = told[kinds.index("EverywordError")]
        assert told.count(general) <= 4


# ---- a search that is overtaken, lists that go on ----


def test_only_the_answer_to_the_last_words_is_shown(looked_at, visit) -> None:
    page = visit(looked_at.url, expected="abort")
    page.locator(".list [data-session=keys]").wait_for()
    held: list[Any] = []

    def hold_the_first(route: Any) -> None:
        if json.loads(route.request.post_data)["query"] == "river":
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/search", hold_the_first)
    page.locator("#search").fill("river")
    while not held:
        page.wait_for_timeout(20)
    page.locator("#search").fill("spare key")
    page.locator(".excerpt mark", has_text="spare").wait_for()
    page.wait_for_timeout(100)
    assert "Mrs. Chou" in page.locator(".list:not([hidden]) a").first.inner_text()
    held[0].abort()


def test_a_long_conversation_is_loaded_as_it_is_read_and_a_message_opens_among_its_neighbours(looked_at, visit) -> None:
    page = visit(f"{looked_at.url}/#/conversations/walks")
    page.locator(".message").nth(39).wait_for()
    assert page.locator(".message").count() < WALKS
    page.locator(".thread .further").scroll_into_view_if_needed()
    page.locator(".message").nth(79).wait_for()
    page.goto(f"{looked_at.url}/#/conversations/walks/60")
    page.locator("#message-60.sought").wait_for()
    seqs = page.locator(".message").evaluate_all("all => all.map(each => Number(each.id.split('-')[1]))")
    assert seqs == list(range(seqs[0], seqs[-1] + 1))
    assert seqs[0] == 48
    page.locator(".thread > .more button").first.click()
    page.locator("#message-20").wait_for()


def test_a_conversation_and_a_time_can_be_forgotten(filled, visit) -> None:
    page = visit(f"{filled.url}/#/conversations/walks")
    page.locator(".thread-head button").click()
    page.locator("dialog .going dd").first.wait_for()
    assert page.locator("dialog .going dd").first.inner_text() == str(WALKS)
    page.locator("dialog .danger").click()
    page.locator(".list [data-session=walks]").wait_for(state="detached")
    _go(page, "care")
    page.locator("input[name=after]").fill("2020-01-01")
    page.locator(".panel form button").click()
    page.locator("dialog .danger").click()
    page.locator(".figures dd", has_text=re.compile("^0$")).first.wait_for()
    with filled.client() as client:
        assert client.get("/v1/stats").json()["messages"] == 0


def test_everything_is_forgotten_only_by_who_says_so_twice(filled, visit) -> None:
    page = visit(f"{filled.url}/#/care")
    page.locator("main .quiet-danger").click()
    forget = page.locator("dialog .danger")
    forget.wait_for()
    assert forget.is_disabled()
    page.locator("dialog input[type=checkbox]").check()
    forget.click()
    page.locator("dialog").wait_for(state="detached")
    with filled.client() as client:
        assert client.get("/v1/stats").json()["messages"] == 0


def test_the_memory_is_checked_and_taken_along(looked_at, visit) -> None:
    page = visit(f"{looked_at.url}/#/care")
    page.locator(".panel button").nth(0).click()
    page.locator("p.well", has_text=f"{WALKS + 8} messages").wait_for()
    with page.expect_download() as download:
        page.locator(".panel button").nth(1).click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert len(lines) == WALKS + 9
    assert json.loads(lines[1])["message_id"]


def test_what_is_wrong_stands_first_with_what_helps_until_it_is_mended(filled, visit) -> None:
    page = visit(f"{filled.url}/#/care", language="zh-Hant", size=NARROW)
    wrong = page.locator(".health ul:not(details ul) li")
    wrong.filter(has_text="上次檢查").filter(has_text="從未").locator(
        ".remedy", has_text="everyword rebuild"
    ).wait_for()
    page.locator(".health summary").click()
    assert wrong.count() + page.locator(".health details li").count() == 11
    page.locator(".health details li", has_text="證據").first.wait_for()
    page.locator(".panel button").nth(0).click()
    page.locator(".health details li", has_text="上次檢查").wait_for(state="attached")
    _there(wrong.filter(has_text="上次檢查"), 0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_health_that_cannot_be_told_can_be_asked_for_again(looked_at, visit) -> None:
    page = visit(looked_at.url, expected="Failed to load")
    page.route("**/v1/health", lambda route: route.abort())
    _go(page, "care")
    page.locator(".health .problem").wait_for()
    _there(page.locator(".jobs li", has_text="Server"), 1)
    page.unroute("**/v1/health")
    page.locator(".health .problem button").click()
    page.locator(".health details").wait_for()


# ---- words of the interface ----


def test_every_word_of_the_interface_is_there_in_both_languages_with_the_same_holes(loaded) -> None:
    texts = loaded.evaluate("import('/page/strings.js').then((strings) => strings.allTexts())")
    holes = {name: [sorted(re.findall(r"\{(\w+)\}", text)) for text in each] for name, each in texts.items()}
    assert not [name for name, each in holes.items() if len(each) != 2 or each[0] != each[1] or not all(texts[name])]
    same = {name for name, (english, chinese) in texts.items() if english == chinese}
    assert same == {"between"}


def test_every_figure_of_a_memory_has_words_in_both_languages(loaded, looked_at) -> None:
    with looked_at.client() as client:
        names = [each["name"] for each in client.get("/v1/health").json()["figures"]]
    texts = loaded.evaluate("import('/page/strings.js').then((strings) => strings.allTexts())")
    keys = {re.sub(r"\W+", "_", name) for name in names}
    assert {key for key in keys if f"health_{key}" not in texts or f"healthAbout_{key}" not in texts} == set()
    assert {key for key in keys if f"healthHelp_{key}" not in texts} == {"age_of_evidence"}
    told = {key.partition("_")[2] for key in texts if key.startswith(("health_", "healthAbout_", "healthHelp_"))}
    assert told == keys


MARKED = [
    ("coins", "A coin, the COINS and coinage", ["coin", "COINS", "coinage"]),
    ("the key of mine", "The key is mine", ["key", "mine"]),
    ("備用鑰匙", "我的鑰匙在備用抽屜", ["鑰匙", "備用"]),
    ("café", "Le CAFÉ du port", ["CAFÉ"]),
    ("a+b (c", "a+b (c", ["b", "c"]),
    ("1903", "in 1903 and 190399999", ["1903"]),
    ("🔑 key", "🔑 my key 🔑", ["key"]),
    ("İ", "İstanbul İ", []),
]


def test_what_was_looked_for_is_marked(loaded) -> None:
    found = loaded.evaluate(
        """(cases) => import('/page/highlight.js').then(({ needles, places }) => cases.map(([query, text]) =>
            places(text, needles(query)).map(([start, stop]) => text.slice(start, stop))))""",
        [[query, text] for query, text, _ in MARKED],
    )
    assert found == [marked for _, _, marked in MARKED]


def test_an_excerpt_shows_the_place_and_cuts_no_character_in_two(loaded) -> None:
    texts = [
        f"{'🔑' * before}{' x' * shift} needle {'🔑' * 200}" for before in (0, 50, 99, 100) for shift in (0, 1, 40)
    ]
    found = loaded.evaluate(
        """(texts) => import('/page/highlight.js').then(({ excerpt, needles }) =>
            texts.map((text) => excerpt(text, needles('needle'))))""",
        texts,
    )
    assert all("needle" in each and len(each.encode("utf-16-le")) <= 2 * 182 for each in found)
    assert all(each.encode("utf-8") for each in found)
