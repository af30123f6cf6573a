"""What `route` decided about one question: how, what for and at what cost. It holds no words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

DecidedBy = Literal["size", "model", "signals"]
Took = Literal["evidence", "full", "more evidence"]
Audit = Literal["none", "agrees", "differs", "too long", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One question that was routed."""

    at: datetime
    by: DecidedBy
    """`size`: the whole history is small; `model`: the language model said it; `signals`: the search did."""
    was_enough: bool
    """Whether evidence alone was found to be enough; of `size`, always."""
    took: Took
    """What the context holds. `more evidence`: the whole history was wanted and did not fit."""
    evidence_tokens: int = 0
    """Of the context that was judged."""
    full_tokens: int = 0
    """About how many tokens the whole history takes."""
    input_tokens: int = 0
    """Of all calls to the language model that the decision took, its audit included."""
    output_tokens: int = 0
    audit: Audit = "none"
    """Whether the whole history gave the same answer, for the sampled ones that evidence was enough for."""

    @property
    def is_routed(self) -> bool:
        """Tell whether there was anything to decide."""
        return self.by != "size"

    @property
    def fell_back(self) -> bool:
        """Tell whether evidence was found not to be enough."""
        return self.is_routed and not self.was_enough
