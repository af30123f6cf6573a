from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from everyword.transcripts.formats import recognise


def node(key: str, parent: str | None, children: list[str], role: str | None = None, *parts: Any, **more: Any) -> Any:
    message = None
    if role is not None:
        author = {"role": role, "name": more.pop("name", None)}
        content = {"content_type": "text", "parts": list(parts)}
        message = {"id": f"m-{key}", "author": author, "content": content, "create_time": 1716389100.5, **more}
    return {"id": key, "parent": parent, "children": children, "message": message}


def conversation(**more: Any) -> dict[str, Any]:
    nodes = [
        node("root", None, ["s"]),
        node("s", "root", ["u"], "system", ""),
        node("u", "s", ["a1", "a2"], "user", "Which coin?"),
        node("a1", "u", [], "assistant", "The old one."),
        node("a2", "u", ["t"], "assistant", '{"q":"coin"}', recipient="browser", metadata={"model_slug": "m1"}),
        node("t", "a2", ["a3"], "tool", "minted 1913", name="browser"),
        node("a3", "t", [], "assistant", "Minted in 1913."),
    ]
    found = {"conversation_id": "c1", "title": "Coins", "current_node": "a3", "mapping": {n["id"]: n for n in nodes}}
    return {**found, **more}


def test_the_current_branch_is_main_and_the_others_are_kept(take: Any) -> None:
    drafts, skipped = take([conversation()], name="conversations.json")
    assert skipped == []
    assert [(d.role, d.text, d.branch) for d in drafts] == [
        ("user", "Which coin?", "main"),
        ("assistant", "The old one.", "other"),
        ("assistant", 'browser({"q":"coin"})', "main"),
        ("tool", "minted 1913", "main"),
        ("assistant", "Minted in 1913.", "main"),
    ]
    assert {d.session_id for d in drafts} == {"c1"}
    assert drafts[2].metadata == {"title": "Coins", "model": "m1"}
    assert (drafts[3].author, drafts[3].origin) == ("browser", "tool")
    assert drafts[0].created_at is not None
    assert drafts[0].created_at.isoformat() == "2024-05-22T14:45:00.500000+00:00"


def test_the_payload_is_the_message_as_it_stands_in_the_file(take: Any) -> None:
    text = json.dumps([conversation()], indent=2).replace("Which coin?", "Which \\u0063oin?")
    drafts, _ = take(text)
    assert drafts[0].payload.decode() in text
    assert b"\\u0063" in drafts[0].payload


def test_without_a_current_node_the_deepest_leaf_ends_the_main_branch(take: Any) -> None:
    for current in (None, "gone"):
        drafts, _ = take(conversation(current_node=current))
        assert [d.branch for d in drafts] == ["main", "other", "main", "main", "main"]


def test_importing_twice_or_a_longer_export_gives_the_same_keys(take: Any) -> None:
    first, _ = take([conversation()], name="conversations.json")
    longer = conversation(current_node="u2")
    longer["mapping"]["a3"]["children"] = ["u2"]
    longer["mapping"]["u2"] = node("u2", "a3", [], "user", "Thanks")
    second, _ = take([{"conversation_id": "c0", "mapping": {}}, longer], name="other.json")
    assert [d.key for d in second[:5]] == [d.key for d in first]
    assert len({d.key for d in second}) == 6


def test_pictures_files_thoughts_and_instructions_have_words(take: Any) -> None:
    mapping = {
        "a": node("a", None, [], "user", "look", {"content_type": "image_asset_pointer", "asset_pointer": "file-1"},
                  metadata={"attachments": [{"name": "bill.pdf"}]}),
        "b": node("b", "a", [], "assistant"),
        "c": node("c", "b", [], "user", {"content_type": "audio_transcription", "text": "spoken"},
                  {"content_type": "audio_asset_pointer", "asset_pointer": "x"}),
        "d": node("d", "c", [], "system"),
    }  # fmt: skip
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "count them"}]}
    mapping["b"]["message"]["content"] = thoughts
    mapping["d"]["message"]["content"] = {"content_type": "user_editable_context", "user_profile": "I am Ana"}
    drafts, skipped = take({"id": "x", "mapping": mapping})
    assert skipped == []
    assert [d.text for d in drafts] == [
        "look\n[image: file-1]\n[file: bill.pdf]",
        "Plan\ncount them",
        "spoken\n[audio]",
        "I am Ana",
    ]


def test_what_cannot_be_taken_is_reported_with_its_place(take: Any) -> None:
    odd = conversation()
    odd["mapping"]["a1"]["message"]["author"] = {"role": "critic"}
    odd["mapping"]["s"]["message"] = "text"
    odd["mapping"]["x"] = 5
    drafts, skipped = take([conversation(), odd, 7, {"title": "no mapping"}], name="conversations.json")
    assert len(drafts) == 9
    assert [(s.place, s.reason) for s in skipped] == [
        ("conversations.json[1].mapping['x']", "the node is not an object"),
        ("conversations.json[1].mapping['s']", "the message is not an object but str"),
        (
            "conversations.json[1].mapping['a1']",
            "unknown role 'critic': use one of assistant, developer, system, tool, user",
        ),
        ("conversations.json[2]", "a conversation must be an object, not int"),
        ("conversations.json[3]", "the conversation has no mapping of messages"),
    ]


def test_a_cut_export_gives_what_is_whole_and_the_byte_where_it_ends(take: Any) -> None:
    data = json.dumps([conversation(), conversation(conversation_id="c2")]).encode()
    drafts, (skipped,) = take(data[:-200], name="conversations.json")
    assert {d.session_id for d in drafts} == {"c1"}
    assert "byte" in skipped.place
    assert "ends before" in skipped.reason


def test_null_times_and_cycles_are_survived(take: Any) -> None:
    odd = conversation()
    odd["mapping"]["u"]["parent"] = "a3"
    odd["mapping"]["u"]["message"]["create_time"] = None
    drafts, skipped = take(odd)
    assert (len(drafts), skipped) == (5, [])


def zipped(**files: Any) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), json.dumps(content))
    return buffer.getvalue()


def test_a_zip_is_read_through_its_conversations(take: Any, tmp_path: Any) -> None:
    data = zipped(user__json={"id": "u"}, export__html="x", conversations__json=[conversation()])
    drafts, skipped = take(data, name="export.zip")
    assert (len(drafts), skipped) == (5, [])
    assert recognise(tmp_path / "export.zip") == "chatgpt"


def test_a_zip_with_numbered_conversations_is_read_whole(take: Any) -> None:
    parts = {f"conversations-00{i}__json": [conversation(conversation_id=f"c{i}")] for i in range(3)}
    drafts, _ = take(zipped(**parts), name="export.zip")
    assert sorted({d.session_id for d in drafts}) == ["c0", "c1", "c2"]


def test_a_browsers_capture_is_read_as_the_conversation_in_it(take: Any) -> None:
    drafts, _ = take({"kind": "capture", "raw_provider_payload": conversation()})
    assert len(drafts) == 5
