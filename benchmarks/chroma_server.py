"""Chroma behind FastAPI, as one would write it first: a collection a user, messages in, the ten nearest out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import chromadb
import uvicorn
from chromadb.config import Settings as ChromaSettings
from fastapi import FastAPI, Header

from everyword.assembly import embedder_of
from everyword.config import settings
from everyword.ports import Embedder

NEAREST = 10
app = FastAPI()


class Store:
    """The collections, and the model that makes their vectors."""

    def __init__(self, home: Path, model: Embedder) -> None:
        self.model = model
        self._client: Any = chromadb.PersistentClient(
            path=str(home / "chroma"), settings=ChromaSettings(anonymized_telemetry=False)
        )
        self._collections: dict[str, Any] = {}

    def of(self, user: str) -> Any:
        """Return the collection of a user; vectors are given with every call."""
        if user not in self._collections:
            self._collections[user] = self._client.get_or_create_collection(
                user, embedding_function=None, metadata={"hnsw:space": "cosine"}
            )
        return self._collections[user]

    def add(self, user: str, texts: list[str]) -> list[str]:
        ids = [uuid4().hex for _ in texts]
        self.of(user).add(ids=ids, documents=texts, embeddings=self.model.embed_passages(texts).tolist())
        return ids

    def nearest(self, user: str, question: str) -> list[str]:
        vectors = self.model.embed_queries([question]).tolist()
        return self.of(user).query(query_embeddings=vectors, n_results=NEAREST)["documents"][0]


@app.post("/v1/memories", status_code=201)
def add(asked: dict[str, Any], x_everyword_user: Annotated[str, Header()]) -> dict[str, Any]:
    return {"message_ids": app.state.store.add(x_everyword_user, [asked["messages"]])}


@app.post("/v1/context")
def context(asked: dict[str, Any], x_everyword_user: Annotated[str, Header()]) -> dict[str, Any]:
    return {"text": "\n".join(app.state.store.nearest(x_everyword_user, asked["question"]))}


@app.get("/readyz")
def readyz() -> dict[str, str]:
    return {"status": "ok"}


if __name__ == "__main__":
    home = Path(sys.argv[1])
    named = embedder_of(settings(home, embedder=sys.argv[2]))
    assert named is not None
    app.state.store = Store(home, named)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[3]), access_log=False, log_level="error")
