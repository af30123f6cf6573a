from __future__ import annotations

from typing import Any

import pytest

from everyword.errors import ProviderError, SettingsError
from everyword.models.http_reranker import KEY_VARIABLE, HttpReranker
from everyword.ports import Reranker

TEXTS = ["tea", "a longer text", "coin"]


def by_length(documents: list[str], score: str) -> list[dict[str, Any]]:
    """Items as endpoints give them: best first."""
    items = [{"index": index, score: len(text) / 100} for index, text in enumerate(documents)]
    return sorted(items, key=lambda item: -item[score])


def cohere(_path: str, request: Any) -> tuple[int, Any]:
    return 200, {"id": "1", "results": by_length(request["documents"], "relevance_score"), "meta": {}}


def tei(_path: str, request: Any) -> tuple[int, Any]:
    return 200, by_length(request["texts"], "score")


def test_scores_come_back_in_the_order_of_the_texts(endpoint: Any) -> None:
    endpoint.answer = cohere
    reranker = HttpReranker(f"{endpoint.url}/v2/rerank", model="rerank-1", api_key="secret")
    assert isinstance(reranker, Reranker)
    assert reranker.scores("coins?", TEXTS) == [0.03, 0.13, 0.04]
    assert endpoint.requests == [{"model": "rerank-1", "query": "coins?", "documents": TEXTS, "top_n": 3}]
    assert endpoint.headers[0]["authorization"] == "Bearer secret"


def test_tei_gets_texts_and_answers_with_a_list(endpoint: Any) -> None:
    endpoint.answer = tei
    assert HttpReranker(f"{endpoint.url}/rerank", shape="tei").scores("coins?", TEXTS) == [0.03, 0.13, 0.04]
    assert endpoint.requests == [{"query": "coins?", "texts": TEXTS, "truncate": True}]
    assert "authorization" not in endpoint.headers[0]


def test_many_texts_go_in_several_requests(endpoint: Any) -> None:
    endpoint.answer = tei
    scores = HttpReranker(endpoint.url, shape="tei").scores("q", ["x" * n for n in range(70)])
    assert scores == [n / 100 for n in range(70)]
    assert [len(request["texts"]) for request in endpoint.requests] == [32, 32, 6]


def test_the_key_may_come_from_the_environment(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "from the environment")
    endpoint.answer = cohere
    HttpReranker(endpoint.url).scores("q", TEXTS)
    assert endpoint.headers[0]["authorization"] == "Bearer from the environment"


def test_no_texts_are_no_request(endpoint: Any) -> None:
    assert HttpReranker(endpoint.url).scores("q", []) == []
    assert endpoint.requests == []


def test_lone_surrogates_are_sent_as_replacement_characters(endpoint: Any) -> None:
    endpoint.answer = cohere
    HttpReranker(endpoint.url).scores("\ud83d", ["\ude00"])
    assert endpoint.requests[0]["query"] == "\ufffd"


def test_a_busy_endpoint_is_asked_again(endpoint: Any) -> None:
    endpoint.answer = lambda path, request: (503, {}) if len(endpoint.requests) == 1 else cohere(path, request)
    assert HttpReranker(endpoint.url).scores("q", TEXTS) == [0.03, 0.13, 0.04]


@pytest.mark.parametrize(
    ("status", "reply", "said"),
    [
        (401, {"message": "no such key"}, "no such key"),
        (503, {}, "503"),
        (307, {}, "307"),
        (200, b"<html>", "no usable answer"),
        (200, {"results": [{"index": 0, "relevance_score": 1}]}, "scored 1 of 3"),
        (200, {"results": [{"index": 0, "relevance_score": 1}] * 3}, "scored"),
        (200, {"results": [{"index": n, "relevance_score": float("nan")} for n in range(3)]}, "not a number"),
        (200, {"results": [{"index": n} for n in range(3)]}, "unknown shape"),
        (200, {"error": "?"}, "unknown shape"),
        (200, 7, "unknown shape"),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_provider_error(endpoint: Any, status: int, reply: Any, said: str) -> None:
    endpoint.answer = lambda _path, _request: (status, reply)
    with pytest.raises(ProviderError, match=said):
        HttpReranker(endpoint.url, retries=0).scores("q", TEXTS)


def test_a_redirect_never_carries_the_key_elsewhere(endpoint: Any) -> None:
    endpoint.answer = lambda _path, _request: (302, {})
    with pytest.raises(ProviderError):
        HttpReranker(endpoint.url, api_key="secret", retries=0).scores("q", TEXTS)
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_is_not_there_is_asked_again_and_then_a_provider_error() -> None:
    with pytest.raises(ProviderError, match="no usable answer"):
        HttpReranker("http://127.0.0.1:9/rerank", retries=1).scores("q", TEXTS)


def test_an_unknown_shape_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="tei"):
        HttpReranker("http://localhost/rerank", shape="soap")  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["", "file:///etc/hostname", "rerank"])
def test_an_address_that_is_not_http_is_a_settings_error(url: str) -> None:
    with pytest.raises(SettingsError, match="http"):
        HttpReranker(url)
