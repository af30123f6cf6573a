"""Any endpoint that speaks the OpenAI embeddings shape."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from everyword.errors import ProviderError, SettingsError
from everyword.models.extras import required
from everyword.models.units import unit_rows
from everyword.models.well_formed import well_formed
from everyword.ports import ModelIdentity

if TYPE_CHECKING:
    from everyword.ports import Vectors

BATCH_TEXTS = 256
BATCH_CHARACTERS = 200_000
"""At a token for each character still under the 300,000 tokens that one request may hold."""
NO_KEY = "none"


class OpenAIEmbedder:
    """Embeds through the official client, which retries; unit length is enforced here. Safe for many threads.

    The address and the key default to OPENAI_BASE_URL and OPENAI_API_KEY; a server of one's own needs no key.
    `dimensions` asks the model for shorter vectors.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        timeout_s: float = 60.0,
        retries: int = 2,
    ) -> None:
        if not model:
            raise SettingsError("Name the model of the endpoint: 'openai:MODEL'.")
        self._model = model
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL")
        self._api_key = api_key or os.environ.get("OPENAI_API_KEY") or (NO_KEY if self._base_url else None)
        self._asked = dimensions
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._timeout_s = timeout_s
        self._retries = retries
        self._lock = threading.Lock()
        self._client: Any = None
        self._dimensions: int | None = dimensions

    @property
    def identity(self) -> ModelIdentity:
        """Embeds one word, the first time, where the dimensions are not known yet."""
        return ModelIdentity(
            name=f"openai:{self._model}",
            dimensions=self._dimensions or self._embed("", ["dimensions"]).shape[1],
            query_prefix=self._query_prefix,
            passage_prefix=self._passage_prefix,
            revision=address(self._base_url or ""),
        )

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._query_prefix, texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(self._passage_prefix, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.identity.dimensions), np.float32)
        rows = [row for batch in requests(prefix, texts) for row in self._request(batch)]
        try:
            vectors = np.array(rows, np.float32)
        except (ValueError, TypeError) as error:
            raise ProviderError(f"{self._model!r} answered with vectors of different lengths.") from error
        return unit_rows(self._checked(vectors))

    def _request(self, batch: list[str]) -> list[Any]:
        client = self._opened()
        options = {"dimensions": self._asked} if self._asked else {}
        try:
            # Servers of one's own often know only floats.
            reply = client.embeddings.create(model=self._model, input=batch, encoding_format="float", **options)
        except Exception as error:  # the client raises its own tree, and ValueError for an empty reply
            raise ProviderError(f"The embeddings endpoint failed for {self._model!r}: {error}") from error
        return in_order(getattr(reply, "data", None), len(batch), self._model)

    def _checked(self, vectors: Vectors) -> Vectors:
        import numpy as np

        dimensions = self._dimensions or vectors.shape[-1]
        if vectors.ndim != 2 or vectors.shape[1] != dimensions:
            raise ProviderError(f"{self._model!r} answered with shape {vectors.shape!r}, not {dimensions} dimensions.")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise ProviderError(f"{self._model!r} answered with a vector that is zero or not a number.")
        self._dimensions = dimensions
        return vectors

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._open()
            return self._client

    def _open(self) -> Any:
        openai = required("openai", extra="openai")
        try:
            return openai.OpenAI(
                base_url=self._base_url, api_key=self._api_key, timeout=self._timeout_s, max_retries=self._retries
            )
        except openai.OpenAIError as error:
            raise ProviderError(f"Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own: {error}") from error


def address(url: str) -> str:
    """Return the address without the name and password that it may hold: identities are stored."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def requests(prefix: str, texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield batches that one request may hold. An empty text, which endpoints refuse, is sent as a space."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        sent = well_formed(prefix + text) or " "
        if batch and (len(batch) == BATCH_TEXTS or characters + len(sent) > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(sent)
        characters += len(sent)
    if batch:
        yield batch


def in_order(items: Any, count: int, model: str) -> list[Any]:
    """Return the vectors in the order of the request. Raise ProviderError unless there is one for each text."""
    try:
        found = {item.index: item.embedding for item in items}
    except (TypeError, AttributeError) as error:
        raise ProviderError(f"{model!r} answered with something that is no list of embeddings.") from error
    if len(items) != count or found.keys() != set(range(count)):
        raise ProviderError(f"{model!r} answered with {len(items)} vectors for {count} texts.")
    return [found[index] for index in range(count)]
