from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everyword.errors import ModelError
from everyword.models.cross_encoder import CrossEncoder
from everyword.ports import Reranker

Write = Callable[..., Path]

TEXTS = ["rain", "a coin", "tea and a coin and a doctor", "", "doctor"]
WORTH = np.array([0, 0, 0, 0, 0, 0, 3, 2, -1, -2], np.float32)[:, None]
SUM = [
    ("Gather", ["table", "input_ids"], "worth", {}),
    ("Cast", ["attention_mask"], "mask", {"to": 1}),
    ("Unsqueeze", ["mask", "last"], "column", {}),
    ("Mul", ["worth", "column"], "real", {}),
    ("ReduceSum", ["real", "tokens"], "sum", {"keepdims": 0}),
    ("Add", ["sum", "constant"], "logits", {}),
]


def cross_encoder(
    write_tokenizer: Write, write_model: Write, constant: float = 0.0, table: Any = WORTH
) -> CrossEncoder:
    """A model whose logit is the worth of all its words, plus a constant."""
    write_tokenizer()
    constants = {"last": np.array([2]), "tokens": np.array([1]), "constant": np.array([constant], np.float32)}
    width = int(np.asarray(table).shape[1])
    return CrossEncoder(write_model(SUM, table=table, outputs={"logits": ["b", width]}, constants=constants))


def test_scores_come_back_in_the_order_of_the_texts(write_tokenizer: Write, write_model: Write) -> None:
    reranker = cross_encoder(write_tokenizer, write_model)
    assert isinstance(reranker, Reranker)
    assert reranker.name.startswith("onnx-rerank:/")
    assert reranker.scores("coin", TEXTS) == pytest.approx([1, 6, 7, 3, 5])


def test_no_texts_have_no_scores(write_tokenizer: Write, write_model: Write) -> None:
    assert cross_encoder(write_tokenizer, write_model).scores("coin", []) == []


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(-100, 100, width=16))
def test_a_constant_added_to_all_scores_changes_no_order(
    write_tokenizer: Write, write_model: Write, constant: float
) -> None:
    plain = cross_encoder(write_tokenizer, write_model).scores("coin", TEXTS)
    moved = cross_encoder(write_tokenizer, write_model, constant).scores("coin", TEXTS)
    assert np.argsort(moved).tolist() == np.argsort(plain).tolist()


def test_two_logits_are_no_and_yes(write_tokenizer: Write, write_model: Write) -> None:
    both = np.concatenate([-WORTH, WORTH], axis=1)
    assert cross_encoder(write_tokenizer, write_model, table=both).scores("tea", ["coin"]) == pytest.approx([4])


def test_a_long_question_and_a_long_text_are_cut(write_tokenizer: Write, write_model: Write) -> None:
    assert len(cross_encoder(write_tokenizer, write_model).scores("tea " * 2000, ["coin " * 2000, "\ud83d"])) == 2


@pytest.mark.parametrize(
    ("table", "said"), [(np.zeros((10, 3)), "3 values"), (np.full((10, 1), np.nan), "not a number")]
)
def test_a_graph_that_gives_something_else_is_a_model_error(
    write_tokenizer: Write, write_model: Write, table: Any, said: str
) -> None:
    with pytest.raises(ModelError, match=said):
        cross_encoder(write_tokenizer, write_model, table=table).scores("tea", ["coin"])
