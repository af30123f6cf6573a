"""The short profile in front of the evidence."""

from __future__ import annotations

from dataclasses import replace

from everyword.strategies.claimed import Claimed
from everyword.strategies.evidence import EVIDENCE

HYBRID = Claimed(
    name="hybrid",
    about="the short profile in front of the evidence",
    recipe=replace(EVIDENCE.recipe, name="hybrid"),
    front="profile",
    behind="evidence",
    share=0.25,
)
