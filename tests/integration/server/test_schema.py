"""The server held against its own description: requests are made from it, answers are checked by it."""

from __future__ import annotations

import os
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from everyword.testing.scripted_server import ScriptedServer

if not os.environ.get("CI"):
    pytest.importorskip("schemathesis")

from schemathesis import Case, GenerationMode, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CASES = 240
SOAK = 10_000
_USER = "X-Everyword-User"
_KNOWN = 5
"""Messages that are there, so that some requests find one."""
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def _described(served: Any) -> list[Any]:
    """Return the operations of the server's description."""
    with served.client() as client:
        document = client.get("/openapi.json").json()
    return [each.ok() for each in openapi.from_dict(document).get_all_operations()]


def _stock(served: Any) -> list[str]:
    """Store some messages and return their ids, with one that is not there."""
    said = [{"role": "user", "content": f"Coin {number} is in box {number}."} for number in range(_KNOWN)]
    with served.client(**{_USER: "ana"}) as client:
        ids = client.post("/v1/memories", json={"messages": said, "session_id": "s1"}).json()["message_ids"]
    return [*ids, "0" * 32]


def _aimed(case: Case, chance: st.DataObject, ids: list[str]) -> None:
    """Let most requests come from the user who has messages, and name one of them."""
    if chance.draw(st.integers(0, 3)):
        case.headers = {**(case.headers or {}), _USER: "ana"}
    if "message_id" in (case.path_parameters or {}) and chance.draw(st.booleans()):
        case.path_parameters = {"message_id": chance.draw(st.sampled_from(ids))}


def _hold(operation: Any, mode: GenerationMode, served: Any, session: requests.Session, cases: int) -> int:
    """Make requests of one kind; return how many answers were good."""
    ids = _stock(served)
    good = 0

    @settings(max_examples=cases, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
    @given(case=operation.as_strategy(generation_mode=mode), chance=st.data())
    def holds(case: Case, chance: st.DataObject) -> None:
        nonlocal good
        _aimed(case, chance, ids)
        answer = case.call(base_url=served.url, session=session, timeout=30)
        case.validate_response(answer, checks=_CHECKS)
        good += answer.status_code < 300

    holds()
    return good


def _modes(operation: Any) -> list[GenerationMode]:
    """Return the kinds of requests that there can be: one without a parameter cannot be wrong."""
    has_parameters = operation.body or any(True for _ in operation.iter_parameters())
    return [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if has_parameters else [])]


@pytest.mark.parametrize("cases", [CASES, pytest.param(SOAK, marks=[pytest.mark.soak, pytest.mark.timeout(7200)])])
def test_no_request_made_from_the_description_breaks_the_server_or_the_description(standing, cases: int) -> None:
    with ScriptedServer() as upstream, requests.Session() as session:
        upstream.otherwise("Noted.")
        served = standing(upstream_url=upstream.base_url)
        chosen = [(each, mode) for each in _described(served) for mode in _modes(each)]
        good = [_hold(each, mode, served, session, -(-cases // len(chosen))) for each, mode in chosen]
    assert len(chosen) > 40
    assert sum(good) > cases / 5
