from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from everyword.assembly import language_model_of
from everyword.config import settings
from everyword.errors import SettingsError, SpendingLimitError, UnreadableReplyError
from everyword.models.catalogue import LANGUAGE_MODELS, language_model
from everyword.models.usage_ledger import UsageLedger
from everyword.ports import LanguageModel
from everyword.testing.scripted_replies import ScriptedReply
from everyword.testing.scripted_server import ScriptedServer

QUESTION = [{"role": "user", "content": "Where is the key?"}]


@dataclass(frozen=True)
class Place:
    place: str


@pytest.fixture(autouse=True)
def _a_machine_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if absent := [name for name in ("jsonschema", "openai", "pydantic") if importlib.util.find_spec(name) is None]:
        pytest.fail(f"not installed: {absent}") if os.environ.get("CI") else pytest.skip(f"not installed: {absent}")
    monkeypatch.setenv("EVERYWORD_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def opened(home: Path, **chosen: Any) -> LanguageModel:
    found = language_model_of(settings(home, llm="openai:tiny", **chosen), home)
    assert found is not None
    return found


def test_the_environment_names_the_model_its_address_and_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer("Under the mat.", api_key="secret") as server:
        monkeypatch.setenv("EVERYWORD_LLM", "openai:tiny")
        monkeypatch.setenv("EVERYWORD_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("EVERYWORD_LLM_API_KEY", "secret")
        model = language_model_of(settings(tmp_path), tmp_path)
        assert model is not None
        assert model.complete(QUESTION, max_tokens=9).text == "Under the mat."
        assert server.requests[0].body["model"] == "tiny"


def test_the_key_is_no_setting_that_could_be_shown(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("llm_api_key = 'secret'\n")
    with pytest.raises(SettingsError, match="llm_api_key"):
        settings(tmp_path)


def test_without_a_name_there_is_no_model_and_nothing_is_written(tmp_path: Path) -> None:
    assert language_model_of(settings(tmp_path), tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_calls_stand_in_the_ledger_of_the_memory_folder(tmp_path: Path, server: ScriptedServer) -> None:
    server.then({"place": "mat"}, "under the mat", "under the mat, I said")
    model = opened(tmp_path, llm_base_url=server.base_url)
    assert model.complete(QUESTION, max_tokens=9, schema=Place, purpose="notes").value == Place(place="mat")
    with pytest.raises(UnreadableReplyError):
        model.complete(QUESTION, max_tokens=9, schema=Place, purpose="notes")
    totals = UsageLedger(tmp_path / "usage.jsonl").totals()
    assert (totals["notes"].calls, totals["notes"].failures) == (3, 1)
    assert totals["notes"].usage.input_tokens == sum(asked.tokens for asked in server.requests)
    assert not {"under", "mat", "key"} & set(re.findall(r"\w+", (tmp_path / "usage.jsonl").read_text()))


def test_the_limit_holds_across_processes_of_a_day(tmp_path: Path, server: ScriptedServer) -> None:
    server.otherwise("x " * 300)
    chosen = {"llm_base_url": server.base_url, "llm_limit": "2500 tokens"}
    with pytest.raises(SpendingLimitError, match="limit is 2,500 tokens"):
        for _ in range(20):
            opened(tmp_path, **chosen).complete(QUESTION, max_tokens=400)
    asked = len(server.requests)
    assert 2 <= asked < 20
    with pytest.raises(SpendingLimitError):
        opened(tmp_path, **chosen).complete(QUESTION, max_tokens=2500)
    assert len(server.requests) == asked


def test_the_cache_is_off_unless_it_is_asked_for(tmp_path: Path, server: ScriptedServer) -> None:
    server.otherwise("Under the mat.")
    for choice, asked in (("off", 2), ("on", 3)):
        for _ in range(2):
            opened(tmp_path, llm_base_url=server.base_url, llm_cache=choice).complete(QUESTION, max_tokens=9)
        assert len(server.requests) == asked
    assert (tmp_path / "cache" / "replies.db").exists()


def test_a_structured_reply_from_the_cache_has_its_value(tmp_path: Path, server: ScriptedServer) -> None:
    server.then({"place": "mat"})
    model = opened(tmp_path, llm_base_url=server.base_url, llm_cache="on")
    said = [model.complete(QUESTION, max_tokens=9, schema=Place) for _ in range(2)]
    assert [reply.value for reply in said] == [Place(place="mat")] * 2
    assert [reply.calls for reply in said] == [1, 0]


def test_retries_and_time_are_settings(tmp_path: Path, server: ScriptedServer) -> None:
    server.then(ScriptedReply(status=503), "never")
    with pytest.raises(Exception, match="failed 1 times"):
        opened(tmp_path, llm_base_url=server.base_url, llm_retries=0).complete(QUESTION, max_tokens=9)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"llm_limit": "much"}, "llm_limit"),
        ({"llm_limit": "2 USD"}, "llm_prices"),
        ({"llm_prices": "cheap"}, "llm_prices"),
        ({"llm_cache": "sometimes"}, "llm_cache must be one of on, off"),
        ({"llm_retries": "-1"}, "llm_retries"),
        ({"llm": "gpt-4"}, "openai:MODEL"),
        ({"llm": "openai:"}, "openai:MODEL"),
    ],
)
def test_settings_that_cannot_be_used_are_errors_that_say_which(
    tmp_path: Path, chosen: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        language_model_of(settings(tmp_path, **{"llm": "openai:tiny", **chosen}), tmp_path)


def test_the_catalogue_gives_the_model_alone() -> None:
    model = language_model("openai:tiny", base_url="http://localhost/v1")
    assert isinstance(model, LanguageModel)
    assert model.identity.name == "openai:tiny"
    assert language_model("none") is None
    with pytest.raises(SettingsError) as caught:
        language_model("llama:tiny")
    assert all(kind.example in str(caught.value) for kind in LANGUAGE_MODELS.values())
    with pytest.raises(SettingsError, match="base_url"):
        language_model("openai:tiny", address="here")
