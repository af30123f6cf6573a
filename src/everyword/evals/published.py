"""Files of a dataset as its publisher ships them: read, checked, and known by their sha256."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from everyword.errors import InvalidInputError
from everyword.transcripts.elements import Broken, elements

Read = TypeVar("Read")
_DAMAGED = (ValueError, EOFError, RecursionError, gzip.BadGzipFile, zlib.error)


def read_json(path: Path) -> tuple[Any, str]:
    """Return the document (also .gz) and the sha256 of the file. Raise InvalidInputError."""
    sha256 = sha256_of(path)
    with _refused(path), opened(path) as stream:
        return json.loads(stream.read()), sha256


def read_lines(path: Path) -> list[Any]:
    """Return the values of a file (also .gz) that holds one JSON value a line. Raise InvalidInputError."""
    with _refused(path), opened(path) as stream:
        return [json.loads(line) for line in stream if line.strip()]


def read_records(path: Path, name: str) -> tuple[Iterator[Any], str]:
    """Return the records of a file (also .gz) that is a JSON list, one at a time, and the sha256 of the file.

    A file of any size costs the memory of one record. Raise InvalidInputError, also while the records are read.
    """
    sha256 = sha256_of(path)
    records = _records(path, name)
    return chain([next(records)], records), sha256


def _records(path: Path, name: str) -> Iterator[Any]:
    number = 0
    with _refused(path), opened(path) as stream:
        for element in elements(stream):
            if isinstance(element, Broken):
                raise InvalidInputError(_no_list(path, name, element))
            yield json.loads(element.data)
            number += 1
    if not number:
        raise InvalidInputError(f"{path} is not {name}: its list of records is empty.")


def _no_list(path: Path, name: str, broken: Broken) -> str:
    if broken.number == 0:
        return f"{path} is not {name}: it should be a list of records, as its publisher ships it."
    return f"{path} is damaged at byte {broken.offset} ({broken.reason}): download it again."


def opened(path: Path) -> BinaryIO:
    """Open a file to be read as bytes, unpacked where its name ends in .gz."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


@contextmanager
def _refused(path: Path) -> Generator[None]:
    """Raise InvalidInputError with the file's path where it cannot be read."""
    try:
        yield
    except InvalidInputError:
        raise
    except _DAMAGED as error:
        raise InvalidInputError(f"{path} is not JSON ({error}): give the file as its publisher ships it.") from error
    except OSError as error:
        reason = error.strerror or error
        raise InvalidInputError(f"{path} cannot be read ({reason}): give the dataset's file with --data.") from error


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file. Raise InvalidInputError where it cannot be read."""
    with _refused(path), path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_files(folder: Path, paths: Iterable[Path]) -> str:
    """Return one sha256 for the files of a dataset: of what `sha256sum` prints for them in the folder, by their names.

    Of a single file it is the file's own.
    """
    sums = {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}
    if len(sums) == 1:
        return next(iter(sums.values()))
    return hashlib.sha256("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()).hexdigest()


def existing(folder: Path, name: str) -> Path | None:
    """Return the file of this name, or its .gz, in a folder; None: there is none."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def in_layout(read: Callable[[Any], Read], record: Any, path: Path) -> Read:
    """Return what `read` makes of a record. Raise InvalidInputError where it has not the publisher's layout."""
    try:
        return read(record)
    except KeyError as error:
        raise InvalidInputError(f"{path} has another layout than expected: {error} is missing in a record.") from error
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise InvalidInputError(f"{path} has another layout than expected: {error}.") from error


@lru_cache(maxsize=1 << 15)
def iso(text: str, *formats: str) -> str | None:
    """Return ISO 8601 of a time that names no zone, taken as UTC; None where it has none of the forms."""
    for form in formats:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).isoformat()
        except ValueError:
            continue
    return None
