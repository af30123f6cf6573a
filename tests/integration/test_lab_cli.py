"""`everyword lab` as a person runs it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from everyword import Memory
from everyword.cli.main import app
from everyword.lab.conversation import script
from everyword.lab.join import page
from everyword.testing.scripted_server import ScriptedServer

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def run(home: Path) -> Run:
    """Run one command of the lab; the environment names a user, who has a memory of one key."""
    with Memory(home, embedder="none") as memory:
        memory.add(
            [{"role": "user", "content": "My spare key is with Mrs. Chou."}, {"role": "assistant", "content": "Good."}],
            user_id="me",
            session_id="keys",
        )
        memory.add([{"role": "user", "content": "Bread at five."}], user_id="me", session_id="bread")
    environment = {"EVERYWORD_HOME": str(home), "EVERYWORD_USER": "me", "EVERYWORD_EMBEDDER": "none"}

    def command(*arguments: str, **variables: str) -> Result:
        return CliRunner().invoke(app, ["lab", *arguments], env={**environment, **variables})

    return command


def _json(result: Result) -> dict:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


# ---- run ----


def test_the_published_figures_are_printed(run: Run) -> None:
    found = _json(run("run", "--strategy", "truncate", "--window", "32768", "--turns", "120", "--json"))
    assert (found["inputTokens"], found["cumulativeTokens"], found["recall"]) == (32_605, 2_687_796, 0)
    assert f"{found['cost']:.2f}" == "6.72"


def test_a_window_in_k_and_a_ratio_in_percent_are_understood(run: Run) -> None:
    found = [
        _json(run("run", "--strategy", "summary", "--window", window, "--ratio", ratio, "--json"))
        for window, ratio in (("8K", "10%"), ("8192", "0.1"), ("8k", "10"))
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["cumulativeTokens"] == 910_716


def test_a_person_reads_the_figures(run: Run) -> None:
    shown = run("run", "--window", "32K").stdout
    assert "32,605 tokens, $0.0815" in shown
    assert "0.0% (0 of 6)" in shown
    assert "姓名 (turn 1)" in shown
    assert "77 turns" in shown


def test_what_does_not_fit_is_an_error_with_three_ways_out_that_work(run: Run) -> None:
    shown = run("run", "--strategy", "full", "--window", "4K")
    assert shown.exit_code == 4
    assert "48,430 tokens" in shown.stdout
    assert "context_length_exceeded: 48,430 tokens, 44,334 over the window" in shown.stderr
    ways = [line.split() for line in shown.stderr.splitlines() if line.startswith("  --strategy")]
    assert len(ways) == 3
    assert not [way for way in ways if _json(run("run", *way, "--json"))["overflow"]]


def test_what_does_not_fit_is_an_error_in_json_too_beside_the_figures(run: Run) -> None:
    shown = run("run", "--strategy", "full", "--window", "4K", "--json")
    assert shown.exit_code == 4
    assert json.loads(shown.stdout)["error"]["excess"] == 44_334
    error = json.loads(shown.stderr)["error"]
    assert error["type"] == "ContextLengthExceeded"
    assert error["message"].count("--strategy") == 3


def test_a_summary_beside_which_nothing_fits_is_an_error_too(run: Run) -> None:
    shown = run("summary", "--window", "50", "--turns", "20")
    assert shown.exit_code == 4
    assert "over the window" in shown.stderr
    assert "--ratio" in shown.stderr


def test_pinned_facts_are_all_recalled(run: Run) -> None:
    assert _json(run("run", "--pinned", "--json"))["recall"] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ("--window", "wide"),
        ("--ratio", "much"),
        ("--turns", "121"),
        ("--turns", "0"),
        ("--price", "-1"),
        ("--window", "0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(run: Run, wrong: tuple[str, str]) -> None:
    assert run("run", *wrong).exit_code == 2


# ---- a conversation of one's own ----


def test_a_user_in_the_environment_alone_does_not_replace_the_script(run: Run) -> None:
    assert _json(run("run", "--json"))["turns"] == 120


def test_a_user_on_the_command_line_does(run: Run) -> None:
    assert _json(run("run", "--user", "me", "--json"))["turns"] == 2
    assert _json(run("run", "--session-id", "bread", "--json"))["turns"] == 1
    assert _json(run("--session-id", "bread", "run", "--json"))["turns"] == 1
    before = CliRunner().invoke(app, ["--user", "me", "lab", "run", "--json"], env={"EVERYWORD_HOME": ""})
    assert before.exit_code == 3


def test_facts_are_chosen_with_their_words(run: Run) -> None:
    found = _json(run("run", "--user", "me", "--fact", "Who has my key?=Mrs. Chou", "--fact", "Bread?=five", "--json"))
    assert [fact["turn"] for fact in found["keptFacts"]] == [1, 2]
    assert run("run", "--user", "me", "--fact", "Who?=Mr. Wu").exit_code == 2


def test_a_file_can_be_looked_at(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hello"}] * 3), "utf-8")
    assert _json(run("run", "--file", str(path), "--json"))["turns"] == 3


def test_a_user_without_messages_is_told(run: Run) -> None:
    shown = run("run", "--user", "nobody")
    assert shown.exit_code == 3
    assert "nobody" in shown.stderr


# ---- the page ----


def test_the_page_is_written_as_one_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "lab.html"
    assert run("build", "-o", str(path)).exit_code == 0
    assert path.read_text("utf-8") == page(script())


def test_the_page_of_a_user_holds_their_words_and_facts(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.html"
    run("build", "-o", str(path), "--user", "me", "--fact", "Who has my key?=Mrs. Chou")
    held = json.loads(re.findall(r'id="conversation">(.*?)</script>', path.read_text("utf-8"))[0])
    assert [said["text"] for said in held["messages"]] == ["My spare key is with Mrs. Chou.", "Good.", "Bread at five."]
    assert [fact["probe"] for fact in held["facts"]] == ["Who has my key?"]


@pytest.fixture
def served(home: Path, run: Run) -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    started: list[subprocess.Popen[str]] = []

    def serve(*arguments: str) -> tuple[str, subprocess.Popen[str]]:
        command = [sys.executable, "-m", "everyword", "lab", *arguments, "--home", str(home)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        return started[-1].stdout.readline().strip(), started[-1]

    yield serve
    for each in started:
        each.kill()
        each.communicate()


@pytest.mark.parametrize("arguments", [("serve", "--user", "me"), ("--user", "me"), ("--port", "0", "--user", "me")])
def test_the_page_is_served_on_this_machine_until_it_is_interrupted(
    served: Callable[..., tuple[str, subprocess.Popen[str]]], arguments: tuple[str, ...]
) -> None:
    address, process = served(*arguments)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    with urllib.request.urlopen(address, timeout=20) as answer:
        assert "My spare key is with Mrs. Chou." in answer.read().decode()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


def test_a_port_that_is_taken_is_told(served: Callable[..., tuple[str, subprocess.Popen[str]]], run: Run) -> None:
    address, _ = served("serve")
    port = address.rstrip("/").rpartition(":")[2]
    assert run("serve", "--port", port).exit_code == 1


# ---- what is measured ----


def test_summaries_without_a_model_report_what_they_lost(run: Run) -> None:
    shown = run("summary", "--window", "8K", "--ratio", "10%", "--turns", "30").stdout
    assert "turn 20: lost 姓名" in shown
    assert "recall, measured" in shown


def test_what_everyword_would_send_is_measured(run: Run) -> None:
    found = _json(run("run", "--strategy", "everyword", "--turns", "12", "--budget", "800", "--json"))
    assert found["strategy"] == "everyword"
    assert found["kept"] == 4
    assert found["inputTokens"] < 180 + 800 + 300


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    pytest.importorskip("openai")
    monkeypatch.setenv("EVERYWORD_LLM_API_KEY", "none")
    with ScriptedServer().when("我叫什麼名字", "沈以寧").otherwise("不知道") as server:
        yield server


def test_a_real_endpoint_is_put_beside_the_estimate(run: Run, endpoint: ScriptedServer) -> None:
    model = ("--llm", "openai:scripted", "--llm-base-url", endpoint.base_url)
    found = _json(run("usage", *model, "--turns", "20", "--every", "5", "--json"))
    assert [row["turn"] for row in found["rows"]] == [5, 10, 15, 20, 20, 20, 20, 20]
    assert found["rows"][0]["reported"] == endpoint.requests[0].tokens
    assert found["ratio"] == pytest.approx(1, abs=0.05)
    assert (found["answered"], found["asked"]) == (1, 5)
    shown = run("usage", *model, "--turns", "20", "--every", "20").stdout
    assert "姓名 answered" in shown
    assert "reported = " in shown


def test_a_model_can_make_the_summaries(run: Run, endpoint: ScriptedServer) -> None:
    endpoint.when("You summarise", "客人沈以寧。")
    model = ("--llm", "openai:scripted", "--llm-base-url", endpoint.base_url)
    found = _json(run("summary", "--summariser", "model", *model, "--turns", "21", "--json"))
    assert found["summary"] == "客人沈以寧。"
    assert found["summariserTokens"] > 0


@pytest.mark.parametrize("command", [("usage",), ("summary", "--summariser", "model")])
def test_without_a_language_model_it_is_said_how_to_name_one(run: Run, command: tuple[str, ...]) -> None:
    shown = run(*command)
    assert shown.exit_code == 7
    assert "--llm" in shown.stderr
