"""The models of a run, and how an empty memory of each strategy or system is opened."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everyword.cli.evaluation.options import Request

if TYPE_CHECKING:
    from everyword.config import Settings
    from everyword.evals.runner import Open
    from everyword.ports import Embedder


class Models:
    """The embedder, with vectors of earlier runs, the reranker and the counter that a run is measured with."""

    def __init__(self, request: Request) -> None:
        from everyword.assembly import embedder_of
        from everyword.config import cache_folder, default_home, settings
        from everyword.evals.vector_cache import CachedEmbedder

        self.settings: Settings = settings(
            request.home or default_home(), embedder=request.embedder, reranker=request.reranker
        )
        folder = cache_folder() / "eval"
        self.embedder: Embedder | None = embedder_of(self.settings, lambda model: CachedEmbedder(model, folder))
        self._openers: dict[str, Open] = {}

    def opener(self, name: str) -> Open:
        """Return what opens an empty memory for a strategy; all strategies share one way, each other system has its own."""
        if name not in self._openers:
            self._openers[name] = self._system(name) or self._memory
        return self._openers[name]

    def _system(self, name: str) -> Open | None:
        from everyword.evals.adapters.catalogue import opener, systems
        from everyword.text.tokens import counter

        if name not in systems():
            return None
        return opener(name, embedder=self.embedder, counter=counter(self.settings.counter))

    def _memory(self, folder: Path) -> Any:
        from everyword.assembly import Memory

        return Memory(
            folder,
            embedder=self.embedder or "none",
            reranker=self.settings.reranker,
            counter=self.settings.counter,
            vectors="off",
        )

    @property
    def embedder_name(self) -> str | None:
        return None if self.embedder is None else self.embedder.identity.name

    @property
    def reranker_name(self) -> str | None:
        return None if self.settings.reranker == "none" else self.settings.reranker

    def parts(self) -> dict[str, Any]:
        """Return what figures depend on, for the fingerprint of a run."""
        identity = None if self.embedder is None else asdict(self.embedder.identity)
        return {"embedder": identity, "reranker": self.settings.reranker, "counter": self.settings.counter}
