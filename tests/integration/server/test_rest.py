from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from everyword import Memory
from everyword.server.rest import REFUSALS

KEY = "My spare key is with Mrs. Chou from the tea shop."


def _error(answer: httpx.Response) -> str:
    body = answer.json()["error"]
    assert body["request_id"] == answer.headers["X-Request-Id"]
    assert body["message"]
    return body["type"]


def _fill(client: httpx.Client, count: int = 5, session: str = "s1") -> list[str]:
    said = [{"role": "user", "content": f"Note {number} of {session}."} for number in range(count)]
    return client.post("/v1/memories", json={"messages": said, "session_id": session}).json()["message_ids"]


def test_what_was_added_is_found_packed_and_read_back(ana: httpx.Client) -> None:
    added = ana.post("/v1/memories", json={"messages": KEY, "session_id": "s1", "metadata": {"a": 1}})
    assert added.status_code == 201
    (message_id,) = added.json()["message_ids"]
    (hit,) = ana.post("/v1/search", json={"query": "spare key"}).json()["results"]
    assert (hit["id"], hit["text"], hit["memory"], hit["session_id"], hit["seq"]) == (message_id, KEY, KEY, "s1", 1)
    packed = ana.post("/v1/context", json={"question": "Who has my key?", "budget": 300}).json()
    assert KEY in packed["text"]
    assert packed["tokens"] == sum(packed["ledger"].values()) <= packed["budget"] == 300
    assert [each["id"] for each in packed["evidence"]] == [message_id]
    assert packed["messages"][-1] == {"role": "user", "content": "Who has my key?"}
    message = ana.get(f"/v1/memories/{message_id}").json()
    assert message["content"] == {"role": "user", "content": KEY}
    assert message["metadata"] == {"a": 1}


def test_tool_calls_and_their_results_come_back_as_they_went_in(ana: httpx.Client) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "鑰匙"}'}}
    said = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "third pot \ud83d\udd11"},
    ]
    ana.post("/v1/memories", content=json.dumps({"messages": said}), headers={"Content-Type": "application/json"})
    listed = ana.get("/v1/memories").json()["results"]
    assert [each["content"] for each in listed] == json.loads(json.dumps(said))


def test_a_lone_surrogate_comes_back(ana: httpx.Client) -> None:
    body = b'{"messages": [{"role": "user", "content": "half \\ud800 of one"}]}'
    assert ana.post("/v1/memories", content=body, headers={"Content-Type": "application/json"}).status_code == 201
    assert b"\\ud800" in ana.get("/v1/memories").content
    assert ana.post("/v1/search", json={"query": "half"}).json()["results"]


def test_pages_hold_every_message_once_in_both_orders(ana: httpx.Client) -> None:
    ids = _fill(ana, 7)
    for order, expected in (("oldest", ids), ("newest", ids[::-1])):
        seen: list[str] = []
        cursor: int | None = None
        while True:
            wanted: dict[str, Any] = {"limit": 3, "order": order} | ({} if cursor is None else {"cursor": cursor})
            page = ana.get("/v1/memories", params=wanted).json()
            seen += [each["id"] for each in page["results"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == expected


def test_a_list_can_be_of_one_session_or_time(ana: httpx.Client) -> None:
    _fill(ana, 3, "s1")
    _fill(ana, 2, "s2")
    said = {"messages": "Old.", "session_id": "s3", "timestamp": "2020-05-01T10:00:00+08:00"}
    ana.post("/v1/memories", json=said)
    assert len(ana.get("/v1/memories", params={"session_id": "s2"}).json()["results"]) == 2
    (old,) = ana.get("/v1/memories", params={"before": "2020-05-01"}).json()["results"]
    assert old["created_at"] == "2020-05-01T10:00:00+08:00"


def test_sessions_are_listed_with_the_last_word_first(ana: httpx.Client) -> None:
    _fill(ana, 2, "s1")
    _fill(ana, 1, "s2")
    _fill(ana, 1, "s1")
    page = ana.get("/v1/sessions", params={"limit": 1}).json()
    assert [(each["session_id"], each["messages"]) for each in page["results"]] == [("s1", 3)]
    rest = ana.get("/v1/sessions", params={"limit": 5, "cursor": page["next_cursor"]}).json()
    assert [each["session_id"] for each in rest["results"]] == ["s2"]
    assert rest["next_cursor"] is None


def test_the_same_idempotency_key_stores_once_and_refuses_other_words(ana: httpx.Client) -> None:
    headers = {"Idempotency-Key": "turn-1"}
    first = ana.post("/v1/memories", json={"messages": KEY}, headers=headers).json()
    again = ana.post("/v1/memories", json={"messages": KEY}, headers=headers).json()
    assert again["message_ids"] == first["message_ids"]
    assert again["duplicates"] == 1
    other = ana.post("/v1/memories", json={"messages": "Other words."}, headers=headers)
    assert (other.status_code, _error(other)) == (409, "IdempotencyConflictError")
    assert ana.get("/v1/stats").json()["messages"] == 1


def test_forgetting_tells_first_and_leaves_no_byte(ana: httpx.Client, tmp_path: Path) -> None:
    ana.post("/v1/memories", json={"messages": KEY, "session_id": "s1"})
    _fill(ana, 2, "s2")
    preview = ana.post("/v1/forget", json={"session_id": "s1", "preview": True}).json()
    assert preview == {"messages": 1, "sessions": ["s1"], "is_preview": True, "claims": 1}
    assert ana.get("/v1/stats").json()["messages"] == 3
    gone = ana.post("/v1/forget", json={"session_id": "s1"}).json()
    assert gone == {"messages": 1, "sessions": ["s1"], "is_preview": False, "claims": None}
    assert ana.post("/v1/search", json={"query": "Chou", "mode": "lexical"}).json()["results"] == []
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Chou" in path.read_bytes()]


def test_one_message_is_deleted_and_then_unknown(ana: httpx.Client) -> None:
    first, second = _fill(ana, 2)
    assert ana.delete(f"/v1/memories/{first}").json()["messages"] == 1
    unknown = ana.delete(f"/v1/memories/{first}")
    assert (unknown.status_code, _error(unknown)) == (404, "NotFoundError")
    assert ana.get(f"/v1/memories/{second}").status_code == 200


def test_forgetting_without_a_scope_erases_nothing(ana: httpx.Client) -> None:
    _fill(ana, 2)
    assert ana.post("/v1/forget", json={}).status_code == 400
    assert ana.post("/v1/forget", json={"everything": True, "session_id": "s1"}).status_code == 400
    assert ana.get("/v1/stats").json()["messages"] == 2


def test_an_export_streams_what_an_import_reads_back_identical(ana: httpx.Client, tmp_path: Path) -> None:
    ids = _fill(ana, 600)
    with ana.stream("GET", "/v1/export") as answer:
        assert answer.headers["Content-Type"] == "application/jsonl"
        lines = [line for line in answer.iter_lines() if line]
    assert [json.loads(line)["message_id"] for line in lines[1:]] == ids
    file = tmp_path / "export.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    with Memory(tmp_path / "other", embedder="none") as other:
        assert other.import_file(file, user_id="ana").added == 600
        again = list(other.export(user_id="ana"))
    assert [_said(line) for line in again[1:]] == [_said(line) for line in lines[1:]]


def _said(line: str | bytes) -> dict[str, Any]:
    """Return an exported message without the time at which this memory got it."""
    return {name: value for name, value in json.loads(line).items() if name != "received_at"}


def test_claims_are_kept_listed_corrected_and_forgotten_with_their_message(ana: httpx.Client) -> None:
    kept = ana.post("/v1/claims", json={"text": "My order number is 12435.", "kind": "profile"})
    assert kept.status_code == 201
    claim = kept.json()["claim_id"]
    right = ana.post(f"/v1/claims/{claim}/correct", json={"text": "My order number is 12345."}).json()
    (open_claim,) = ana.get("/v1/claims", params={"kind": "profile"}).json()["results"]
    assert (open_claim["text"], open_claim["claim_id"]) == ("My order number is 12345.", right["claim_id"])
    assert len(ana.get("/v1/claims", params={"closed": True}).json()["results"]) == 2
    ana.delete(f"/v1/memories/{right['message_id']}").raise_for_status()
    left = ana.get("/v1/claims", params={"closed": True}).json()["results"]
    assert [each["text"] for each in left] == ["My order number is 12435."]


def test_a_claim_that_is_not_there_cannot_be_corrected(ana: httpx.Client) -> None:
    answer = ana.post("/v1/claims/none/correct", json={"text": "Other words."})
    assert (answer.status_code, _error(answer)) == (404, "NotFoundError")
    assert ana.get("/v1/claims", params={"kind": "dream"}).status_code == 422


def test_verify_finds_all_well(ana: httpx.Client) -> None:
    _fill(ana, 3)
    assert ana.get("/v1/verify").json() == {"ok": True, "messages": 3, "passages": 3, "vectors": 3, "problems": []}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/memories", {"messages": []}, 400),
        ("POST", "/v1/memories", {"messages": [{"role": "king", "content": "x"}]}, 400),
        ("POST", "/v1/memories", {"messages": "x", "colour": "red"}, 422),
        ("POST", "/v1/memories", {}, 422),
        ("POST", "/v1/search", {"query": " "}, 400),
        ("POST", "/v1/search", {"query": "x", "limit": 0}, 422),
        ("POST", "/v1/search", {"query": "x", "after": "soon"}, 400),
        ("POST", "/v1/context", {"question": "a long question " * 9, "budget": 3}, 422),
        ("POST", "/v1/context", {"question": "x", "strategy": "luck"}, 400),
        ("POST", "/v1/forget", {"message_ids": ["zz"]}, 404),
        ("GET", "/v1/memories/zz", None, 404),
        ("GET", "/v1/memories?cursor=-1", None, 422),
        ("GET", "/v1/nothing", None, 404),
        ("PUT", "/v1/search", {}, 405),
    ],
)
def test_a_wrong_request_is_refused_in_one_shape(
    ana: httpx.Client, method: str, path: str, body: Any, status: int
) -> None:
    answer = ana.request(method, path, json=body)
    assert answer.status_code == status
    _error(answer)


@pytest.mark.parametrize(
    "body", [b"{", b"", b"[" * 100_000, b'{"messages": NaN}', b"\xff", b'{"messages": ' + b"9" * 5000 + b"}"]
)
def test_what_is_no_json_is_refused(ana: httpx.Client, body: bytes) -> None:
    answer = ana.post("/v1/memories", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    _error(answer)


def test_a_method_that_a_path_does_not_have_is_told_which_ones_it_has(ana: httpx.Client) -> None:
    answer = ana.put("/v1/memories", json={})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, POST")
    _error(answer)


def test_a_text_that_reads_like_no_number_is_taken(ana: httpx.Client) -> None:
    assert ana.post("/v1/memories", json={"messages": "the result was: NaN, again"}).status_code == 201


def test_the_request_id_of_a_client_is_kept_where_it_can_stand_in_a_log(ana: httpx.Client) -> None:
    assert ana.get("/healthz", headers={"X-Request-Id": "job-7.a"}).headers["X-Request-Id"] == "job-7.a"
    assert ana.get("/healthz", headers={"X-Request-Id": 'a"b'}).headers["X-Request-Id"] != 'a"b'


def test_the_description_has_an_example_for_every_request_and_every_refusal(ana: httpx.Client) -> None:
    document = ana.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    for name in ("AddRequest", "SearchRequest", "ContextRequest"):
        required = schemas[name]["required"]
        assert schemas[name].get("examples") or all(
            "examples" in schemas[name]["properties"][each] for each in required
        )
    for path, methods in document["paths"].items():
        if path.startswith("/v1/"):
            for operation in methods.values():
                assert {str(status) for status in REFUSALS} <= set(operation["responses"])


def test_every_refusal_is_described_in_the_one_shape(ana: httpx.Client) -> None:
    document = ana.get("/openapi.json").json()
    (shape,) = {
        json.dumps(operation["responses"]["404"]["content"]["application/json"]["schema"])
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if path.startswith("/v1/") and "chat" not in path and "models" not in path
    }
    assert json.loads(shape) == {"$ref": "#/components/schemas/ErrorReply"}
    assert "error" in document["components"]["schemas"]["ErrorReply"]["properties"]
