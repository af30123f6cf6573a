from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

FILES: dict[str, Any] = {
    "users.json": [
        {"id": "U1", "name": "ana", "profile": {"real_name": "Ana Lee"}},
        {"id": "U2", "name": "ci", "real_name": "CI", "profile": {"bot_id": "B2"}},
    ],
    "channels.json": [{"id": "C1", "name": "general"}],
    "dms.json": [{"id": "D1", "members": ["U1", "U3"]}],
    "integration_logs.json": [{"user_id": "U1"}],
    "general/2023-04-12.json": [
        {"type": "message", "user": "U1", "ts": "1681300000.000100", "text": "lunch?", "thread_ts": "1681300000.000100"},
        {"type": "message", "user": "U3", "ts": "1681300001.000100", "text": "yes", "thread_ts": "1681300000.000100",
         "user_profile": {"real_name": "Ben Wu"}},
    ],
    "general/2023-04-13.json": [
        {"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1681400000.5", "text": "<@U1> joined"},
        {"type": "message", "subtype": "bot_message", "bot_id": "B2", "ts": "1681400001.5", "text": "",
         "attachments": [{"fallback": "build failed", "title": "Build 7"}]},
        {"type": "message", "user": "U1", "ts": "1681400002.5", "text": "",
         "files": [{"name": "a.png", "mimetype": "image/png"}]},
        {"type": "message", "user": "U1", "ts": "1681400003.5", "text": ""},
        7,
    ],
    "D1/2023-04-13.json": [{"type": "message", "user": "U1", "ts": "1681400002.5", "text": "psst"}],
}  # fmt: skip


@pytest.fixture(params=["folder", "zip"])
def export(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    if request.param == "zip":
        with zipfile.ZipFile(tmp_path / "slack.zip", "w") as archive:
            for name, content in FILES.items():
                archive.writestr(name, json.dumps(content))
        return tmp_path / "slack.zip"
    for name, content in FILES.items():
        (tmp_path / "slack" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "slack" / name).write_text(json.dumps(content))
    return tmp_path / "slack"


def test_channels_people_threads_and_bots_are_read(export: Path, take_path: Any) -> None:
    drafts, skipped = take_path(export)
    assert [(d.session_id, d.role, d.author, d.text) for d in drafts] == [
        ("D1", "user", "Ana Lee", "psst"),
        ("C1", "user", "Ana Lee", "lunch?"),
        ("C1", "user", "Ben Wu", "yes"),
        ("C1", "system", "Ana Lee", "<@U1> joined"),
        ("C1", "tool", "CI", "Build 7"),
        ("C1", "user", "Ana Lee", "[image: a.png]"),
    ]
    assert drafts[2].metadata == {"channel": "general", "thread": "1681300000.000100"}
    assert drafts[2].created_at is not None
    assert drafts[2].created_at.isoformat() == "2023-04-12T11:46:41.000100+00:00"
    assert [s.place for s in skipped] == ["general/2023-04-13.json[3]", "general/2023-04-13.json[4]"]
    assert len({d.key for d in drafts}) == len(drafts)


def test_words_that_only_blocks_hold_are_read(take: Any) -> None:
    elements = [
        {"type": "text", "text": "see "},
        {"type": "link", "url": "https://x.org"},
        {"type": "emoji", "name": "ok"},
    ]
    block = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}
    (draft,) = take([{"type": "message", "ts": "1681400002.5", "user": "U1", "blocks": [block]}])[0]
    assert draft.text == "see https://x.org:ok:"


def test_a_day_alone_belongs_to_the_channel_of_its_folder(tmp_path: Path, take_path: Any) -> None:
    (tmp_path / "random").mkdir()
    path = tmp_path / "random" / "2023-04-13.json"
    path.write_text(json.dumps([{"type": "message", "ts": "1681400002.5", "user": "U1", "text": "hi"}]))
    (draft,) = take_path(path)[0]
    assert (draft.session_id, draft.author) == ("random", "U1")
