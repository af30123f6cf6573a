"""Folders that are built once: whole or absent, whatever happens while they are built."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from everyword.errors import ModelError

MANIFEST = "manifest.json"
LEFTOVER_AGE_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedFile:
    """Size and checksum of one file at the time it was built."""

    bytes: int
    sha256: str


def default_cache() -> Path:
    """Return the folder of built and downloaded models: `EVERYWORD_CACHE`, or the platform's cache folder."""
    if named := os.environ.get("EVERYWORD_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("everyword")) / "models"


def ensure_folder(folder: Path, *, recipe: str, fill: Callable[[Path], None]) -> Path:
    """Return the folder, built by `fill` unless a whole one of this recipe is there.

    It is filled under another name and renamed: a killed build leaves no half-made folder, and of two builds at once
    the first to finish wins. Raise ModelError where the disk refuses.
    """
    if is_whole(folder, recipe):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        sweep_leftovers(folder)
        build(folder, recipe, fill)
    except OSError as error:
        raise ModelError(f"Cannot build {str(folder)!r}: {error}. Name another folder with EVERYWORD_CACHE.") from error
    return folder


def build(folder: Path, recipe: str, fill: Callable[[Path], None]) -> None:
    temporary = beside(folder)
    temporary.mkdir()
    try:
        fill(temporary)
        seal(temporary, recipe)
        publish(temporary, folder, recipe)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def is_whole(folder: Path, recipe: str) -> bool:
    """Tell whether the folder was sealed with this recipe and every file still has its size."""
    try:
        return read_recipe(folder) == recipe and all(
            (folder / name).stat().st_size == sealed.bytes for name, sealed in sealed_files(folder)
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def damaged_files(folder: Path) -> list[str]:
    """Return the names of the files whose checksum is not the one of the manifest; reads every byte."""
    return [name for name, sealed in sealed_files(folder) if file_sha256(folder / name) != sealed.sha256]


def seal(folder: Path, recipe: str) -> None:
    """Write the manifest, last, after every byte is on the disk."""
    files = {path.name: asdict(sealed_file(path)) for path in sorted(folder.iterdir())}
    manifest = folder / MANIFEST
    manifest.write_text(json.dumps({"recipe": recipe, "files": files}, indent=2), encoding="utf-8")
    sync(manifest)


def sealed_file(path: Path) -> SealedFile:
    sync(path)
    return SealedFile(bytes=path.stat().st_size, sha256=file_sha256(path))


def publish(temporary: Path, folder: Path, recipe: str) -> None:
    """Give the built folder its name, unless another process gave it to a whole one first."""
    for _ in range(5):
        try:
            temporary.rename(folder)
        except OSError:
            if is_whole(folder, recipe):
                return
            move_aside(folder)
        else:
            return
    temporary.rename(folder)


def move_aside(folder: Path) -> None:
    aside = beside(folder)
    try:
        folder.rename(aside)
    except FileNotFoundError:
        return
    if aside.is_dir():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        aside.unlink(missing_ok=True)


def sweep_leftovers(folder: Path) -> None:
    """Remove what builds that were killed more than an hour ago left behind."""
    for path in folder.parent.glob(f".{folder.name}-*"):
        with suppress(FileNotFoundError):  # another process renames or removes its own
            if time.time() - path.stat().st_mtime > LEFTOVER_AGE_S:
                shutil.rmtree(path, ignore_errors=True)


def beside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}-{uuid.uuid4().hex}")


def read_recipe(folder: Path) -> str:
    return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["recipe"]


def sealed_files(folder: Path) -> Iterator[tuple[str, SealedFile]]:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for name, sealed in manifest["files"].items():
        yield name, SealedFile(**sealed)


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
