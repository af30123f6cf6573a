from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

COMMIT = "a" * 40


@pytest.fixture
def hub(tmp_path: Path, need: Callable[..., None]) -> Iterator[str]:
    """A local hub that serves one repository, `ana/tiny`, from the folder `tmp_path / repository`."""
    need("huggingface_hub")
    repository = tmp_path / "repository"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(body=True)

        def do_HEAD(self) -> None:
            self.answer(body=False)

        def answer(self, *, body: bool) -> None:
            path = self.path.split("?")[0]
            names = [str(file.relative_to(repository)) for file in repository.rglob("*") if file.is_file()]
            if path == f"/api/models/ana/tiny/tree/{COMMIT}":
                tree = [
                    {"type": "file", "path": name, "size": len((repository / name).read_bytes()), "oid": "0"}
                    for name in names
                ]
                content = json.dumps(tree).encode()
            elif path.startswith("/api/models/ana/tiny"):
                siblings = [{"rfilename": name} for name in names]
                content = json.dumps({"id": "ana/tiny", "sha": COMMIT, "siblings": siblings}).encode()
            elif (name := path.removeprefix(f"/ana/tiny/resolve/{COMMIT}/")) in names:
                content = (repository / name).read_bytes()
            else:
                self.send_error(404)
                return
            self.send_response(200)
            for header, value in (
                ("ETag", f'"{len(content)}"'),
                ("X-Repo-Commit", COMMIT),
                ("Content-Length", str(len(content))),
            ):
                self.send_header(header, value)
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(endpoint: str, cache: Path, name: str) -> str:
    """Return the files that a process of its own finds in the folder of the model, or its error."""
    code = """
        import sys
        from pathlib import Path
        from everyword.errors import ModelMissingError
        from everyword.models.huggingface import model_folder

        try:
            folder = model_folder(sys.argv[2], Path(sys.argv[1]))
        except ModelMissingError as error:
            print("error:", error)
        else:
            files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
            print(sorted(file.as_posix() for file in files if not file.parts[0].startswith(".")))
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HF_ENDPOINT": endpoint,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HOME": str(cache / "home"),
    }
    command = [sys.executable, "-c", textwrap.dedent(code), str(cache), name]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout


def test_only_the_model_is_downloaded_and_only_once(hub: str, tmp_path: Path) -> None:
    for name in ("onnx/model.onnx", "tokenizer.json", "pytorch_model.bin", "onnx/model_fp16.onnx", "README.md"):
        path = tmp_path / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    first = fetch(hub, tmp_path, "ana/tiny")
    assert first.strip() == "['onnx/model.onnx', 'tokenizer.json']"
    assert fetch("http://127.0.0.1:9", tmp_path, "ana/tiny") == first


def test_without_a_network_the_error_says_what_to_do(tmp_path: Path, need: Callable[..., None]) -> None:
    need("huggingface_hub")
    said = fetch("http://127.0.0.1:9", tmp_path, "ana/tiny")
    assert said.startswith("error: Cannot get 'ana/tiny'")
    assert "onnx:PATH" in said


def test_an_unknown_model_is_an_error(hub: str, tmp_path: Path) -> None:
    assert fetch(hub, tmp_path, "ana/other").startswith("error: Cannot get 'ana/other'")
