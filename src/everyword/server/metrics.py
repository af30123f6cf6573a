"""What a running server tells of itself, in the text format of Prometheus: counts and times, never whose or what."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from everyword.domain.account import percentile
from everyword.domain.context import Context
from everyword.domain.prompt import Prompt
from everyword.domain.trace import Trace

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_TOKENS = (0, 64, 128, 256, 512, 1024, 1536, 2048, 4096, 8192, 16384, 65536)
_CALLS_KEPT = 1000
"""Calls that the 99th percentile is taken of."""


class Metrics:
    """One registry a server. Safe for many threads."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        to = self._registry
        self._requests = Counter("everyword_requests", "Requests that were answered.", ["route", "status"], registry=to)
        self._seconds = Histogram(
            "everyword_request_seconds", "Time to the end of the answer.", ["route"], buckets=_SECONDS, registry=to
        )
        self._stages = Histogram(
            "everyword_stage_seconds", "Time of one stage of retrieval.", ["stage"], buckets=_SECONDS, registry=to
        )
        self._tokens = Histogram(
            "everyword_context_tokens",
            "Tokens of one context or prompt, by source.",
            ["source"],
            buckets=_TOKENS,
            registry=to,
        )
        self._refused = Counter(
            "everyword_refused", "Requests refused before they were served.", ["reason"], registry=to
        )
        self._unkept = Counter(
            "everyword_exchanges_not_stored", "Exchanges of the proxy that were not stored.", registry=to
        )
        self._p99 = Gauge(
            "everyword_context_tokens_p99",
            "99th percentile of tokens a call, over the last 1,000 contexts and prompts.",
            registry=to,
        )
        self._lag = Gauge(
            "everyword_index_lag_passages",
            "Passages that can only be found by their words yet, of all users.",
            registry=to,
        )
        self._totals: deque[int] = deque(maxlen=_CALLS_KEPT)
        self._pending: dict[str, int] = {}
        self._lock = threading.Lock()

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count one answer; `route` is a pattern, such as `/v1/memories/{message_id}`."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def refused(self, reason: str) -> None:
        """Count a request that an error of the tree ended; `reason` is its class."""
        self._refused.labels(reason).inc()

    def packed(self, context: Context, *, user_id: str) -> None:
        """Count the tokens and stages of a context."""
        self._spent(context.ledger, context.tokens)
        self.ranked(context.trace)
        self.lagging(user_id, context.pending_passages)

    def prompted(self, prompt: Prompt, *, user_id: str) -> None:
        """Count the tokens of a whole prompt, and the stages of its context."""
        self._spent(prompt.ledger, prompt.tokens)
        self.ranked(prompt.context.trace)
        self.lagging(user_id, prompt.context.pending_passages)

    def _spent(self, ledger: Mapping[str, int], total: int) -> None:
        for source, tokens in ledger.items():
            self._tokens.labels(source).observe(tokens)
        with self._lock:
            self._totals.append(total)

    def ranked(self, trace: Trace) -> None:
        """Count the time of each stage."""
        for stage in trace.stages:
            self._stages.labels(stage.name).observe(stage.milliseconds / 1000)

    def lagging(self, user_id: str, pending: int) -> None:
        """Remember how far the index of a user is behind."""
        with self._lock:
            if pending:
                self._pending[user_id] = pending
            else:
                self._pending.pop(user_id, None)

    def not_stored(self) -> None:
        """Count an exchange of the proxy that went by without being kept."""
        self._unkept.inc()

    def text(self, pending_of: Callable[[str], int]) -> bytes:
        """Return all of it; users whose index was behind are asked again."""
        with self._lock:
            behind, totals = list(self._pending), sorted(self._totals)
        for user_id in behind:
            self.lagging(user_id, pending_of(user_id))
        with self._lock:
            self._lag.set(sum(self._pending.values()))
        self._p99.set(percentile(totals, 0.99))
        return generate_latest(self._registry)
