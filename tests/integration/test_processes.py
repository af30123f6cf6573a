from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from everyword import Memory
from everyword.testing.word_embedder import WordEmbedder

PROCESSES = 8


def test_eight_processes_write_one_user_and_nothing_is_lost_or_doubled(writers: Any) -> None:
    at = time.time() + 0.3
    names = [f"w{number}" for number in range(PROCESSES)]
    pids = [writers.start("keyed", user="ana", name=name, at=at) for name in names]
    for pid in pids:
        writers.finish(pid)
    assert writers.failures == []
    with Memory(writers.home, embedder="none") as memory:
        messages = list(memory._stores.of("ana", create=False).log.scan())
        assert memory.verify(user_id="ana").ok
    own = [message for message in messages if message.key is None]
    assert len(own) == PROCESSES * 20
    assert {message.message_id for message in own} == {each for name in names for each in writers.stored[name]}
    assert sorted(message.text for message in messages if message.key) == sorted(f"shared{n}" for n in range(20))
    assert [message.seq for message in messages] == sorted({message.seq for message in messages})


def test_a_new_user_may_be_made_by_all_processes_at_once(writers: Any) -> None:
    for number in range(3):
        at = time.time() + 0.1
        pids = [writers.start("add", user=f"new{number}", name=f"n{number}-{n}", at=at) for n in range(PROCESSES)]
        for name in [f"n{number}-{n}" for n in range(PROCESSES)]:
            writers.first_words(name)
        for pid in pids:
            writers.finish(pid, kill=True)
    assert writers.failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_memory_works_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    with Memory(tmp_path, embedder=WordEmbedder()) as memory:
        memory.add([{"role": "user", "content": f"before {n}"} for n in range(60)], user_id="ana")
        pid = os.fork()
        if pid == 0:
            try:
                memory.add("in the child", user_id="ana")
                memory.add([{"role": "user", "content": f"child {n}"} for n in range(60)], user_id="bob")
                found = memory.search("child", user_id="ana")
                memory.close()
                os._exit(0 if found else 1)
            except BaseException:  # noqa: BLE001 - the exit status tells the parent
                os._exit(2)
        memory.add("in the parent", user_id="ana")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert memory.search("child", user_id="ana", mode="lexical")[0].text == "in the child"
        memory.index(user_id="bob")
        assert memory.stats(user_id="ana")["messages"] == 62
        assert memory.verify(user_id="ana").ok
        assert memory.verify(user_id="bob").ok
