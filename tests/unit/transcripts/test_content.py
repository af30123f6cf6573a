from __future__ import annotations

from typing import Any

import pytest

from everyword.transcripts.content import call, view


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain", "plain"),
        (None, ""),
        (["a", {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "so"}], "hm\nso"),
        ([{"type": "redacted_thinking", "data": "xyz"}], "[thinking: redacted]"),
        ([{"type": "tool_use", "id": "1", "name": "look", "input": {"q": "é"}}], 'look({"q": "é"})'),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "42"}]}], "42"),
        ([{"type": "tool_result", "content": ""}], "[no output]"),
        ([{"type": "image", "source": {"type": "base64", "data": "AAAA"}}], "[image]"),
        ([{"type": "image", "caption": "a cat", "source": {}}], "[image: a cat]"),
        ([{"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}], "[image: https://x.org/a.png]"),
        ([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}], "[image]"),
        (
            [{"type": "document", "title": "Lease", "source": {"type": "text", "data": "Rent 900"}}],
            "[file: Lease]\nRent 900",
        ),
        ([{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:x"}}], "[file: a.pdf]"),
        ([{"type": "input_audio", "input_audio": {"data": "AAA"}, "transcript": "hello"}], "[audio]\nhello"),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"type": "novel", "words": ["kept"]}], '[novel: {"words": ["kept"]}]'),
        ([{"type": "text", "text": {"value": "nested"}}], "nested"),
        ([{"type": "text", "text": 12345}], "12345"),
        ([{"type": "text", "text": ""}, {"type": "text", "text": None}], ""),
        ("NUL \x00, عربي, 🎉", "NUL \x00, عربي, 🎉"),
        ("lone \ud800", "lone \ufffd"),
    ],
)
def test_the_view_shows_every_word(content: Any, expected: str) -> None:
    assert view(content) == expected


def test_encoded_data_in_an_unknown_part_is_a_marker() -> None:
    assert view([{"type": "novel", "blob": "A" * 5_000}]) == '[novel: {"blob": "[data: 5000 characters]"}]'


def test_arguments_given_as_text_stay_as_they_are() -> None:
    assert call("f", '{"a":  1}') == 'f({"a":  1})'
    assert call(None, None) == "tool()"
