"""Slack export: a zip or folder with a folder a channel, a file a day; users.json has the names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from everyword.domain.message import Draft, Skipped
from everyword.errors import InvalidMessageError
from everyword.transcripts.content import marker, view
from everyword.transcripts.json_text import Piece, is_array, is_object, text_or_none
from everyword.transcripts.records import records
from everyword.transcripts.said import Conversation, Said, drafts, taken
from everyword.transcripts.sources import Source

NAME = "slack"
CHANNELS = ("channels.json", "groups.json", "dms.json", "mpims.json")
PEOPLE = ("users.json", "org_users.json")
SPOKEN = frozenset({None, "thread_broadcast", "file_share", "me_message", "file_comment", "reply_broadcast"})
BOT = "bot_message"

Names = Mapping[str, str]


def recognises(value: Any) -> bool:
    """Tell whether this is a message of a Slack channel."""
    return is_object(value) and value.get("type") == "message" and isinstance(value.get("ts"), str)


def is_export(files: Sequence[Source]) -> bool:
    """Tell whether the files are those of an export: the list of channels, or of people, beside folders of days."""
    names = {PurePosixPath(file.name).name for file in files}
    return bool(names & {*CHANNELS, *PEOPLE}) and any(_is_day(file) for file in files)


def _is_day(source: Source) -> bool:
    path = PurePosixPath(source.name)
    return path.suffix == ".json" and path.name not in (*CHANNELS, *PEOPLE) and path.parent.name != ""


def read(files: Sequence[Source]) -> Iterator[Draft | Skipped]:
    """Read every channel, day by day."""
    people = _people(files)
    channels = _channels(files)
    days = [file for file in files if _is_day(file)] if len(files) > 1 else list(files)
    shared: dict[str, list[Source]] = defaultdict(list)
    for day in days:
        shared[PurePosixPath(day.name).parent.name or day.folder].append(day)
    for folder, own in shared.items():
        for day in own:
            yield from _day(day, folder, channels.get(folder, {}), people)


def _day(day: Source, folder: str, channel: Mapping[str, Any], people: Names) -> Iterator[Draft | Skipped]:
    session = text_or_none(channel.get("id")) or folder
    about = {"channel": text_or_none(channel.get("name")) or folder}
    for number, record in enumerate(records(day)):
        if isinstance(record, Skipped):
            yield record
        else:
            value = record.value if is_object(record.value) else {}
            thread = {"thread": value.get("thread_ts"), "subtype": value.get("subtype")}
            of = Conversation(format=NAME, session_id=session, metadata={**about, **thread})
            yield from _message(record, of, f"{day.base}-{number}", people)


def _message(record: Piece, of: Conversation, position: str, people: Names) -> Iterator[Draft | Skipped]:
    def found() -> Iterator[Draft]:
        value = record.value
        if not is_object(value):
            raise InvalidMessageError(f"the message is not an object but {type(value).__name__}")
        identity = f"{value['ts']}/{value.get('user') or value.get('bot_id') or ''}" if value.get("ts") else None
        yield from drafts(
            [_said(value, people)], record, of, identity=identity, position=position, time=value.get("ts")
        )

    return taken(found(), record.place)


def _said(value: Mapping[str, Any], people: Names) -> Said:
    text = view([_text(value), *_attached(value), *_files(value)])
    if not text:
        raise InvalidMessageError("the message has no words")
    author = _author(value, people)
    subtype = text_or_none(value.get("subtype"))
    if subtype == BOT or (value.get("bot_id") and subtype in SPOKEN):
        return Said(role="tool", text=text, author=author)
    if subtype in SPOKEN:
        return Said(role="user", text=text, author=author)
    return Said(role="system", text=text, author=author, origin="import")


def _text(value: Mapping[str, Any]) -> str:
    return text_or_none(value.get("text")) or view([_rich(block) for block in _list(value, "blocks")])


def _rich(block: Mapping[str, Any]) -> str:
    """Return the words of a block, its elements in one line unless they are paragraphs or list items."""
    text = block.get("text")
    if isinstance(text, str):
        return text
    if is_object(text):
        return _rich(text)
    for key, style in (("name", ":{}:"), ("user_id", "<@{}>"), ("url", "{}")):
        if isinstance(block.get(key), str):
            return style.format(block[key])
    inner = [_rich(element) for element in _list(block, "elements")]
    return ("" if block.get("type") == "rich_text_section" else "\n").join(inner)


def _attached(value: Mapping[str, Any]) -> Iterator[str]:
    for attachment in _list(value, "attachments"):
        words = [text for key in ("pretext", "title", "text") if (text := text_or_none(attachment.get(key)))]
        yield from words or [text_or_none(attachment.get("fallback")) or ""]


def _files(value: Mapping[str, Any]) -> Iterator[str]:
    for file in _list(value, "files"):
        kind = "image" if str(file.get("mimetype", "")).startswith("image/") else "file"
        yield marker(kind, text_or_none(file.get("title")) or text_or_none(file.get("name")))


def _author(value: Mapping[str, Any], people: Names) -> str | None:
    profile = value.get("user_profile")
    own = profile.get("real_name") if is_object(profile) else None
    user = value.get("user") or value.get("bot_id")
    known = people.get(user) if isinstance(user, str) else None
    return known or text_or_none(own) or text_or_none(value.get("username")) or text_or_none(user)


def _people(files: Sequence[Source]) -> Names:
    found: dict[str, str] = {}
    for person in _entries(files, PEOPLE):
        profile = person.get("profile")
        profile = profile if is_object(profile) else {}
        name = next(
            (text for text in (person.get("real_name"), profile.get("real_name"), person.get("name")) if text), None
        )
        for key in (person.get("id"), profile.get("bot_id")):
            if isinstance(key, str) and isinstance(name, str):
                found[key] = name
    return found


def _channels(files: Sequence[Source]) -> dict[str, Mapping[str, Any]]:
    """Return the channels by the name of their folder: the channel's name, or its id for direct messages."""
    found: dict[str, Mapping[str, Any]] = {}
    for channel in _entries(files, CHANNELS):
        for key in (channel.get("id"), channel.get("name")):
            if isinstance(key, str):
                found[key] = channel
    return found


def _entries(files: Sequence[Source], names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for source in files:
        if source.base in names:
            for record in records(source):
                if isinstance(record, Piece) and is_object(record.value):
                    yield record.value


def _list(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    given = value.get(key)
    return [item for item in given if is_object(item)] if is_array(given) else []
