"""The container file and the unit name commands, options and variables that exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from everyword.cli.main import app

PROJECT = Path(__file__).resolve().parents[2]
CONTAINER = PROJECT / "deploy" / "Containerfile"
UNIT = PROJECT / "deploy" / "everyword.service"


def instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n\s*", "", CONTAINER.read_text("utf-8"))
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def of(name: str) -> list[str]:
    return [rest for each, rest in instructions() if each == name]


def unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in UNIT.read_text("utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def check_command(words: list[str]) -> None:
    program: Any = typer.main.get_command(app)
    words = list(words)
    while isinstance(program, TyperGroup):
        program = program.commands[words.pop(0)]
    program.make_context("everyword", words)


def extras() -> set[str]:
    return set(tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])


def test_the_container_starts_a_command_that_exists() -> None:
    assert json.loads(of("ENTRYPOINT")[-1]) == ["everyword"]
    command = json.loads(of("CMD")[-1])
    check_command(command)
    assert command[0] == "serve"


def test_the_container_runs_as_nobody_in_particular_and_keeps_the_memory_in_a_volume() -> None:
    names = [name for name, _ in instructions()]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert of("USER") == ["everyword:everyword"]
    home = re.search(r"EVERYWORD_HOME=(\S+)", of("ENV")[-1])
    assert home is not None
    assert home[1] in json.loads(of("VOLUME")[-1])


def test_the_port_the_health_check_and_the_command_agree() -> None:
    command = json.loads(of("CMD")[-1])
    port = command[command.index("--port") + 1]
    assert of("EXPOSE") == [port]
    check = of("HEALTHCHECK")[0].partition("CMD ")[2]
    code = json.loads(check)
    assert f"http://127.0.0.1:{port}/healthz" in code[-1]
    compile(code[-1], "healthcheck", "exec")


def test_what_the_container_installs_and_copies_exists() -> None:
    asked = re.search(r'install --no-cache-dir "\.\[([\w,-]+)\]"', CONTAINER.read_text("utf-8"))
    assert asked is not None
    assert set(asked[1].split(",")) <= extras()
    copied = [word for rest in of("COPY") if not rest.startswith("--from") for word in rest.split()[:-1]]
    assert copied
    assert not [name for name in copied if not (PROJECT / name).exists()]
    taken = {
        line[1:]
        for line in (CONTAINER.parent / "Containerfile.dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    assert set(copied) == taken


def test_what_the_container_copies_is_under_version_control() -> None:
    git = shutil.which("git")
    if git is None or not (PROJECT / ".git").exists():
        pytest.skip("needs the project's repository")
    copied = [word for rest in of("COPY") if not rest.startswith("--from") for word in rest.split()[:-1]]
    listed = subprocess.run([git, "ls-files", "--", *copied], cwd=PROJECT, capture_output=True, text=True, check=True)
    tracked = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert tracked == set(copied)


def test_what_the_container_starts_answers_and_writes_nothing_but_its_volumes(tmp_path: Path) -> None:
    """As the image would: its variables, its command, and no other folder of its own."""
    source = shutil.copytree(PROJECT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    before = {each.relative_to(source) for each in source.rglob("*")}
    inside = _Inside(tmp_path, source)
    refused = inside.run([*json.loads(of("CMD")[-1])[:-1], "0"])
    assert (refused.returncode, "everyword keys add" in refused.stderr) == (1, True)
    made = inside.run(["keys", "add", "--user", "ana", "--json"])
    assert made.returncode == 0, made.stderr
    with inside.serving() as url:
        assert _status(f"{url}/healthz") == 200
        assert _status(f"{url}/v1/stats") == 401
        assert _status(f"{url}/v1/stats", json.loads(made.stdout)["key"]) == 200
    written = {each.relative_to(tmp_path).parts[0] for each in tmp_path.rglob("*") if each.is_file()}
    assert written == {"src", "var"}
    assert {each.relative_to(source) for each in source.rglob("*")} == before
    assert (tmp_path / "var/lib/everyword/keys.db").exists()


class _Inside:
    """Runs commands as the container does, its volumes under a folder of the test."""

    def __init__(self, folder: Path, source: Path) -> None:
        volumes = json.loads(of("VOLUME")[-1])
        for volume in volumes:
            (folder / volume.lstrip("/")).mkdir(parents=True)
        named = dict(pair.split("=", 1) for pair in of("ENV")[-1].split() if not pair.startswith("PATH="))
        self.environment = {
            **{name: f"{folder}{value}" if value in volumes else value for name, value in named.items()},
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(source),
            "HOME": "/nonexistent",
        }

    def run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        command = self._command(words)
        return subprocess.run(command, env=self.environment, cwd="/", capture_output=True, text=True, timeout=60)

    @contextmanager
    def serving(self) -> Generator[str]:
        """Yield the address; the signal of the file ends it, in order."""
        command = self._command([*json.loads(of("CMD")[-1])[:-1], "0", "--json"])
        process = subprocess.Popen(
            command, env=self.environment, cwd="/", text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"].replace("0.0.0.0", "127.0.0.1")
        finally:
            process.send_signal(signal.Signals[of("STOPSIGNAL")[-1]])
            _, told = process.communicate(timeout=40)
        assert "Application shutdown complete" in told

    @staticmethod
    def _command(words: list[str]) -> list[str]:
        (program,) = json.loads(of("ENTRYPOINT")[-1])
        return [sys.executable, "-m", program, *words]


def _status(url: str, key: str | None = None) -> int:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_the_health_check_tells_a_server_that_answers_from_one_that_does_not(tmp_path: Path) -> None:
    code = json.loads(of("HEALTHCHECK")[0].partition("CMD ")[2])[-1]
    serving = [sys.executable, "-m", "everyword", "serve", "--port", "0", "--home", str(tmp_path), "--json"]
    process = subprocess.Popen(serving, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        asked = code.replace("http://127.0.0.1:8765", url)
        assert subprocess.run([sys.executable, "-c", asked], timeout=30).returncode == 0
    finally:
        process.terminate()
        process.communicate(timeout=40)
    assert subprocess.run([sys.executable, "-c", asked], timeout=30, stderr=subprocess.DEVNULL).returncode != 0


def test_the_unit_starts_a_command_that_exists() -> None:
    program, *words = shlex.split(unit()["ExecStart"][0])
    assert program.endswith("/everyword")
    check_command(words)


def test_the_unit_may_write_where_the_memory_is() -> None:
    variables = dict(each.split("=", 1) for each in unit()["Environment"])
    assert variables == {
        "EVERYWORD_HOME": f"/var/lib/{unit()['StateDirectory'][0]}",
        "EVERYWORD_CACHE": f"/var/cache/{unit()['CacheDirectory'][0]}",
    }
    assert int(unit()["TimeoutStopSec"][0]) > 30


def test_the_unit_is_hardened() -> None:
    wanted = {"NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "DynamicUser": "yes"}
    assert {name: unit()[name][0] for name in wanted} == wanted
    assert unit()["CapabilityBoundingSet"] == [""]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("/opt/everyword/bin/everyword", sys.executable), "utf-8")
    ran = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
