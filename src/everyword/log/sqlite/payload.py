"""Words and original bytes in little room: a text is deflated, and a payload against the text that it holds.

Every form begins with a byte that names it, so that a reader needs to know nothing else.
"""

from __future__ import annotations

import json
import zlib
from json.encoder import encode_basestring

_RAW, _DEFLATED, _AGAINST_TEXT, _AROUND, _AROUND_ASCII = b"\x00", b"\x01", b"\x02", b"\x03", b"\x04"
_TEXT = b"\x00"
"""Stands for the text; JSON has no such byte."""
_PLAIN = bytes(set(range(ord(" "), 256)) - {*b'"\\'})
"""What JSON writes as it is."""
_ENVELOPE_MOST = 200
_WINDOW = 32_000
_ENVELOPE = (
    b'{"type":"message","id":"","name":"","tool_calls":[{"id":"call_","type":"function","function":{"name":"",'
    b'"arguments":"{}"}}],"tool_call_id":"call_","timestamp":"2026-01-01T00:00:00+08:00",'
    b'"created_at": "2026-01-01T00:00:00Z", {"role": "assistant", "content": [{"type": "text", "text": "'
    b'{"role": "tool", "content": "{"role": "user", "content": "'
)


def pack_text(text: str) -> bytes:
    """Return the shortest form that `unpack_text` turns back into the same text."""
    words = text.encode()
    return min(_RAW + words, _DEFLATED + _deflated(words), key=len)


def unpack_text(packed: bytes) -> str:
    """Return the text. Raise zlib.error or UnicodeDecodeError where the row is damaged."""
    form, body = packed[:1], packed[1:]
    return (body if form == _RAW else _inflated(body)).decode()


def pack(payload: bytes, text: str) -> bytes:
    """Return a short form that `unpack` turns back into the same bytes, given the same text."""
    if (around := _around(payload, text)) is not None:
        return around
    forms = [_RAW + payload, _AGAINST_TEXT + _deflated(payload, _dictionary(text))]
    if len(payload) > _WINDOW:
        forms.append(_DEFLATED + _deflated(payload))
    return min(forms, key=len)


def unpack(packed: bytes, text: str) -> bytes:
    """Return the original bytes. Raise zlib.error or ValueError where the row is damaged."""
    form, body = packed[:1], packed[1:]
    if form == _RAW:
        return body
    if form in (_AROUND, _AROUND_ASCII):
        before, found, after = _inflated(body, _ENVELOPE).partition(_TEXT)
        if not found:
            raise ValueError("the row has lost the place of its text")
        return before + _as_json(text, form) + after
    return _inflated(body, b"" if form == _DEFLATED else _dictionary(text))


def _around(payload: bytes, text: str) -> bytes | None:
    """Return what stands around the text in a payload that holds it as one JSON string; None for any other."""
    for form in (_AROUND, _AROUND_ASCII):
        before, found, after = payload.partition(_as_json(text, form))
        if found and len(before) + len(after) <= _ENVELOPE_MOST and _TEXT not in before + after:
            return form + _deflated(before + _TEXT + after, _ENVELOPE)
    return None


def _as_json(text: str, form: bytes) -> bytes:
    if form == _AROUND_ASCII:
        return json.dumps(text).encode()
    written = text.encode("utf-8", "replace")
    if not written.translate(None, _PLAIN):  # Most texts; every message that is read is written so again.
        return b'"' + written + b'"'
    return encode_basestring(text).encode("utf-8", "replace")


def _deflated(content: bytes, dictionary: bytes = b"") -> bytes:
    """Deflate with a window that is no larger than what it sees: setting up a large one takes longer than using it."""
    bits = min(zlib.MAX_WBITS, max(9, (len(content) + len(dictionary)).bit_length()))
    deflate = zlib.compressobj(6, zlib.DEFLATED, -bits, max(1, bits - 7), zlib.Z_DEFAULT_STRATEGY, dictionary)
    return deflate.compress(content) + deflate.flush()


def _inflated(body: bytes, dictionary: bytes = b"") -> bytes:
    if not dictionary:
        return zlib.decompress(body, -zlib.MAX_WBITS)
    inflate = zlib.decompressobj(-zlib.MAX_WBITS, zdict=dictionary)
    content = inflate.decompress(body) + inflate.flush()
    if not inflate.eof:
        raise zlib.error("the row ends too early")
    return content


def _dictionary(text: str) -> bytes:
    """Return what deflate may point back into: the text as JSON writes it, behind the usual envelope."""
    body = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return (body.encode("utf-8", "replace") + _ENVELOPE)[-_WINDOW:]
