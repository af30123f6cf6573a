from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from everyword.errors import AccessRefusedError, ProviderError, SettingsError
from everyword.models.openai_chat import OpenAIChat
from everyword.models.retries import Retries
from everyword.ports import Reply, Usage
from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

QUESTION = [{"role": "user", "content": "Where is the key?"}]
FORM = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}


@pytest.fixture(autouse=True)
def _only_the_settings_of_the_test(need: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    need("openai", "jsonschema")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EVERYWORD_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


class Clock:
    """Keeps the waits and does not wait."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


def chat(server: ScriptedServer, **options: Any) -> OpenAIChat:
    return OpenAIChat("tiny", base_url=server.base_url, **{"sleep": Clock(), **options})


def ask(model: OpenAIChat, **options: Any) -> Reply:
    return model.complete(QUESTION, **{"max_tokens": 50, **options})


def test_a_reply_has_its_words_its_end_and_its_tokens(server: ScriptedServer) -> None:
    server.then(ScriptedReply(text="Under the mat.", cached_tokens=3))
    reply = ask(chat(server), temperature=0.25)
    assert (reply.text, reply.finish, reply.refusal, reply.calls) == ("Under the mat.", "stop", None, 1)
    assert reply.usage == Usage(input_tokens=server.requests[0].tokens, output_tokens=4, cached_tokens=3)
    assert server.requests[0].body == {"model": "tiny", "messages": QUESTION, "max_tokens": 50, "temperature": 0.25}


def test_an_endpoint_that_tells_no_tokens_is_estimated(server: ScriptedServer) -> None:
    server.then(ScriptedReply(text="Under the mat.", has_usage=False))
    parts = [{"type": "text", "text": "Where is"}, {"type": "image_url"}, {"type": "text", "text": " the key?"}]
    usage = chat(server).complete([{"role": "user", "content": parts}], max_tokens=50).usage
    assert usage == Usage(input_tokens=server.requests[0].tokens, output_tokens=4, is_estimated=True)
    assert usage.input_tokens > 0


@pytest.mark.parametrize(
    "said", ["<think>Hm. {1}\n</think>\n\nUnder the mat.", "Hm.\n</think>\nUnder the mat.", "Under the mat."]
)
def test_reasoning_is_no_part_of_the_text(server: ScriptedServer, said: str) -> None:
    server.then(ScriptedReply(text=said, reasoning="It said so."))
    assert ask(chat(server)).text == "Under the mat."


def test_reasoning_that_never_ended_is_no_text_either(server: ScriptedServer) -> None:
    server.then(ScriptedReply(text="<think>Let me see, the key", finish="length"))
    reply = ask(chat(server))
    assert (reply.text, reply.is_cut_off) == ("", True)


def test_refusals_are_told_in_the_reply(server: ScriptedServer) -> None:
    server.then(
        ScriptedReply(refusal="I can't help with that."),
        ScriptedReply(text="Under", finish="content_filter"),
        ScriptedReply(status=400, error="The prompt was filtered.", code="content_filter"),
    )
    model = chat(server)
    replies = [ask(model) for _ in range(3)]
    assert [reply.is_refused for reply in replies] == [True] * 3
    assert [reply.refusal for reply in replies] == ["I can't help with that.", None, "The prompt was filtered."]
    assert len(server.requests) == 3


def test_a_busy_endpoint_is_asked_again_when_it_says(server: ScriptedServer) -> None:
    clock = Clock()
    server.then(ScriptedReply(status=429, retry_after=7), ScriptedReply(status=503), "Under the mat.")
    assert ask(chat(server, sleep=clock)).text == "Under the mat."
    assert clock.waits[0] == 7.0
    assert 0.75 <= clock.waits[1] <= 1.0


@pytest.mark.parametrize(
    "trouble",
    [
        ScriptedReply(status=500),
        ScriptedReply(text="Under the mat." * 50, is_broken=True),
        ScriptedReply(body=b'{"choices": [{'),
        ScriptedReply(body=b"<html>bad gateway</html>"),
        ScriptedReply(body=b'{"choices": []}'),
        ScriptedReply(body=b'{"object": "error", "message": "out of memory"}'),
    ],
    ids=["500", "broken", "malformed", "html", "no choice", "an error with status 200"],
)
def test_trouble_that_passes_is_survived_and_trouble_that_stays_is_told(
    server: ScriptedServer, trouble: ScriptedReply
) -> None:
    server.then(trouble, "Under the mat.", trouble, trouble, trouble)
    assert ask(chat(server, retries=2)).text == "Under the mat."
    with pytest.raises(ProviderError, match="'tiny' at http://127.0.0.1.* failed 3 times"):
        ask(chat(server, retries=2))
    assert len(server.requests) == 5


def test_a_wait_that_is_too_long_ends_at_once_and_tells_how_long_it_would_be(server: ScriptedServer) -> None:
    clock = Clock()
    server.then(ScriptedReply(status=429, retry_after=3600, error="The day is used up."))
    with pytest.raises(ProviderError, match="The day is used up.; it asks to wait 3600 s"):
        ask(chat(server, sleep=clock, retries=Retries(patience_s=300)))
    assert clock.waits == []


def test_waits_are_limited_together(server: ScriptedServer) -> None:
    clock = Clock()
    server.otherwise(ScriptedReply(status=429, retry_after=100))
    with pytest.raises(ProviderError, match="failed 4 times in 300.0 s"):
        ask(chat(server, sleep=clock, retries=Retries(most=50, patience_s=300)))
    assert clock.waits == [100.0] * 3


def test_what_no_wait_can_help_is_not_asked_again(server: ScriptedServer) -> None:
    server.then(
        ScriptedReply(status=429, code="insufficient_quota", error="You exceeded your quota."),
        ScriptedReply(status=404, error="The model 'tiny' does not exist."),
        ScriptedReply(status=400, error="This model's maximum context length is 8192 tokens."),
    )
    model = chat(server)
    for kind, said in (
        (AccessRefusedError, "quota"),
        (AccessRefusedError, "does not exist"),
        (ProviderError, "context length"),
    ):
        with pytest.raises(kind, match=said):
            ask(model)
    assert len(server.requests) == 3


def test_a_wrong_key_is_told_with_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer("in", api_key="right") as server:
        with pytest.raises(AccessRefusedError, match="EVERYWORD_LLM_API_KEY"):
            ask(chat(server, api_key="wrong"))
        monkeypatch.setenv("EVERYWORD_LLM_API_KEY", "right")
        assert ask(chat(server)).text == "in"


def test_the_key_of_openai_goes_only_where_it_belongs(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.then("a", "b")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    ask(chat(server))
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    ask(OpenAIChat("tiny"))
    assert [asked.headers["authorization"] for asked in server.requests] == ["Bearer none", "Bearer secret"]


def test_without_any_key_or_address_the_error_says_what_to_set() -> None:
    with pytest.raises(AccessRefusedError, match="EVERYWORD_LLM_API_KEY, or llm_base_url"):
        ask(OpenAIChat("tiny"))


def test_an_endpoint_that_is_not_there_is_told() -> None:
    model = OpenAIChat("tiny", base_url="http://127.0.0.1:9/v1", retries=1, sleep=Clock())
    with pytest.raises(ProviderError, match="failed 2 times.*cannot be reached"):
        ask(model)


def test_an_endpoint_that_takes_too_long_is_told(server: ScriptedServer) -> None:
    server.otherwise(ScriptedReply(text="late", delay_s=0.5))
    with pytest.raises(ProviderError, match="cannot be reached"):
        ask(chat(server, timeout_s=0.05, retries=0))


def test_a_parameter_that_is_refused_is_never_sent_again(server: ScriptedServer) -> None:
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    server.when(lambda asked: "max_tokens" in asked.body, ScriptedReply(status=400, error=said))
    server.when(
        lambda asked: "temperature" in asked.body,
        ScriptedReply(status=400, error="Unsupported value: 'temperature' does not support 0 with this model."),
    )
    server.otherwise("in")
    model = chat(server)
    assert [ask(model).text, ask(model).text] == ["in", "in"]
    assert [sorted(asked.body)[:1] for asked in server.requests] == [["max_tokens"], *[["max_completion_tokens"]] * 3]
    assert len(server.requests) == 4


def test_an_endpoint_that_refuses_whatever_is_sent_is_not_asked_for_ever(server: ScriptedServer) -> None:
    server.otherwise(ScriptedReply(status=400, error="max_tokens is invalid"))
    with pytest.raises(ProviderError, match="max_tokens is invalid"):
        ask(chat(server))
    assert len(server.requests) <= 6


def test_a_schema_is_told_in_words_where_the_endpoint_knows_no_other_way(server: ScriptedServer) -> None:
    server.when(
        lambda asked: "response_format" in asked.body, ScriptedReply(status=400, error="Unknown: response_format")
    )
    server.otherwise({"place": "in"})
    model = chat(server)
    assert ask(model, schema=FORM).text == '{"place": "in"}'
    forms = [each.body.get("response_format", {}).get("type") for each in server.requests]
    assert forms == ["json_schema", "json_object", "json_object", None]
    assert '"place"' in server.requests[-1].last


def test_lone_surrogates_do_not_stop_a_request(server: ScriptedServer) -> None:
    server.then("in")
    parts = [{"type": "text", "text": "cut \ud83d"}]
    chat(server).complete([{"role": "user", "content": parts}], max_tokens=5)
    assert server.requests[0].last == "cut \ufffd"


def test_the_identity_names_the_endpoint_without_its_password() -> None:
    model = OpenAIChat("tiny", base_url="http://ana:secret@example.org/v1?key=secret")
    assert model.identity.name == "openai:tiny"
    assert model.identity.endpoint == "http://example.org/v1"


def test_the_model_must_be_named() -> None:
    with pytest.raises(SettingsError, match="openai:MODEL"):
        OpenAIChat("")


def test_threads_share_a_model(server: ScriptedServer) -> None:
    server.when(lambda asked: "max_tokens" in asked.body, ScriptedReply(status=400, error="unsupported: max_tokens"))
    server.otherwise(lambda asked: ScriptedReply(text=asked.last, delay_s=0.01))
    model, said = chat(server), {}

    def run(number: int) -> None:
        said[number] = model.complete([{"role": "user", "content": str(number)}], max_tokens=5).text

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {number: str(number) for number in range(8)}


def test_waits_are_real_where_no_other_clock_is_given(server: ScriptedServer) -> None:
    server.then(ScriptedReply(status=429, retry_after=0.1), "in")
    started = time.monotonic()
    OpenAIChat("tiny", base_url=server.base_url).complete(QUESTION, max_tokens=5)
    assert time.monotonic() - started >= 0.1
