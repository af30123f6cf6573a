"""Conversations of other programs, file by file, as drafts of messages; and Everyword's own export."""

from __future__ import annotations

from everyword.transcripts.formats import FORMATS, read, recognise

__all__ = ["FORMATS", "read", "recognise"]
