from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everyword.errors import ProviderError, SettingsError
from everyword.models.openai_embedder import OpenAIEmbedder
from everyword.ports import Embedder


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def embeddings(_path: str, request: Any) -> tuple[int, Any]:
    items = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(request["input"])]
    return 200, reply(items[::-1])


def reply(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "list", "model": "tiny", "data": items, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@pytest.fixture(autouse=True)
def _only_the_settings_of_the_test(need: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    need("openai")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def embedder(endpoint: Any, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", base_url=f"{endpoint.url}/v1", retries=0, **options)


def test_rows_are_in_the_order_of_the_texts_and_of_length_1(endpoint: Any) -> None:
    endpoint.answer = embeddings
    found = embedder(endpoint).embed_passages(["a", "abcd"])
    assert isinstance(embedder(endpoint), Embedder)
    assert np.allclose(found, [[2**-0.5, 2**-0.5, 0], [4 / 17**0.5, 1 / 17**0.5, 0]])
    assert endpoint.requests[0]["input"] == ["a", "abcd"]
    assert endpoint.requests[0]["encoding_format"] == "float"


def test_dimensions_are_found_out_once(endpoint: Any) -> None:
    endpoint.answer = embeddings
    model = embedder(endpoint)
    assert [model.identity.dimensions for _ in range(2)] == [3, 3]
    assert len(endpoint.requests) == 1
    assert model.identity.name == "openai:tiny"
    assert model.embed_queries([]).shape == (0, 3)


def test_the_identity_names_the_endpoint_without_its_password() -> None:
    model = OpenAIEmbedder("tiny", base_url="http://ana:secret@example.org/v1?key=secret", dimensions=3)
    assert model.identity.revision == "http://example.org/v1"


def test_dimensions_that_are_named_are_asked_for_and_checked(endpoint: Any) -> None:
    endpoint.answer = embeddings
    model = embedder(endpoint, dimensions=2)
    assert model.identity.dimensions == 2
    with pytest.raises(ProviderError, match="2 dimensions"):
        model.embed_queries(["a"])
    assert endpoint.requests[0]["dimensions"] == 2


def test_prefixes_are_sent(endpoint: Any) -> None:
    endpoint.answer = embeddings
    model = embedder(endpoint, query_prefix="q: ", passage_prefix="p: ")
    model.embed_queries(["a"])
    model.embed_passages(["a"])
    assert [request["input"] for request in endpoint.requests] == [["q: a"], ["p: a"]]


def test_many_texts_and_long_ones_go_in_several_requests(endpoint: Any) -> None:
    endpoint.answer = embeddings
    assert embedder(endpoint).embed_passages(["a"] * 300 + ["b" * 150_000] * 2).shape == (302, 3)
    assert [len(request["input"]) for request in endpoint.requests] == [256, 45, 1]


def test_an_empty_text_is_sent_as_a_space_and_a_lone_surrogate_replaced(endpoint: Any) -> None:
    endpoint.answer = embeddings
    embedder(endpoint).embed_passages(["", "\ud83d"])
    assert endpoint.requests[0]["input"] == [" ", "\ufffd"]


def test_the_address_and_the_key_may_come_from_the_environment(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint.answer = embeddings
    monkeypatch.setenv("OPENAI_BASE_URL", f"{endpoint.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    OpenAIEmbedder("tiny").embed_queries(["a"])
    assert endpoint.headers[0]["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, {"error": {"message": "no such key"}}, "no such key"),
        (500, {}, "failed"),
        (200, b"<html>", "no list of embeddings|failed"),
        (200, reply([]), "0 vectors|failed"),
        (200, {"data": None}, "no list of embeddings|failed"),
        (200, reply([{"index": 0, "embedding": [1, 2]}]), "1 vectors for 2 texts"),
        (200, reply([{"index": 0, "embedding": [1, 2]}] * 2), "2 vectors for 2 texts"),
        (200, reply([{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]), "different lengths"),
        (200, reply([{"index": n, "embedding": [1, float("nan")]} for n in range(2)]), "not a number"),
        (200, reply([{"index": n, "embedding": [0, 0]} for n in range(2)]), "zero"),
        (200, reply([{"index": n, "embedding": []} for n in range(2)]), "zero"),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_provider_error(endpoint: Any, status: int, answer: Any, said: str) -> None:
    endpoint.answer = lambda _path, _request: (status, answer)
    with pytest.raises(ProviderError, match=said):
        embedder(endpoint).embed_passages(["a", "b"])


def test_an_endpoint_that_is_not_there_is_a_provider_error() -> None:
    with pytest.raises(ProviderError, match="failed"):
        OpenAIEmbedder("tiny", base_url="http://127.0.0.1:9/v1", retries=0).embed_queries(["a"])


def test_without_a_key_the_error_says_what_to_set() -> None:
    with pytest.raises(ProviderError, match="Set OPENAI_API_KEY"):
        OpenAIEmbedder("text-embedding-3-small").embed_queries(["a"])


def test_the_model_must_be_named() -> None:
    with pytest.raises(SettingsError, match="openai:MODEL"):
        OpenAIEmbedder("")
