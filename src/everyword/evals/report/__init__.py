"""What a run measured, as one HTML page and as a Markdown card."""

from __future__ import annotations

from everyword.evals.report.markdown import card
from everyword.evals.report.web import page

__all__ = ["card", "page"]
