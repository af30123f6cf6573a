"""`everyword mcp` as a process of its own, spoken to by the official client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from everyword import Memory
from everyword.cli.main import app

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "EVERYWORD_HOME": str(tmp_path / "memory"),
        "EVERYWORD_USER": "ana",
        "EVERYWORD_EMBEDDER": "hash:256",
    }


async def everything(client: Client) -> str:
    """List and call every tool; return what the context said."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    stored = await client.call_tool("add_memory", {"text": "The piano tuner comes on Friday.", "session_id": "s1"})
    message_id = stored.structured_content["id"]
    context = await client.call_tool("get_context", {"question": "When does the piano tuner come?"})
    for tool, arguments in (
        ("search_memories", {"query": "piano tuner"}),
        ("search", {"query": "piano tuner"}),
        ("fetch", {"id": message_id}),
        ("get_memory", {"id": message_id}),
        ("delete_memory", {"id": message_id}),
    ):
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, tool
        assert message_id in result.content[0].text
        names.discard(tool)
    assert names == {"add_memory", "get_context"}
    return context.content[0].text


def spoken(server: Any, talk: Talk) -> Any:
    async def run() -> Any:
        async with Client(server, read_timeout_seconds=60) as client:
            return await talk(client)

    return asyncio.run(run())


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "everyword", "mcp", *options]


def started(environment: dict[str, str], *options: str) -> Any:
    program, *arguments = command(*options)
    return stdio_client(StdioServerParameters(command=program, args=arguments, env=environment))


@contextmanager
def serving(environment: dict[str, str], *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server over HTTP on a free port, and its address."""
    with subprocess.Popen(
        command("--http", "--port", "0", "--json", *options),
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout
            yield process, json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


def test_every_tool_works_over_stdio(environment: dict[str, str]) -> None:
    assert "comes on Friday" in spoken(started(environment), everything)


def test_every_tool_works_over_http(environment: dict[str, str]) -> None:
    with serving(environment) as (_, url):
        assert "comes on Friday" in spoken(url, everything)


def test_what_one_session_stored_the_next_one_remembers(environment: dict[str, str]) -> None:
    async def tell(client: Client) -> None:
        await client.call_tool("add_memory", {"text": "My sister is called Ines.", "said_by": "user"})

    async def recall(client: Client) -> str:
        return (await client.call_tool("get_context", {"question": "What is my sister called?"})).content[0].text

    spoken(started(environment), tell)
    assert "Ines" in spoken(started(environment), recall)
    with Memory(environment["EVERYWORD_HOME"], embedder="none") as memory:
        assert memory.users() == ["ana"]
        assert memory.verify(user_id="ana").ok


def test_a_client_of_an_earlier_protocol_is_served_too(environment: dict[str, str]) -> None:
    async def run() -> str:
        async with Client(started(environment), mode="legacy", read_timeout_seconds=60) as client:
            return await everything(client)

    assert "comes on Friday" in asyncio.run(run())


LOUD = """
import sys
from everyword import Memory
from everyword.server.mcp import mcp_server
from everyword.server.mcp_transport import serve_stdio

class Loud:
    name = "loud"
    def count(self, text):
        print("noise")
        return len(text)

with Memory(sys.argv[1], embedder="none", counter=Loud()) as memory:
    memory.add("The gate code is 8812.", user_id="ana")
    serve_stdio(mcp_server(memory, user_id="ana"))
"""


def _request(number: int, method: str, params: dict[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def _handshake() -> list[str]:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return [
        _request(1, "initialize", hello),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n",
    ]


def _said(program: list[str], environment: dict[str, str], requests: list[str], *, answers: int) -> list[str]:
    """Return the lines on stdout after so many answers; then the client is gone."""
    with subprocess.Popen(
        program, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(requests))
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(answers)]
        process.stdin.close()
        patience = threading.Timer(60, process.kill)
        patience.start()
        lines += process.stdout.readlines()
        patience.cancel()
        assert process.wait(20) == 0, "the server did not end with its client"
    return lines


@pytest.mark.parametrize("program", [command(), [sys.executable, "-c", LOUD]], ids=["command", "loud"])
def test_nothing_but_the_protocol_is_on_stdout(program: list[str], environment: dict[str, str]) -> None:
    environment = {**environment, "EVERYWORD_DEBUG": "1", "PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"}
    home = [environment["EVERYWORD_HOME"]] if "-c" in program else []
    requests = [
        *_handshake(),
        _request(2, "tools/call", {"name": "get_context", "arguments": {"question": "gate code?"}}),
        _request(3, "tools/call", {"name": "get_memory", "arguments": {"id": "#99"}}),
        _request(4, "tools/call", {"name": "nothing", "arguments": {}}),
        "this is no JSON\n",
        _request(5, "tools/list", {}),
    ]
    answers = [json.loads(line) for line in _said([*program, *home], environment, requests, answers=5)]
    assert all(each["jsonrpc"] == "2.0" for each in answers)
    assert {each["id"] for each in answers if each.get("id")} == {1, 2, 3, 4, 5}


def test_a_client_that_leaves_ends_the_server(environment: dict[str, str]) -> None:
    assert _said(command(), environment, _handshake(), answers=1)


def test_a_message_that_was_answered_survives_a_kill(environment: dict[str, str]) -> None:
    add = _request(2, "tools/call", {"name": "add_memory", "arguments": {"text": "kept"}})
    with subprocess.Popen(
        command(), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join([*_handshake(), add]))
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
        process.kill()
    with Memory(environment["EVERYWORD_HOME"], embedder="none") as memory:
        assert [message.text for message in memory.messages(user_id="ana")] == ["kept"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_server_over_http_stops_when_it_is_told_to(environment: dict[str, str], end: signal.Signals) -> None:
    with serving(environment) as (process, url):
        spoken(url, everything)
        process.send_signal(end)
        assert process.wait(10) in (0, 130, -end)
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has more than one address of its own by default")
def test_the_server_is_reached_from_this_machine_alone(environment: dict[str, str]) -> None:
    """The port is free on every other address: who listens on all of them leaves none."""
    with serving(environment) as (_, url):
        assert url.startswith("http://127.0.0.1:")
        port = int(url.rpartition(":")[2].partition("/")[0])
        with socket.socket() as other:
            other.bind(("127.0.0.2", port))


def test_a_web_page_elsewhere_cannot_use_the_server(environment: dict[str, str]) -> None:
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}
    with serving(environment) as (_, url):
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            answer = httpx2.post(url, json=ask, headers={**accept, **headers})
            assert answer.status_code in (403, 421)


def test_a_token_is_demanded_where_one_is_set(environment: dict[str, str]) -> None:
    with serving({**environment, "EVERYWORD_MCP_TOKEN": "s3cret"}) as (_, url):
        for headers in ({}, {"Authorization": "Bearer other"}):
            assert httpx2.post(url, json={}, headers=headers).status_code == 401

        async def run() -> str:
            async with (
                httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                return await everything(client)

        assert "comes on Friday" in asyncio.run(run())


def test_two_clients_at_once_get_their_own_answers(environment: dict[str, str]) -> None:
    async def one(url: str, word: str) -> list[str]:
        async with Client(url, read_timeout_seconds=60) as client:
            added = [await client.call_tool("add_memory", {"text": f"{word} {n}"}) for n in range(5)]
            read = [await client.call_tool("get_memory", {"id": each.structured_content["id"]}) for each in added]
            return [each.structured_content["text"] for each in read]

    async def both(url: str) -> list[list[str]]:
        return await asyncio.gather(one(url, "left"), one(url, "right"))

    with serving(environment) as (_, url):
        left, right = asyncio.run(both(url))
    assert left == [f"left {n}" for n in range(5)]
    assert right == [f"right {n}" for n in range(5)]


def test_a_port_that_is_taken_is_told(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = subprocess.run(command("--http", "--port", port), env=environment, capture_output=True, text=True)
    assert ran.returncode == 2
    assert f"Port {port}" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_command_without_a_user_says_how_to_name_one(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["mcp", "--home", str(tmp_path)])
    assert ran.exit_code == 2
    assert "--user" in ran.stderr


def _printed(tmp_path: Path, client: str, *options: str) -> str:
    ran = CliRunner().invoke(
        app, ["mcp", "--user", "ana ü", "--home", str(tmp_path), "--print-config", client, *options]
    )
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def _servers(client: str, text: str) -> dict[str, Any]:
    if client == "codex":
        return tomllib.loads(text)["mcp_servers"]
    return json.loads(text)["servers" if client == "vscode" else "mcpServers"]


CLIENTS = ["claude-desktop", "claude-code", "cursor", "vscode", "codex", "generic"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_printed_configuration_starts_a_server_that_answers(
    client: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    written = _servers(client, _printed(tmp_path / "memory", client))["everyword"]
    assert written["args"][-5:] == ["mcp", "--user", "ana ü", "--home", str(tmp_path / "memory")]
    if client == "generic":
        bare = {"PATH": os.environ["PATH"], "EVERYWORD_EMBEDDER": "hash:256"}
        server = StdioServerParameters(command=written["command"], args=written["args"], env=bare, cwd="/")
        assert "comes on Friday" in spoken(stdio_client(server), everything)


@pytest.mark.parametrize("client", CLIENTS[1:])
def test_a_printed_configuration_over_http_has_the_address(client: str, tmp_path: Path) -> None:
    written = _servers(client, _printed(tmp_path, client, "--http", "--port", "9000"))["everyword"]
    assert written["url"] == "http://127.0.0.1:9000/mcp"
    assert written.get("type") == ("http" if client in ("claude-code", "vscode") else None)


def test_the_configuration_of_a_reading_server_says_so(tmp_path: Path) -> None:
    assert _servers("cursor", _printed(tmp_path, "cursor", "--read-only"))["everyword"]["args"][-1] == "--read-only"


@pytest.mark.parametrize("options", [["--print-config", "emacs"], ["--print-config", "claude-desktop", "--http"]])
def test_a_configuration_that_there_is_not_is_refused(options: list[str], tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["mcp", "--user", "ana", "--home", str(tmp_path), *options])
    assert ran.exit_code == 2
    assert "--http" in ran.stderr or "claude-code" in ran.stderr


def test_a_missing_package_is_named_with_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    ran = CliRunner().invoke(app, ["mcp", "--user", "ana", "--home", str(tmp_path)])
    assert ran.exit_code == 2
    assert 'pip install "everyword[mcp]"' in ran.stderr
