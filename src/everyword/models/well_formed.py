"""Text that UTF-8 can carry."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """Return the text with lone surrogates replaced by U+FFFD and halves of a pair joined.

    Transcripts that were cut between the halves of an emoji carry lone surrogates, which no tokenizer and no
    provider takes.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
