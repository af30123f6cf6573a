from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import SettingsError
from everyword.models.catalogue import embedder
from everyword.models.hash import HashEmbedder
from everyword.models.joined import SPREADS, JoinedEmbedder
from everyword.ports import Embedder, ModelIdentity
from everyword.testing.word_embedder import WordEmbedder


class Named:
    """Word hashes under the name of another model."""

    def __init__(self, name: str, dimensions: int) -> None:
        self._model = HashEmbedder(dimensions)
        self.identity = ModelIdentity(name=name, dimensions=dimensions)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._model.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._model.embed_passages(texts)


WORDS = st.lists(st.sampled_from("coin doctor tea rain harbour violin ledger moss".split()), min_size=1).map(" ".join)


@given(WORDS, WORDS)
def test_the_similarity_is_the_mean_of_both(first: str, second: str) -> None:
    members = [HashEmbedder(64), HashEmbedder(256)]
    joined = JoinedEmbedder(members)
    wanted = np.mean([float(m.embed_queries([first])[0] @ m.embed_passages([second])[0]) for m in members])
    found = joined.embed_queries([first])[0] @ joined.embed_passages([second])[0]
    assert float(found) == pytest.approx(wanted, abs=1e-5)


def test_a_model_that_places_texts_close_together_weighs_as_much_as_one_that_does_not() -> None:
    narrow, wide = Named("e5-small:q4", 64), Named("minilm", 64)
    vector = JoinedEmbedder([narrow, wide]).embed_passages(["a coin in the rain"])[0]
    parts = np.linalg.norm(vector[:64]), np.linalg.norm(vector[64:])
    assert parts[0] * SPREADS["e5-small:q4"] == pytest.approx(parts[1] * SPREADS["minilm"], rel=1e-4)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_a_model_of_english_adds_nothing_to_chinese() -> None:
    chinese, english = JoinedEmbedder([Named("e5-small:q4", 64), Named("minilm", 64)]).embed_passages(
        ["我在港口掉了一枚硬幣", "I lost a coin at the harbour"]
    )
    assert not chinese[64:].any()
    assert np.linalg.norm(chinese[:64]) == pytest.approx(1.0, abs=1e-5)
    assert english[64:].any()


def test_the_tokens_of_a_question_stand_in_the_columns_of_the_models_that_tell_them() -> None:
    joined = JoinedEmbedder([HashEmbedder(32), WordEmbedder("words", 64), HashEmbedder(16)])
    asked = joined.embed_question("Where is the gold coin?")
    assert np.array_equal(
        asked.tokens[:, 32:96], WordEmbedder("words", 64).embed_question("Where is the gold coin?").tokens
    )
    assert not asked.tokens[:, :32].any()
    assert not asked.tokens[:, 96:].any()
    assert np.allclose(asked.whole, joined.embed_queries(["Where is the gold coin?"])[0], atol=1e-6)
    assert JoinedEmbedder([HashEmbedder(32), HashEmbedder(16)]).embed_question("coin?").tokens.shape == (0, 48)


def test_no_text_gives_no_row() -> None:
    assert JoinedEmbedder([HashEmbedder(64), HashEmbedder(32)]).embed_passages([]).shape == (0, 96)


def test_a_name_with_a_plus_is_both_models() -> None:
    model = embedder("hash:64+hash:32")
    assert isinstance(model, Embedder)
    assert (model.identity.name, model.identity.dimensions) == ("hash:64+hash:32", 96)


def test_a_plus_in_a_path_is_a_plus() -> None:
    assert embedder("onnx:/models/c++/tiny") is not None


def test_an_option_that_no_member_knows_is_an_error() -> None:
    with pytest.raises(SettingsError, match="colour"):
        embedder("hash:64+minilm", colour="red")
