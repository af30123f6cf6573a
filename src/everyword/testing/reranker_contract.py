"""What every reranker must do. Subclass it and return yours from `reranker`."""

from __future__ import annotations

import math

import pytest

from everyword.ports import Reranker

QUESTION = "Where did we watch the match?"
TEXTS = ("The invoice of March is paid.", "We watched the match in the old stadium.", "", "\ud800", "🎂" * 2000)


class RerankerContract:
    """One finite score a text, in order."""

    def reranker(self) -> Reranker:
        """Return the reranker under test."""
        raise NotImplementedError

    @pytest.fixture
    def model(self) -> Reranker:
        return self.reranker()

    def test_every_text_has_one_finite_score(self, model: Reranker) -> None:
        scores = model.scores(QUESTION, TEXTS)
        assert len(scores) == len(TEXTS)
        assert all(math.isfinite(score) for score in scores)

    def test_no_texts_have_no_scores(self, model: Reranker) -> None:
        assert list(model.scores(QUESTION, [])) == []

    def test_the_order_of_the_texts_does_not_matter(self, model: Reranker) -> None:
        there = list(model.scores(QUESTION, TEXTS[:3]))
        back = list(model.scores(QUESTION, TEXTS[2::-1]))
        assert there == pytest.approx(back[::-1], abs=1e-3)
