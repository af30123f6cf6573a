"""The chat proxy as the users of the official client meet it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpx
import openai
import pytest
from openai import OpenAI

from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

KEY = "My spare key is with Mrs. Chou from the tea shop."
ASK = "Who has my spare key?"
TOOLS: Any = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}]


@contextmanager
def _client(served: Any, **headers: str) -> Iterator[OpenAI]:
    named = {"X-Everyword-User": "ana", **headers}
    with OpenAI(base_url=f"{served.url}/v1", api_key="sk-own", default_headers=named, max_retries=0) as client:
        yield client


def _say(client: OpenAI, *texts: str, **more: Any) -> Any:
    """Ask with a history of alternating messages."""
    roles = ["user", "assistant"] * len(texts)
    messages: Any = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return client.chat.completions.create(model="scripted", messages=messages, **more)


def _stored(served: Any, user: str = "ana") -> list[dict[str, Any]]:
    with served.client(**{"X-Everyword-User": user}) as client:
        return client.get("/v1/memories", params={"limit": 100}).json()["results"]


def _texts(served: Any, user: str = "ana") -> list[tuple[str, str]]:
    return [(each["role"], each["text"]) for each in _stored(served, user)]


def _until(happened: Callable[[], Any], seconds: float = 10) -> Any:
    until = time.monotonic() + seconds
    while not (found := happened()) and time.monotonic() < until:
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("stream", [False, True])
def test_what_was_said_in_one_session_answers_in_the_next(proxy, upstream: ScriptedServer, stream: bool) -> None:
    upstream.then("Good to know.", "Mrs. Chou has it.")
    with _client(proxy) as client:
        for question in (KEY, ASK):
            reply = _say(client, question, stream=stream)
            if stream:
                assert "".join(chunk.choices[0].delta.content or "" for chunk in reply).endswith(("know.", "has it."))
    sent = upstream.requests[-1].body["messages"]
    assert [each["role"] for each in sent] == ["system", "user"]
    assert KEY in sent[0]["content"]
    assert sent[1] == {"role": "user", "content": ASK}
    assert _texts(proxy) == [
        ("user", KEY), ("assistant", "Good to know."), ("user", ASK), ("assistant", "Mrs. Chou has it.")
    ]  # fmt: skip
    assert len({each["session_id"] for each in _stored(proxy)}) == 2


def test_a_conversation_is_stored_once_and_in_one_session_however_often_its_history_is_sent(
    proxy, upstream: ScriptedServer
) -> None:
    upstream.then("Hi!", "Fine.", "Bye!")
    with _client(proxy) as client:
        _say(client, "Hello")
        _say(client, "Hello", "Hi!", "How are you?")
        _say(client, "Hello", "Hi!", "How are you?", "Fine.", "Goodbye")
    assert [text for _, text in _texts(proxy)] == ["Hello", "Hi!", "How are you?", "Fine.", "Goodbye", "Bye!"]
    assert len({each["session_id"] for each in _stored(proxy)}) == 1


def test_a_history_that_was_never_seen_is_stored_whole(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Of course.")
    with _client(proxy) as client:
        _say(client, "The code is 4711.", "Noted.", "Do you remember it?")
    assert [text for _, text in _texts(proxy)] == ["The code is 4711.", "Noted.", "Do you remember it?", "Of course."]


def test_memory_does_not_repeat_what_the_request_shows(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Noted.", "Noted too.", "Both.")
    with _client(proxy) as client:
        _say(client, "The blue vase is from Lisbon.")
        _say(client, "The green vase is from Porto.")
        _say(client, "The green vase is from Porto.", "Noted too.", "Which vase is from where?")
    memory = upstream.requests[-1].body["messages"][2]
    assert memory["role"] == "system"
    assert "Lisbon" in memory["content"]
    assert "Porto" not in memory["content"]


def test_all_before_the_newest_question_is_the_clients_own_bytes(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Noted.", "A.", "B.")
    with _client(proxy) as client:
        _say(client, KEY)
        _say(client, "Hello", "Hi", ASK)
        _say(client, "Hello", "Hi", ASK, "A.", "And the other key?")
    second, third = (request.body["messages"] for request in upstream.requests[1:])
    assert "<memory>" in second[2]["content"]
    assert "<memory>" in third[4]["content"]
    assert second[:2] == third[:2]
    assert [each["content"] for each in third if each["role"] != "system"] == [
        "Hello", "Hi", ASK, "A.", "And the other key?"
    ]  # fmt: skip


@pytest.mark.parametrize(("place", "at"), [("turn", 2), ("front", 1)])
def test_a_header_says_where_memory_stands(proxy, upstream: ScriptedServer, place: str, at: int) -> None:
    upstream.then("Noted.", "Hi.")
    with _client(proxy, **{"X-Everyword-Place": place}) as client:
        _say(client, KEY)
        messages: Any = [
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "Welcome."},
            {"role": "user", "content": ASK},
        ]
        client.chat.completions.create(model="scripted", messages=messages)
    sent = upstream.requests[-1].body["messages"]
    assert [number for number, each in enumerate(sent) if "<memory>" in each["content"]] == [at]


def test_tools_pass_through_and_memory_stays_the_same_while_they_run(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Noted.", ScriptedReply(tool_calls=(("find", {"q": "key"}),)), "Mrs. Chou has it.")
    with _client(proxy) as client:
        _say(client, KEY)
        messages: list[Any] = [{"role": "user", "content": ASK}]
        called = client.chat.completions.create(model="scripted", messages=messages, tools=TOOLS)
        call = called.choices[0].message
        assert call.tool_calls
        messages += [
            call.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": call.tool_calls[0].id, "content": "found: the key of the tea shop"},
        ]
        client.chat.completions.create(model="scripted", messages=messages, tools=TOOLS)
    first, second = (request.body for request in upstream.requests[1:])
    assert first["tools"] == second["tools"] == TOOLS
    assert second["messages"][:2] == first["messages"]
    assert [each["role"] for each in _stored(proxy)] == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    assert len({each["session_id"] for each in _stored(proxy)[2:]}) == 1
    assert _stored(proxy)[3]["content"]["tool_calls"][0]["function"]["name"] == "find"


def test_forgotten_words_are_not_sent_while_tools_run(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Noted.", ScriptedReply(tool_calls=(("find", {}),)), "I do not know.")
    with _client(proxy) as client, proxy.client(**{"X-Everyword-User": "ana"}) as rest:
        _say(client, KEY)
        messages: list[Any] = [{"role": "user", "content": ASK}]
        call = client.chat.completions.create(model="scripted", messages=messages, tools=TOOLS).choices[0].message
        rest.post("/v1/forget", json={"message_ids": [_stored(proxy)[0]["id"]]})
        messages += [call.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": "call_1", "content": "no"}]
        client.chat.completions.create(model="scripted", messages=messages, tools=TOOLS)
    assert "Chou" in str(upstream.requests[1].body)
    assert "Chou" not in str(upstream.requests[2].body)


def test_streamed_calls_of_tools_are_stored_whole(proxy, upstream: ScriptedServer) -> None:
    upstream.then(ScriptedReply(tool_calls=(("find", {"q": "鑰匙"}),)))
    with _client(proxy) as client:
        list(_say(client, ASK, stream=True, tools=TOOLS))
    call = _stored(proxy)[1]["content"]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"q": "鑰匙"}


def test_the_reply_tells_tokens_by_source_trace_and_session(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Noted.", "Mrs. Chou.")
    with _client(proxy, **{"X-Everyword-Session": "%E6%97%85", "X-Everyword-Budget": "100"}) as client:
        _say(client, KEY)
        answer = client.chat.completions.with_raw_response.create(
            model="scripted", messages=[{"role": "user", "content": ASK}]
        )
    told = dict(part.split("=") for part in answer.headers["X-Everyword-Tokens"].split(", "))
    memory = upstream.requests[-1].body["messages"][0]["content"]
    assert int(told["memory"]) == proxy.what.memory.count(memory) <= 100
    assert int(told["conversation"]) == proxy.what.memory.count(ASK)
    assert answer.headers["X-Everyword-Session"] == "%E6%97%85"
    assert answer.headers["X-Everyword-Stored"] == "yes"
    trace = answer.headers["X-Everyword-Trace"]
    assert [each["metadata"]["trace_id"] == trace for each in _stored(proxy)] == [False, False, True, True]
    assert {each["session_id"] for each in _stored(proxy)} == {"旅"}


@pytest.mark.parametrize("budget", [1, 20, 60, 150, 400])
def test_memory_never_takes_more_than_its_budget(proxy, upstream: ScriptedServer, budget: int) -> None:
    upstream.otherwise("Noted.")
    with _client(proxy, **{"X-Everyword-Budget": str(budget)}) as client:
        for number in range(12):
            _say(client, f"Key number {number} is with neighbour {number * 7}, whom I trust more than the others.")
        _say(client, "Hello", "Noted.", "Which neighbour has which key? " * 30)
    memories = [each["content"] for each in upstream.requests[-1].body["messages"] if each["role"] == "system"]
    assert sum(map(proxy.what.memory.count, memories)) <= budget
    assert memories or budget < 150


def test_memory_off_neither_recalls_nor_stores_and_read_only_recalls(proxy, upstream: ScriptedServer) -> None:
    upstream.otherwise("Noted.")
    with _client(proxy) as client:
        _say(client, KEY)
    for use, is_recalled in (("off", False), ("read", True)):
        for stream in (False, True):
            with _client(proxy, **{"X-Everyword-Memory": use}) as client:
                reply = _say(client, ASK, stream=stream)
                if stream:
                    list(reply)
            assert ("Chou" in str(upstream.requests[-1].body)) == is_recalled
    assert len(_stored(proxy)) == 2


def test_users_do_not_share_what_they_say(proxy, upstream: ScriptedServer) -> None:
    upstream.otherwise("Noted.")
    with _client(proxy) as client:
        _say(client, KEY)
    with _client(proxy, **{"X-Everyword-User": "ben"}) as client:
        _say(client, ASK)
    assert "Chou" not in str(upstream.requests[-1].body)


def test_an_error_of_the_upstream_comes_through_unchanged_and_stores_nothing(proxy, upstream: ScriptedServer) -> None:
    refusal = ScriptedReply(status=429, error="slow down", code="rate_limit_exceeded", retry_after=7)
    upstream.then(refusal, refusal, ScriptedReply(status=400, body=b"not even JSON"))
    with _client(proxy) as client:
        for stream in (False, True):
            with pytest.raises(openai.RateLimitError) as limited:
                _say(client, ASK, stream=stream)
            assert limited.value.body["code"] == "rate_limit_exceeded"  # type: ignore[index, call-overload]
            assert limited.value.response.headers["Retry-After"] == "7"
        with pytest.raises(openai.BadRequestError) as bad:
            _say(client, ASK)
        assert bad.value.response.content == b"not even JSON"
    assert _stored(proxy) == []


def test_a_dead_upstream_is_told_and_stores_nothing(start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    served = start(upstream_url=f"http://127.0.0.1:{port}/v1")
    with _client(served) as client, pytest.raises(openai.InternalServerError) as dead:
        _say(client, ASK)
    assert dead.value.status_code == 502
    assert _stored(served) == []


def test_a_reply_that_breaks_in_the_middle_is_told_and_stores_nothing(proxy, upstream: ScriptedServer) -> None:
    upstream.then(ScriptedReply(text="Mrs. Chou has it.", is_broken=True))
    with _client(proxy) as client, pytest.raises(openai.InternalServerError) as broken:
        _say(client, ASK)
    assert broken.value.status_code == 502
    assert _stored(proxy) == []


def test_a_stream_that_breaks_upstream_stores_what_arrived_marks_it_and_breaks_for_the_client_too(
    proxy, upstream: ScriptedServer
) -> None:
    upstream.then(ScriptedReply(text="Mrs. Chou from the tea shop has had it since spring.", is_broken=True))
    heard: list[str] = []
    with _client(proxy) as client, pytest.raises(Exception) as broken:
        for chunk in _say(client, ASK, stream=True):
            heard.append(chunk.choices[0].delta.content or "")  # noqa: PERF401 - it raises in the middle
    assert not isinstance(broken.value, openai.APIStatusError)
    asked, said = _until(lambda: len(found := _stored(proxy)) == 2 and found)
    assert asked["text"] == ASK
    assert said["text"] == "".join(heard) != ""
    assert said["metadata"]["incomplete"] == "the upstream ended early"
    assert "incomplete" not in asked["metadata"]


class SlowUpstream:
    """Sends some events of a stream, then waits until its client goes away."""

    def __init__(self, *texts: str, end: bytes = b"") -> None:
        self._texts = texts
        self._end = end
        self.is_left = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._answer, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        self._thread.join(10)

    def _answer(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            asked = b""
            while not asked.endswith(b"}"):
                asked += connection.recv(65536)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            for text in self._texts:
                delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
                event = f"data: {json.dumps(delta)}\n\n".encode()
                connection.sendall(b"%x\r\n%s\r\n" % (len(event), event))
            connection.sendall(self._end)
            connection.settimeout(15)
            if connection.recv(1) == b"":
                self.is_left.set()


def test_a_client_that_goes_away_stores_what_arrived_and_lets_the_upstream_go(start) -> None:
    with SlowUpstream("Mrs. Chou ", "has ") as slow:
        served = start(upstream_url=slow.url)
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": ASK}]}
        with served.client(**{"X-Everyword-User": "ana"}) as client:
            with client.stream("POST", "/v1/chat/completions", json=body) as answer:
                assert b"Mrs. Chou" in next(answer.iter_raw())
        found = _until(lambda: len(found := _stored(served)) == 2 and found)
        assert found[1]["text"] == "Mrs. Chou has "
        assert found[1]["metadata"]["incomplete"] == "the client went away"
        assert slow.is_left.wait(10)


def test_a_stream_that_said_its_last_word_is_whole_though_its_connection_stays_open(start) -> None:
    done = b"data: [DONE]\n\n"
    with SlowUpstream("Mrs. Chou has it.", end=b"%x\r\n%s\r\n" % (len(done), done)) as slow:
        served = start(upstream_url=slow.url)
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": ASK}]}
        with served.client(**{"X-Everyword-User": "ana"}) as client:
            with client.stream("POST", "/v1/chat/completions", json=body) as answer:
                heard = b""
                for data in answer.iter_raw():
                    heard += data
                    if heard.endswith(done):
                        break
                assert [each["text"] for each in _stored(served)] == [ASK, "Mrs. Chou has it."]
        assert "incomplete" not in _stored(served)[1]["metadata"]


def test_a_stream_that_ends_well_without_a_last_word_ends_well_for_the_client_and_is_marked(start) -> None:
    with SlowUpstream("Mrs. Chou ", end=b"0\r\n\r\n") as slow:
        served = start(upstream_url=slow.url)
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": ASK}]}
        with served.client(**{"X-Everyword-User": "ana"}) as client:
            assert b"Mrs. Chou" in client.post("/v1/chat/completions", json=body).content
        assert _stored(served)[1]["metadata"]["incomplete"] == "the upstream ended early"


def test_the_bytes_of_a_stream_come_through_unchanged(proxy, upstream: ScriptedServer) -> None:
    upstream.then("Mrs. Chou has it, 鑰匙.", "Mrs. Chou has it, 鑰匙.")
    body = {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "x"}],
    }
    direct = httpx.post(f"{upstream.base_url}/chat/completions", json=body, trust_env=False)
    with proxy.client(**{"X-Everyword-User": "ana"}) as client:
        through = client.post("/v1/chat/completions", json=body)
    assert through.content == direct.content
    assert through.content.endswith(b"data: [DONE]\n\n")


def test_a_request_that_is_no_chat_is_left_to_the_upstream_byte_for_byte(proxy, upstream: ScriptedServer) -> None:
    upstream.otherwise("Hm.")
    with proxy.client(**{"X-Everyword-User": "ana"}) as client:
        assert client.post("/v1/chat/completions", content=b"{nonsense").status_code == 400
        assert client.post("/v1/chat/completions", content=b'{"model": "m", "messages": []}').status_code == 200
    assert _stored(proxy) == []


def test_models_are_the_upstreams(proxy) -> None:
    with _client(proxy) as client:
        assert [each.id for each in client.models.list()] == ["scripted"]
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve("none/such")


@pytest.mark.parametrize("model", ["..%2Ffiles", "%2e%2e/files", "a/..%2f..%2ffiles", ".", "a%2F%2Fb"])
def test_no_path_leads_past_the_models_to_something_else_of_the_upstream(proxy, model: str) -> None:
    host, port = proxy.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(f"GET /v1/models/{model} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"NotFoundError" in answer


def test_a_model_may_have_any_name(proxy) -> None:
    with proxy.client() as client:
        answer = client.get("/v1/models/meta%20llama/%C3%A9%02%3Fx=1%23y:latest")
    assert answer.json()["error"]["message"] == "There is no /v1/models/meta%20llama/%C3%A9%02%3Fx%3D1%23y%3Alatest."


def test_the_upstream_gets_the_clients_key_or_the_servers_but_never_one_of_ours(
    start, upstream: ScriptedServer
) -> None:
    upstream.otherwise("Hi.")
    served = start(upstream_url=upstream.base_url)
    with _client(served) as client:
        _say(client, "Hello")
        assert upstream.requests[-1].headers["authorization"] == "Bearer sk-own"
    ours = served.key(user="ana")
    text = ours["Authorization"].removeprefix("Bearer ")
    with served.client() as client:
        body = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
        client.post("/v1/chat/completions", json=body, headers=ours).raise_for_status()
        assert text not in str(upstream.requests[-1].headers)
        both = {"X-Everyword-Key": text, "Authorization": "Bearer sk-own"}
        client.post("/v1/chat/completions", json=body, headers=both).raise_for_status()
        assert text not in str(upstream.requests[-1].headers)
        assert upstream.requests[-1].headers["authorization"] == "Bearer sk-own"
        served.what.upstream_key = "sk-server"
        client.post("/v1/chat/completions", json=body, headers=ours).raise_for_status()
        assert upstream.requests[-1].headers["authorization"] == "Bearer sk-server"


def test_the_official_client_works_with_a_key_of_ours_alone(start, upstream: ScriptedServer) -> None:
    upstream.then("Noted.")
    served = start(upstream_url=upstream.base_url)
    text = served.key(user="ana")["Authorization"].removeprefix("Bearer ")
    with OpenAI(base_url=f"{served.url}/v1", api_key=text, max_retries=0) as client:
        _say(client, KEY)
    with OpenAI(base_url=f"{served.url}/v1", api_key="sk-other", max_retries=0) as client:
        with pytest.raises(openai.AuthenticationError):
            _say(client, ASK)


def test_a_memory_that_fails_is_told_before_anything_is_paid(proxy, upstream: ScriptedServer) -> None:
    upstream.otherwise("Hi.")
    with (
        _client(proxy, **{"X-Everyword-Strategy": "luck"}) as client,
        pytest.raises(openai.BadRequestError, match="luck"),
    ):
        _say(client, ASK)
    assert upstream.requests == []


def test_an_exchange_that_cannot_be_stored_reaches_the_client_and_is_told(proxy, upstream: ScriptedServer) -> None:
    upstream.otherwise("Mrs. Chou has it.")
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": ASK, "metadata": "no object"}]}
    with proxy.client(**{"X-Everyword-User": "ana"}) as client:
        whole = client.post("/v1/chat/completions", json=body)
        assert whole.status_code == 200
        assert whole.headers["X-Everyword-Stored"] == "failed"
        streamed = client.post("/v1/chat/completions", json=body | {"stream": True})
        assert b": everyword could not store this exchange\n\ndata: [DONE]" in streamed.content
        assert "everyword_exchanges_not_stored_total 2.0" in client.get("/metrics").text
