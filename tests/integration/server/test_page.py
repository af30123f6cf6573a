"""What the page asks of its server, over HTTP."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from everyword.server import page

SOURCES = Path(page.__file__).parent / "page"
KEY = "My spare key is with Mrs. Chou from the tea shop."


def test_the_page_is_served_without_a_key_and_holds_no_word_of_anybody(served) -> None:
    with served.client() as client:
        client.post("/v1/memories", json={"messages": KEY}, headers={"X-Everyword-User": "ana"})
        served.key(user="ana")
        answer = client.get("/")
        files = re.findall(r'(?:src|href)="(/page/[^"]+)"', answer.text)
        bodies = [client.get(name) for name in files]
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert {each.status_code for each in bodies} == {200}
    assert not [each.url for each in bodies if "Chou" in each.text or "ana" in re.findall(r'"(\w+)"', each.text)]


def test_the_policy_lets_nothing_in_and_nothing_out(served) -> None:
    with served.client() as client:
        policy = client.get("/").headers["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "connect-src 'self'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert not [each for each in policy if "unsafe" in each or "http" in each or "*" in each]


def test_the_files_of_the_page_name_no_other_address() -> None:
    allowed = {"http://www.w3.org/2000/svg"}
    for path in SOURCES.iterdir():
        found = set(re.findall(r"https?://[^\s\"'`<)]+", path.read_text("utf-8")))
        assert found <= allowed, path.name


def test_every_module_is_preloaded_and_nothing_else_is_served(served) -> None:
    with served.client() as client:
        text = client.get("/").text
        modules = sorted(path.name for path in SOURCES.glob("*.js"))
        assert sorted(re.findall(r'modulepreload" href="/page/([^"]+)"', text)) == modules
        for name in ("index.html", "..%2Fpage.py", "%2e%2e/app.py", "app.py", ""):
            assert client.get(f"/page/{name}").status_code == 404


def test_a_file_that_the_browser_has_is_not_sent_again(served) -> None:
    with served.client() as client:
        first = client.get("/page/app.js")
        again = client.get("/page/app.js", headers={"If-None-Match": first.headers["ETag"]})
    assert first.headers["Content-Type"].startswith("text/javascript")
    assert (again.status_code, again.content) == (304, b"")


def test_the_lab_is_linked_where_the_server_has_it(start) -> None:
    with start(lab_page=b"<!doctype html>the lab").client() as client:
        assert client.get("/lab").text == "<!doctype html>the lab"
        assert 'data-lab="/lab"' in client.get("/").text


def test_without_a_lab_there_is_no_link(served) -> None:
    with served.client() as client:
        assert client.get("/lab").status_code == 404
        assert 'data-lab=""' in client.get("/").text


# ---- who may be named ----


def _add(client: httpx.Client, user: str) -> None:
    client.post("/v1/memories", json={"messages": KEY}, headers={"X-Everyword-User": user}).raise_for_status()


def test_without_keys_every_user_can_be_chosen(start) -> None:
    with start(default_user="ben").client() as client:
        _add(client, "ana")
        _add(client, "%E6%96%87%E7%8E%B2")
        told = client.get("/v1/users").json()
    assert told == {"results": ["ana", "文玲"], "default": "ben", "is_fixed": False, "needs_key": False}


def test_a_key_names_only_whom_it_opens(served) -> None:
    with served.client() as client:
        for user in ("ana", "acme/ana", "acme/ben", "beta/eve"):
            _add(client, user)
        tenant = client.get("/v1/users", headers=served.key(tenant="acme")).json()
        one = client.get("/v1/users", headers=served.key(tenant="beta", user="eve")).json()
        assert client.get("/v1/users").status_code == 401
        assert client.get("/v1/users", headers=served.key(metrics=True)).status_code == 403
    assert tenant == {"results": ["ana", "ben"], "default": None, "is_fixed": False, "needs_key": True}
    assert one == {"results": ["eve"], "default": "eve", "is_fixed": True, "needs_key": True}


# ---- what it shows ----


def test_a_conversation_is_known_by_the_first_words_of_the_user(ana: httpx.Client) -> None:
    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": f"  {KEY}\n\nAnd more. {'x' * 300}"},
    ]
    ana.post("/v1/memories", json={"messages": said, "session_id": "s1"})
    ana.post("/v1/memories", json={"messages": {"role": "assistant", "content": "Hello."}, "session_id": "s2"})
    second, first = ana.get("/v1/sessions").json()["results"]
    assert first["begins"].startswith(f"{KEY} And more. xxx")
    assert len(first["begins"]) == 120
    assert second["begins"] == "Hello."


def test_explain_tells_the_way_of_every_message(ana: httpx.Client) -> None:
    said = [{"role": "user", "content": f"Note {number}: I walked to the tea shop."} for number in range(30)]
    ana.post("/v1/memories", json={"messages": [{"role": "user", "content": KEY}, *said], "session_id": "s1"})
    asked = {"question": "Who has my spare key?", "budget": 120, "session_id": "s1", "recent_turns": 1, "limit": 3}
    told = ana.post("/v1/explain", json=asked).json()
    context, by_seq = told["context"], {each["seq"]: each for each in told["messages"]}
    assert by_seq[1]["outcome"] == "packed"
    assert by_seq[1]["stages"]["lexical"]["rank"] == 1
    assert by_seq[31]["outcome"] == "shown as a recent turn"
    dropped = [each for each in told["messages"] if each["outcome"].startswith("dropped: ")]
    assert [each["seq"] for each in context["dropped"][:3]] == sorted(
        (each["seq"] for each in dropped), key=[each["seq"] for each in context["dropped"]].index
    )
    assert all(each["text"] and each["stages"] for each in dropped)
    assert context["tokens"] == sum(context["ledger"].values()) <= 120
    assert [each["id"] for each in context["evidence"]] == [by_seq[each["seq"]]["id"] for each in context["evidence"]]


def test_explain_refuses_what_a_context_refuses(ana: httpx.Client) -> None:
    answer = ana.post("/v1/explain", json={"question": "a long question " * 9, "budget": 3})
    assert (answer.status_code, answer.json()["error"]["type"]) == (422, "ContextLengthExceeded")
    assert ana.post("/v1/explain", json={"question": "x", "strategy": "luck"}).status_code == 400


def test_the_strategies_are_listed_with_what_the_settings_say(start) -> None:
    with start(default_user="ana", strategy="window", budget=777).client() as client:
        told = client.get("/v1/strategies").json()
        for name in told["results"]:
            asked = {"question": "anything?", "strategy": name, "budget": 500}
            assert client.post("/v1/explain", json=asked).status_code == 200, name
    assert (told["default"], told["budget"]) == ("window", 777)


@pytest.mark.parametrize(
    ("scope", "claims"),
    [({"session_id": "s1"}, 1), ({"session_id": "s2"}, 0), ({"everything": True}, 2), ({"before": "2020-12-31"}, 1)],
)
def test_a_preview_counts_the_claims_that_nothing_else_says(ana: httpx.Client, scope: dict, claims: int) -> None:
    ana.post("/v1/memories", json={"messages": "I live in Tainan.", "session_id": "s1", "timestamp": "2020-01-01"})
    ana.post("/v1/memories", json={"messages": "My cat is called Mochi.", "session_id": "s3"})
    ana.post(
        "/v1/memories", json={"messages": {"role": "assistant", "content": "I live in a server."}, "session_id": "s2"}
    )
    told = ana.post("/v1/forget", json={**scope, "preview": True}).json()
    assert (told["claims"], told["is_preview"]) == (claims, True)


def test_jobs_tell_what_waits(start) -> None:
    with start(default_user="ana", vectors="off").client() as client:
        client.post("/v1/memories", json={"messages": KEY})
        jobs = {each["name"]: each for each in client.get("/v1/jobs").json()["results"]}
        assert jobs["vectors"] == {"name": "vectors", "waiting": 1, "failed": 0, "failure": None}
        assert jobs["claims"]["waiting"] == 1
        client.get("/v1/claims")
        jobs = {each["name"]: each for each in client.get("/v1/jobs").json()["results"]}
        assert jobs["claims"]["waiting"] == 0
