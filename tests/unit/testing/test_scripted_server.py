from __future__ import annotations

import importlib.util
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

QUESTION = [{"role": "user", "content": "Where is the key?"}]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(name="client")
def _client(server: ScriptedServer) -> Any:
    """The official client, as it talks to any endpoint."""
    if importlib.util.find_spec("openai") is None:
        pytest.fail("not installed: openai") if os.environ.get("CI") else pytest.skip("not installed: openai")
    from openai import OpenAI

    with OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
        yield client


def ask(client: Any, text: str = "Where is the key?", **options: Any) -> Any:
    return client.chat.completions.create(model="tiny", messages=[{"role": "user", "content": text}], **options)


def posted(server: ScriptedServer, path: str, body: bytes) -> tuple[int, Any]:
    request = urllib.request.Request(f"{server.base_url}{path}", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_rules_come_first_then_the_order_then_the_rest(server: ScriptedServer, client: Any) -> None:
    server.then("first", "second").otherwise("rest")
    server.when("coin", "coins!").when(re.compile("tea|茶"), "tea!", times=1).when(
        lambda asked: "x" in asked.body, "x!"
    )
    said = [ask(client, text).choices[0].message.content for text in ("a", "my coin", "茶", "茶", "b", "c")]
    assert said == ["first", "coins!", "tea!", "second", "rest", "rest"]
    assert [asked.last for asked in server.requests] == ["a", "my coin", "茶", "茶", "b", "c"]


def test_a_reply_may_be_made_from_the_request(server: ScriptedServer, client: Any) -> None:
    server.otherwise(lambda asked: {"said": asked.last})
    assert json.loads(ask(client).choices[0].message.content) == {"said": "Where is the key?"}


def test_a_stream_says_the_same_in_pieces(server: ScriptedServer, client: Any) -> None:
    text = "Under the  old mat,\n在門口的墊子下面。"
    server.then(ScriptedReply(text=text, finish="length"))
    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    pieces = [each.choices[0].delta.content for each in chunks if each.choices and each.choices[0].delta.content]
    assert len(pieces) > 3
    assert "".join(pieces) == text
    assert [each.choices[0].finish_reason for each in chunks if each.choices][-1] == "length"
    assert chunks[-1].usage.prompt_tokens == server.requests[0].tokens


def test_tool_calls_are_said_whole_and_in_a_stream(server: ScriptedServer, client: Any) -> None:
    call = ScriptedReply(tool_calls=(("recall", {"question": "coins"}),))
    server.then(call, call)
    whole = ask(client).choices[0]
    assert whole.finish_reason == "tool_calls"
    assert json.loads(whole.message.tool_calls[0].function.arguments) == {"question": "coins"}
    deltas = [each.choices[0].delta for each in ask(client, stream=True)]
    assert [call.function.name for delta in deltas for call in delta.tool_calls or ()] == ["recall"]


def test_a_broken_connection_ends_in_the_middle(server: ScriptedServer, client: Any) -> None:
    import openai

    broken = ScriptedReply(text="Under the mat at the door. " * 10, is_broken=True)
    server.then(broken, broken)
    with pytest.raises(openai.APIConnectionError):
        ask(client)
    heard: list[str] = []
    with pytest.raises(Exception, match="incomplete chunked read|peer closed|Connection error"):
        heard.extend(each.choices[0].delta.content or "" for each in ask(client, stream=True))
    assert "".join(heard)
    assert broken.text.startswith("".join(heard))
    server.then("in")
    assert ask(client).choices[0].message.content == "in"


def test_a_busy_server_says_when_to_come_back(server: ScriptedServer, client: Any) -> None:
    import openai

    server.then(ScriptedReply(status=429, retry_after=3, error="Slow down.", code="rate_limit"))
    with pytest.raises(openai.RateLimitError, match="Slow down.") as caught:
        ask(client)
    assert caught.value.response.headers["retry-after"] == "3"
    assert caught.value.code == "rate_limit"


def test_models_are_listed(client: Any) -> None:
    assert [model.id for model in client.models.list()] == ["scripted"]


def test_embeddings_are_near_where_words_are_shared_in_either_encoding(client: Any) -> None:
    texts = ["the silver coin", "a silver coin", "rain in May"]
    packed = client.embeddings.create(model="tiny", input=texts)
    plain = client.embeddings.create(model="tiny", input=texts, encoding_format="float")
    rows = np.array([each.embedding for each in packed.data])
    assert np.allclose(rows, [each.embedding for each in plain.data], atol=1e-6)
    assert rows[0] @ rows[1] > 0.9
    assert rows[0] @ rows[2] < 0.5
    one = client.embeddings.create(model="tiny", input="coin", dimensions=8)
    assert len(one.data[0].embedding) == 8


def test_a_script_that_has_no_reply_says_what_it_was_asked(server: ScriptedServer) -> None:
    status, said = posted(server, "/chat/completions", json.dumps({"messages": QUESTION}).encode())
    assert status == 501
    assert "Where is the key?" in said["error"]["message"]


def test_what_it_does_not_know_is_an_error_as_of_any_endpoint(server: ScriptedServer) -> None:
    assert posted(server, "/responses", b"{}")[0] == 404
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{server.base_url}/files", timeout=5)
    assert posted(server, "/chat/completions", b"not json")[0] == 400


def test_a_wrong_key_is_refused_everywhere() -> None:
    with ScriptedServer("in", api_key="right") as server:
        assert posted(server, "/chat/completions", json.dumps({"messages": QUESTION}).encode())[0] == 401
        assert posted(server, "/embeddings", b"{}")[0] == 401
        assert server.requests == []
