from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from everyword.domain.message import Draft, Skipped
from everyword.errors import UnknownFormatError
from everyword.transcripts import read, recognise

DATA = Path(os.environ.get("EVERYWORD_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")

pytestmark = pytest.mark.skipif(
    not (DATA / "exports").is_dir() and not os.environ.get("CI"),
    reason="set EVERYWORD_TEST_DATA to a folder with the sample exports",
)

# file: format, messages, branches other than main, places that are skipped
KNOWN: dict[str, tuple[str, int, int, int]] = {
    "exports/fixtures/chatgpt/native-browser-capture-v1.json": ("chatgpt", 8, 1, 0),
    "exports/fixtures/chatgpt/native-conversation-v1.json": ("chatgpt", 8, 1, 0),
    "exports/fixtures/origin-capability/chatgpt-export.json": ("chatgpt", 1, 0, 0),
    "exports/polylogue-chatgpt/native-browser-capture-v1.json": ("chatgpt", 8, 1, 0),
    "exports/polylogue-chatgpt/native-conversation-v1.json": ("chatgpt", 8, 1, 0),
    "exports/polylogue-chatgpt/sample-00.json": ("chatgpt", 3, 1, 0),
    "exports/polylogue-chatgpt/sample-01.json": ("chatgpt", 4, 1, 0),
    "exports/fixtures/origin-capability/claude-ai-export.json": ("claude-ai", 1, 0, 0),
    "exports/osteele-claude/claude-bakery-chat.json": ("claude-ai", 4, 0, 0),
    "exports/osteele-claude/conversation-rendering-tests.json": ("claude-ai", 10, 0, 0),
    "exports/osteele-claude/conversation-with-errors.json": ("claude-ai", 10, 0, 0),
    "exports/osteele-claude/conversations.json": ("claude-ai", 6, 0, 0),
    "exports/polylogue-claude-ai/sample-00.json": ("claude-ai", 3, 0, 0),
    "exports/polylogue-claude-ai/sample-01.json": ("claude-ai", 6, 0, 0),
    "exports/claude-code-daaain/edge_cases.jsonl": ("claude-code", 13, 0, 6),
    "exports/claude-code-daaain/representative_messages.jsonl": ("claude-code", 12, 0, 0),
    "exports/claude-code-daaain/session_b.jsonl": ("claude-code", 3, 0, 0),
    "exports/claude-code-daaain/todowrite_examples.jsonl": ("claude-code", 12, 0, 0),
    "exports/claude-code-simonw/sample_session.json": ("claude-code", 33, 0, 0),
    "exports/claude-code-simonw/sample_session.jsonl": ("claude-code", 8, 0, 0),
    "exports/fixtures/claude-code/claude-normalization-main.jsonl": ("claude-code", 13, 1, 0),
    "exports/fixtures/claude-code/normalization-agent.jsonl": ("claude-code", 2, 0, 0),
    "exports/fixtures/claude-code/normalization-lineage-acompact.jsonl": ("claude-code", 3, 0, 0),
    "exports/fixtures/claude-code/normalization-lineage-parent.jsonl": ("claude-code", 2, 0, 0),
    "exports/fixtures/claude-code/normalization-lineage-subagent-acompact.jsonl": ("claude-code", 3, 3, 0),
    "exports/fixtures/origin-capability/claude-code-session.jsonl": ("claude-code", 2, 0, 0),
    "exports/claude-code-daaain": ("claude-code", 40, 0, 6),
    "exports/fixtures/origin-capability/codex-session.jsonl": ("codex", 2, 0, 0),
    "exports/sharegpt/fastchat_dummy_conversation.json": ("sharegpt", 2000, 0, 0),
    "exports/sharegpt/llamafactory_glaive_toolcall_zh_demo.json": ("sharegpt", 1880, 0, 0),
    "exports/langchain-community/loaders/slack_export.zip": ("slack", 5, 0, 0),
    "exports/slack": ("slack", 5, 0, 0),
    "exports/slack/general/2023-04-13.json": ("slack", 2, 0, 0),
    "agent/tau_gpt4o_airline.json": ("jsonl", 5308, 0, 0),
}

FOREIGN = [
    "exports/fixtures/origin-capability/aistudio-drive.json",
    "exports/fixtures/origin-capability/antigravity-session.json",
    "exports/fixtures/origin-capability/beads-issue.jsonl",
    "exports/fixtures/origin-capability/claude-design-session.json",
    "exports/fixtures/origin-capability/gemini-cli-session.json",
    "exports/fixtures/origin-capability/grok-export.json",
    "exports/fixtures/origin-capability/hermes-session.jsonl",
    "exports/langchain-community/chat_loaders/imessage_chat.db",
    "exports/langchain-community/chat_loaders/messages.html",
    "exports/langchain-community/chat_loaders/result.json",
    "exports/langchain-community/chat_loaders/whatsapp_chat.txt",
    "exports/langchain-community/loaders/facebook_chat.json",
    "exports/langchain-community/loaders/telegram.json",
    "exports/langchain-community/loaders/whatsapp_chat.txt",
    "exports/schemas/chatgpt.schema.json",
    "exports/schemas/claude-ai.schema.json",
    "exports/schemas/claude-code.schema.json",
    "exports/slack/channels.json",
    "exports/slack/users.json",
]


@pytest.mark.parametrize("name", KNOWN)
def test_a_real_export_is_recognised_and_taken_whole(name: str) -> None:
    form, messages, branches, places = KNOWN[name]
    assert recognise(DATA / name) == form
    found = list(read(DATA / name))
    drafts = [one for one in found if isinstance(one, Draft)]
    skipped = [one for one in found if isinstance(one, Skipped)]
    assert (len(drafts), len(skipped)) == (messages, places)
    assert sum(draft.branch != "main" for draft in drafts) == branches
    assert all(draft.text and json.loads(draft.payload) is not None for draft in drafts)


@pytest.mark.parametrize("name", KNOWN)
def test_a_real_export_has_a_key_for_every_message_and_the_same_ones_again(name: str) -> None:
    first = [one.key for one in read(DATA / name) if isinstance(one, Draft)]
    again = [one.key for one in read(DATA / name) if isinstance(one, Draft)]
    assert first == again
    assert len(set(first)) == len(first)


@pytest.mark.parametrize("name", [name for name in KNOWN if Path(name).suffix in (".json", ".jsonl")])
def test_payloads_are_bytes_of_the_file(name: str) -> None:
    data = (DATA / name).read_bytes()
    split_off: list[Draft] = []
    at = 0
    for draft in (one for one in read(DATA / name) if isinstance(one, Draft)):
        found = data.find(draft.payload, at)
        if found < 0 and len(data) < 1_000_000:
            found = data.find(draft.payload)
        at = max(at, found)
        split_off += [draft] if found < 0 else []
    assert all(draft.role == "tool" and draft.payload.startswith(b"[") for draft in split_off)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_refused_with_the_known_formats(name: str) -> None:
    with pytest.raises(UnknownFormatError, match="--format"):
        recognise(DATA / name)
