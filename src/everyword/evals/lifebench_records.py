"""What a record of a LifeBench phone says, in Simplified Chinese as the record itself.

The wording tells who, what and, where a record has more than its own time, when. It leaves out the publisher's
summaries, which no phone holds, phone numbers, file names, and how a picture was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from everyword.transcripts.json_text import is_array, is_object

Record = Mapping[str, Any]
Told = tuple[str | None, str]
"""Author, where it is another than the user, and text."""

_OUTGOING = ("拨打", "拨出", "主叫", "呼出", "呼叫")
_INCOMING = ("接收", "接听", "呼入", "被叫")
_NONE = ("", "无", "N/A")


def sms(record: Record) -> Told:
    contact, content = record["contactName"], record["message_content"]
    if record["message_type"] == "接收":
        return contact, f"{contact}发来的短信：{content}"
    if record["message_type"] == "发送":
        return None, f"发给{contact}的短信：{content}"
    return None, f"与{contact}的短信往来：{content}"


def call(record: Record) -> Told:
    contact, way = record["contactName"], str(record.get("call_type", ""))
    if record.get("direction") == 1 or way in _OUTGOING:
        who = f"打给{contact}的电话"
    elif record.get("direction") == 0 or way in _INCOMING:
        who = f"{contact}打来的电话"
    else:
        who = f"与{contact}的{way or '电话'}"
    parts = [who, *_span(record), *_filled(record, "call_result")]
    notes = _filled(record, "remark", "description", "call_summary", "summarized_info")
    return None, "。".join(["，".join(parts), *notes])


def _span(record: Record) -> list[str]:
    """Return from when to when a call went, or how long, as far as the record says."""
    start, end = str(record["datetime"])[11:16], str(record.get("datetime_end", ""))[11:16]
    length = str(record.get("duration") or record.get("call_duration") or "")
    if end:
        return [f"{start}至{end}"]
    return [f"时长{length}{'秒' if length.isdigit() else ''}"] if length else []


def calendar(record: Record) -> Told:
    again = [f"重复：{each}" for each in _filled(record, "recurrence", "recurrence_rule")]
    when = f"日程《{record['title']}》，{record['start_time']}至{record['end_time']}"
    return None, "。".join([when, *_filled(record, "description"), *again])


def note(record: Record) -> Told:
    return None, f"备忘录《{record['title']}》：{record['content']}"


def push(record: Record) -> Told:
    return record["source"], f"推送通知《{record['title']}》：{record['content']}"


def photo(record: Record) -> Told:
    parts = {
        "照片": "".join(_filled(record, "caption")),
        "地点": _place(record.get("location")),
        "人物": "、".join(_list(record.get("faceRecognition"))),
        "标签": "、".join(_list(record.get("imageTag"))),
        "文字": "".join(_filled(record, "ocrText")),
    }
    return None, "。".join(f"{name}：{value}" for name, value in parts.items() if value)


def _place(location: Any) -> str:
    """Return an address without the parts that repeat, such as a city that is its own province, or say nothing."""
    parts = _list(list(location.values()) if is_object(location) else location)
    return "".join(dict.fromkeys(part for part in parts if "XX" not in part))


def _list(value: Any) -> list[str]:
    values = value if is_array(value) else [value]
    return [str(each) for each in values if each is not None and str(each) not in _NONE]


def _filled(record: Record, *keys: str) -> list[str]:
    return [str(record[key]).rstrip("。") for key in keys if str(record.get(key) or "") not in _NONE]


def turns(record: Record) -> Iterator[tuple[str, str] | None]:
    """Yield role and words of each message of a chat; None for one that does not say who speaks."""
    for turn in record["conversation"].values():
        for role, said in turn.items():
            if role in ("user", "assistant") and is_object(said):
                yield role, str(said["content"])
            elif role != "reference":
                yield None


RECORDS: dict[str, Callable[[Record], Told]] = {
    "call": call,
    "sms": sms,
    "calendar": calendar,
    "note": note,
    "push": push,
    "photo": photo,
}
"""In the order in which a day's records are told; its chats, which give no hour, follow."""
CHAT = "agent_chat"
