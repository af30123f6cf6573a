from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from everyword.errors import ModelError
from everyword.models.cache import damaged_files, default_cache, ensure_folder, is_whole


def fill(folder: Path) -> None:
    (folder / "weights").write_bytes(b"12345")


def test_a_folder_is_built_once(tmp_path: Path) -> None:
    built: list[Path] = []

    def counted(folder: Path) -> None:
        built.append(folder)
        fill(folder)

    for _ in range(2):
        folder = ensure_folder(tmp_path / "model", recipe="1", fill=counted)
        assert (folder / "weights").read_bytes() == b"12345"
    assert len(built) == 1


def test_another_recipe_builds_again(tmp_path: Path) -> None:
    folder = ensure_folder(tmp_path / "model", recipe="1", fill=fill)
    ensure_folder(folder, recipe="2", fill=lambda new: (new / "other").touch())
    assert not (folder / "weights").exists()
    assert is_whole(folder, "2")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("manifest", [b"", b"{", b"[]", b'{"recipe": "1"}', b'{"recipe": "1", "files": 3}'])
def test_a_damaged_manifest_is_no_whole_folder(tmp_path: Path, manifest: bytes) -> None:
    folder = ensure_folder(tmp_path / "model", recipe="1", fill=fill)
    (folder / "manifest.json").write_bytes(manifest)
    assert not is_whole(folder, "1")
    ensure_folder(folder, recipe="1", fill=fill)
    assert is_whole(folder, "1")


def test_a_cut_file_is_built_again(tmp_path: Path) -> None:
    folder = ensure_folder(tmp_path / "model", recipe="1", fill=fill)
    (folder / "weights").write_bytes(b"123")
    ensure_folder(folder, recipe="1", fill=fill)
    assert (folder / "weights").read_bytes() == b"12345"


def test_a_changed_byte_is_found_by_its_checksum(tmp_path: Path) -> None:
    folder = ensure_folder(tmp_path / "model", recipe="1", fill=fill)
    assert damaged_files(folder) == []
    (folder / "weights").write_bytes(b"12346")
    assert damaged_files(folder) == ["weights"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def failing(folder: Path) -> None:
        fill(folder)
        raise ModelError("no weights")

    with pytest.raises(ModelError, match="no weights"):
        ensure_folder(tmp_path / "model", recipe="1", fill=failing)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_gives_way(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("not a folder")
    assert is_whole(ensure_folder(tmp_path / "model", recipe="1", fill=fill), "1")


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="EVERYWORD_CACHE"):
        ensure_folder(tmp_path / "file" / "model", recipe="1", fill=fill)


def test_a_killed_build_leaves_no_half_made_folder(tmp_path: Path) -> None:
    script = """
        import sys, time
        from pathlib import Path
        from everyword.models.cache import ensure_folder

        def slow(folder):
            (folder / "half").touch()
            time.sleep(60)

        ensure_folder(Path(sys.argv[1]), recipe="1", fill=slow)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "model")]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob(".model-*/half")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -getattr(signal, "SIGKILL", 1)
    assert not (tmp_path / "model").exists()
    assert is_whole(ensure_folder(tmp_path / "model", recipe="1", fill=fill), "1")


def test_what_old_killed_builds_left_is_removed_and_a_running_build_is_not(tmp_path: Path) -> None:
    for name, age_s in (("old", 7200), ("running", 60)):
        left = tmp_path / f".model-{name}"
        left.mkdir()
        os.utime(left, (time.time() - age_s,) * 2)
    ensure_folder(tmp_path / "model", recipe="1", fill=fill)
    assert {path.name for path in tmp_path.iterdir()} == {"model", ".model-running"}


@pytest.mark.parametrize("damaged", [False, True])
def test_builds_at_the_same_time_end_in_one_whole_folder(tmp_path: Path, damaged: bool) -> None:
    if damaged:
        (tmp_path / "model").mkdir()
        (tmp_path / "model" / "manifest.json").write_text("{")
    together = threading.Barrier(6)
    whole: list[bool] = []

    def waiting(folder: Path) -> None:
        together.wait(timeout=10)
        fill(folder)

    def build() -> None:
        whole.append(is_whole(ensure_folder(tmp_path / "model", recipe="1", fill=waiting), "1"))

    threads = [threading.Thread(target=build) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(whole) == 6
    assert is_whole(tmp_path / "model", "1")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_environment_names_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVERYWORD_CACHE", str(tmp_path))
    assert default_cache() == tmp_path
    monkeypatch.delenv("EVERYWORD_CACHE")
    assert default_cache().name == "models"
