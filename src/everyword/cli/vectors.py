"""Vectors after words: computed when a command has stored something, never a reason for it to fail."""

from __future__ import annotations

from pathlib import Path

from everyword import Memory
from everyword.cli import terminal
from everyword.cli.progress import Bars
from everyword.config import Settings, default_home, settings
from everyword.errors import ModelError


def chosen(home: Path | None) -> Settings:
    """Return the settings that hold for a memory folder."""
    return settings(home or default_home())


def are_wanted(home: Path | None) -> bool:
    """Tell whether the settings ask for vectors without being told."""
    effective = chosen(home)
    return effective.embedder != "none" and effective.vectors != "off"


def follow(memory: Memory, user_id: str, bars: Bars) -> int:
    """Compute the vectors that wait; return how many passages were done. A model that fails is told, not raised."""
    try:
        return memory.index(user_id=user_id, progress=bars.vectors)
    except ModelError as error:
        terminal.say(f"everyword: the words are stored and found; their vectors wait: {error}")
        return 0
    except KeyboardInterrupt:
        terminal.say("Stopped. All words are stored; the vectors go on with: everyword index")
        raise
