"""Files of a transcript: a file, the members of a zip, or the files of a folder; each a stream of bytes."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from everyword.errors import TranscriptError

BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
LOGS = ("*.jsonl", "*.jsonl.gz", "*.ndjson")
DOCUMENTS = ("*.json", "*.json.gz")
LINE_SUFFIXES = frozenset({".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file that can be opened again and again."""

    name: str
    """Path inside the zip or folder, or the file's name; places are told with it."""
    opener: Callable[[], BinaryIO]
    folder: str = ""
    """Name of the folder that the file lies in, where it is read alone."""

    @property
    def stem(self) -> str:
        """Name without folders and suffixes: a session's id where the records tell none."""
        return PurePosixPath(self.base).stem

    @property
    def base(self) -> str:
        """File name without folders and without .gz."""
        return PurePosixPath(self.name).name.removesuffix(".gz")

    @property
    def in_lines(self) -> bool:
        """Whether the name says that each line is a record."""
        return PurePosixPath(self.base).suffix.lower() in LINE_SUFFIXES

    @contextmanager
    def open(self) -> Generator[BinaryIO, None, None]:
        """Open the stream past a byte order mark."""
        with self.opener() as raw:
            stream = cast("BinaryIO", raw if isinstance(raw, BufferedReader) else BufferedReader(raw))  # type: ignore[arg-type]
            head = cast("BufferedReader", stream).peek(3)[:3]
            if head[:2] in WIDE_BOMS:
                raise TranscriptError(f"{self.name!r} is UTF-16: save it as UTF-8 and import it again")
            if head == BOM:
                stream.read(len(BOM))
            yield stream


def sources(path: Path) -> list[Source]:
    """Return the files at the path, in order of their names. Raise TranscriptError where nothing can be opened."""
    if path.is_dir():
        return _of_folder(path)
    if not path.exists():
        raise TranscriptError(f"there is no file {str(path)!r}: check the path")
    if zipfile.is_zipfile(path):
        return _of_zip(path)
    return [_of_file(path, path.name)]


def _of_file(path: Path, name: str) -> Source:
    folder = path.absolute().parent.name
    if path.suffix == ".gz":
        return Source(name=name, folder=folder, opener=lambda: cast("BinaryIO", gzip.open(path, "rb")))
    return Source(name=name, folder=folder, opener=lambda: path.open("rb"))


def _of_folder(path: Path) -> list[Source]:
    files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
    return [_of_file(file, file.relative_to(path).as_posix()) for file in files]


def _of_zip(path: Path) -> list[Source]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(info.filename for info in archive.infolist() if not info.is_dir())
    except (zipfile.BadZipFile, OSError) as error:
        raise TranscriptError(f"{path.name!r} is a damaged zip ({error}): download the export again") from error
    return [Source(name=name, opener=_member(path, name)) for name in names if not name.startswith("__MACOSX/")]


def _member(path: Path, name: str) -> Callable[[], BinaryIO]:
    def opener() -> BinaryIO:
        with zipfile.ZipFile(path) as archive:
            return cast("BinaryIO", archive.open(name))

    return opener


def named(files: Sequence[Source], *patterns: str) -> list[Source]:
    """Return the files whose own name matches one of the patterns."""
    return [file for file in files if any(PurePosixPath(file.base).match(pattern) for pattern in patterns)]


def logs(files: Sequence[Source]) -> list[Source]:
    """Return the logs of a folder, its documents where it has no logs; a file that is alone, whatever its name."""
    return list(files) if len(files) <= 1 else named(files, *LOGS) or named(files, *DOCUMENTS)
