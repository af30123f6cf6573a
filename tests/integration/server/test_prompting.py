"""The whole prompt, the health of a memory, what `route` decided and the work in the background, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from everyword import Memory, Window
from everyword.testing.scripted_model import ScriptedModel

KEY = "My spare key is with Mrs. Chou from the tea shop."
WINDOW: dict[str, Any] = {
    "tokens": 4_000,
    "system": "You help a family.",
    "tools": [{"type": "function", "function": {"name": "call", "parameters": {}}}],
    "constraints": "Never tell strangers.",
}


def _talked(client: httpx.Client) -> None:
    client.post("/v1/memories", json={"messages": KEY, "session_id": "s0"}).raise_for_status()
    said = [{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": "Good morning to you."}]
    client.post("/v1/memories", json={"messages": said, "session_id": "s1"}).raise_for_status()


def test_a_prompt_is_what_the_library_fills_with_an_account_of_every_token(ana: httpx.Client, served: Any) -> None:
    _talked(ana)
    asked = {"question": "Who has my spare key?", "window": WINDOW, "session_id": "s1"}
    made = ana.post("/v1/prompt", json=asked).json()
    own = served.what.memory.prompt(
        asked["question"], user_id="ana", window=Window(**WINDOW), session_id=asked["session_id"]
    )
    assert made["request"] == own.to_openai()
    assert made["text"] == own.text
    assert sum(made["ledger"].values()) == made["tokens"] <= made["budget"] == 3_200
    assert made["answer_tokens"] == 800
    assert set(made["ledger"]) >= {"system", "tools", "constraints", "evidence", "recent", "question"}
    assert KEY in made["request"]["messages"][1]["content"]
    assert [each["text"] for each in made["context"]["evidence"]] == [KEY]
    assert made["prefix"]["kept"] is None
    again = ana.post("/v1/prompt", json=asked).json()
    assert (again["prefix"]["kept"], again["prefix"]["common"]) == (1.0, 1.0)


def test_a_prompt_can_have_the_form_of_anthropic_and_a_window_that_is_a_number(ana: httpx.Client) -> None:
    _talked(ana)
    asked = {"question": "Who has my spare key?", "window": 2_000, "shape": "anthropic", "session_id": "s1"}
    request = ana.post("/v1/prompt", json=asked).json()["request"]
    assert KEY in request["system"][-1]["text"]
    assert [each["role"] for each in request["messages"]] == ["user", "assistant", "user"]


def test_a_full_window_says_what_left_it(ana: httpx.Client) -> None:
    for number in range(30):
        ana.post("/v1/memories", json={"messages": f"Turn {number}: " + "the river rose " * 20, "session_id": "s1"})
    asked = {"question": "What of the river?", "window": {"tokens": 1_000, "memory": 100}, "session_id": "s1"}
    made = ana.post("/v1/prompt", json=asked).json()
    assert made["flushed"] > 0
    assert "flushed" in {each["kind"] for each in made["alerts"]}


@pytest.mark.parametrize(
    ("wrong", "status", "kind"),
    [
        ({"window": 20}, 422, "ContextLengthExceeded"),
        ({"window": 0}, 422, "InvalidInputError"),
        ({"window": {"tokens": 900, "answer": 1.0}}, 422, "InvalidInputError"),
        ({"window": {"tokens": 900, "order": "best"}}, 422, "InvalidInputError"),
        ({"window": {"tokens": 900, "colour": "red"}}, 422, "InvalidInputError"),
        ({}, 422, "InvalidInputError"),
        ({"window": 900, "strategy": "luck"}, 400, "InvalidInputError"),
        ({"window": 900, "question": " "}, 400, "InvalidInputError"),
        ({"window": 900, "shape": "gemini"}, 422, "InvalidInputError"),
    ],
)
def test_a_prompt_that_cannot_be_is_refused_in_the_one_shape(
    ana: httpx.Client, wrong: dict[str, Any], status: int, kind: str
) -> None:
    answer = ana.post("/v1/prompt", json={"question": "Who has my spare key? " * 3, **wrong})
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, kind)
    if kind == "ContextLengthExceeded":
        assert answer.json()["error"]["needed"] > answer.json()["error"]["budget"] == 16


def test_prompts_are_counted_in_the_metrics_and_on_the_account_that_health_tells(ana: httpx.Client) -> None:
    _talked(ana)
    ana.post("/v1/prompt", json={"question": "Who has my spare key?", "window": WINDOW, "session_id": "s1"})
    assert 'everyword_context_tokens_count{source="tools"} 1.0' in ana.get("/metrics").text
    found = ana.get("/v1/health").json()
    assert (found["prompts"], found["questions"]) == (1, 2)
    figures = {each["name"]: each for each in found["figures"]}
    assert figures["prompt by source"]["value"]["tools"] > 0
    assert figures["last verify"]["remedy"]
    assert found["ok"] is False
    ana.get("/v1/verify")
    after = {each["name"]: each for each in ana.get("/v1/health", params={"questions": 1}).json()["figures"]}
    assert after["last verify"]["remedy"] is None


def test_health_is_of_the_user_who_asks(served: Any) -> None:
    key = served.key(user="ana")
    served.what.memory.add(KEY, user_id="ben")
    served.what.memory.prompt("Who?", user_id="ben", window=900)
    with served.client(**key) as client:
        assert client.get("/v1/health").json()["prompts"] == 0
        assert client.get("/v1/health", headers={"X-Everyword-User": "ben"}).status_code == 403
        assert (
            client.post("/v1/prompt", json={"question": "Who has the key?", "window": 900}).json()["context"][
                "evidence"
            ]
            == []
        )
    with served.client() as client:
        assert client.get("/v1/health").status_code == 401


def test_a_context_tells_what_route_decided_and_what_the_model_answered(start: Any) -> None:
    from everyword.models.structured_chat import StructuredChat

    enough = ScriptedModel({"answerable": True, "answer": "Mrs. Chou."})
    served = start(llm=StructuredChat(enough, repairs=0), route_evidence=300, route_audit=0)
    served.what.memory.add(
        [{"role": "user", "content": f"Day {n}: the mill was loud."} for n in range(80)], user_id="ana"
    )
    served.what.memory.add(KEY, user_id="ana")
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        asked = {"question": "Who has my spare key?", "budget": 9_000}
        routed = client.post("/v1/context", json={**asked, "strategy": "route"}).json()
        plain = client.post("/v1/context", json=asked).json()
    assert routed["answer"] == "Mrs. Chou."
    assert (routed["decision"]["by"], routed["decision"]["took"], routed["decision"]["was_enough"]) == (
        "model",
        "evidence",
        True,
    )
    assert 0 < routed["decision"]["evidence_tokens"] <= 300 < routed["decision"]["full_tokens"]
    assert (plain["answer"], plain["decision"]) == (None, None)


def test_without_a_language_model_nobody_works_on_summaries(ana: httpx.Client) -> None:
    assert [each["name"] for each in ana.get("/v1/jobs").json()["results"]] == ["vectors", "claims"]


def test_claims_that_wait_for_a_summary_are_told(start: Any) -> None:
    served = start(llm=ScriptedModel(), claims="off")
    memory: Memory = served.what.memory
    kept = [memory.claims.remember(f"I own coin number {n}.", user_id="ana") for n in range(9)]
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        jobs = {each["name"]: each for each in client.get("/v1/jobs").json()["results"]}
        assert (jobs["summaries"]["waiting"], jobs["summaries"]["failed"], jobs["summaries"]["failure"]) == (9, 0, None)
        for each in kept[:2]:
            memory.forget(message_ids=[each.message_id], user_id="ana")
        jobs = {each["name"]: each for each in client.get("/v1/jobs").json()["results"]}
        assert jobs["summaries"]["waiting"] == 0, "fewer than eight are quoted until there are more"


def test_decisions_of_route_are_listed_page_by_page_and_summed_up(start: Any) -> None:
    from everyword.models.structured_chat import StructuredChat

    enough, missing = {"answerable": True, "answer": "Loud."}, {"answerable": False, "answer": ""}
    model = StructuredChat(ScriptedModel(enough, missing, enough), repairs=0)
    served = start(llm=model, route_evidence=300, route_audit=0)
    served.what.memory.add(
        [{"role": "user", "content": f"Day {n}: the mill was loud."} for n in range(80)], user_id="ana"
    )
    with served.client(**{"X-Everyword-User": "ana"}) as client:
        assert client.get("/v1/routes").json() == {"results": [], "next_cursor": None}
        assert client.get("/v1/routes/report").json()["fallback_rate"] is None
        for question in ["Was the mill loud?", "How often?", "Was it loud on day 7?"]:
            asked = {"question": question, "budget": 9_000, "strategy": "route"}
            client.post("/v1/context", json=asked).raise_for_status()
        first = client.get("/v1/routes", params={"limit": 2}).json()
        rest = client.get("/v1/routes", params={"limit": 2, "cursor": first["next_cursor"]}).json()
        report = client.get("/v1/routes/report", params={"window": 2}).json()
        assert client.get("/v1/routes/report", params={"bound": 2}).status_code == 422
    listed = [*first["results"], *rest["results"]]
    assert [each["number"] for each in listed] == [3, 2, 1]
    assert rest["next_cursor"] is None
    assert [each["was_enough"] for each in listed] == [True, False, True]
    assert listed[1]["took"] == "full"
    assert listed[0]["at"] > listed[2]["at"]
    assert (report["decisions"], report["fell_back"], report["by"]) == (3, 1, {"model": 3})
    assert report["fallback_rate"] == pytest.approx(1 / 3)
    assert report["baseline_rate"] == pytest.approx(1 / 2)


def test_decisions_are_those_of_the_user_who_asks(served: Any) -> None:
    key = served.key(user="ana")
    served.what.memory.add(KEY, user_id="ben")
    served.what.memory.context("Who has my spare key?", user_id="ben", strategy="route")
    with served.client(**key) as client:
        assert client.get("/v1/routes").json()["results"] == []
        assert client.get("/v1/routes/report").json()["decisions"] == 0
        assert client.get("/v1/routes", headers={"X-Everyword-User": "ben"}).status_code == 403
