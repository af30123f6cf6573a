"""Measure ingest and query at four sizes beside rank_bm25, bm25s and Chroma: `make bench`.

Measured, each phase in a process of its own:
  words     `Memory.add` in batches of 500 without vectors, and the last messages one at a time; every call durable.
  vectors   `Memory.index` with the default embedder, once by clauses and once by whole passages.
  disk      bytes of the files of a closed memory against the UTF-8 bytes of the messages' text.
  open      a new process, files in the cache of the operating system: Memory() and stats(), the model, one context().
            Median of five.
  queries   `Memory.context`, strategy evidence, 1,500 tokens, no reranker, the question's vector included; warm.
  peers     rank_bm25 and bm25s over the same index terms, Chroma over the same vectors (as Everyword stores them) with
            60 results, HNSW with its defaults, cosine. They return 60 places or texts; Everyword packs a context.
Corpus model: conversation.py. Texts that follow rules, word frequencies by Zipf, 200 topics, a tenth Chinese; one batch
is one session. Questions take their words from one message and from frequent words.

Caveats: made-up words take more pieces of the embedder's vocabulary than real ones, so vectors a second are a lower
bound. From 1.2 M tokens on vectors are drawn around the centres of the topics instead of computed: their disk, scan and
fusion are real, their ingest time is not, and the time of the question's real vector is added by computing it. Times
vary with what else the machine does; compare numbers of one run only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import report
from report import Figures

SIZES = {"15k": 15_000, "120k": 120_000, "1.2m": 1_200_000, "12m": 12_000_000}
COMPUTED_UP_TO = 120_000
OPENINGS = 5


def main() -> None:
    arguments = _parsed()
    if arguments.phase:
        print(json.dumps(_phase(arguments)))
        return
    machine = _machine()
    print(", ".join(f"{name} {value}" for name, value in machine.items()))
    sizes: Figures = {}
    with tempfile.TemporaryDirectory(prefix="everyword-bench-", dir=arguments.work) as work:
        for size in arguments.sizes:
            sizes[size] = _measured(size, Path(work), arguments)
            report.show(size, sizes[size])
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({"machine": machine, "sizes": sizes}, indent=2), "utf-8")


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure ingest and query beside rank_bm25, bm25s and Chroma.")
    parser.add_argument("--sizes", default=",".join(SIZES), type=_sizes, help="default: %(default)s")
    parser.add_argument("--questions", default=200, type=int)
    parser.add_argument("--json", metavar="FILE", help="write all figures there too")
    parser.add_argument("--work", metavar="FOLDER", help="where the memories are made; default: a temporary folder")
    parser.add_argument("--phase", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--tokens", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


def _sizes(names: str) -> list[str]:
    chosen = names.lower().split(",")
    if unknown := sorted(set(chosen) - SIZES.keys()):
        raise argparse.ArgumentTypeError(f"unknown {unknown}: choose from {', '.join(SIZES)}")
    return chosen


def _measured(size: str, work: Path, arguments: argparse.Namespace) -> Figures:
    """Return the figures of all phases of one size."""
    tokens = SIZES[size]
    by_clauses, by_passages = work / f"{size}-clauses", work / f"{size}-passages"
    figures: Figures = {"size": size, "words": _run("words", by_clauses, arguments, tokens)}
    shutil.copytree(by_clauses, by_passages)
    figures["passages"] = _run("passages", by_passages, arguments, tokens)
    shutil.rmtree(by_passages)
    figures["clauses"] = _run("clauses", by_clauses, arguments, tokens)
    opened = [_run("open", by_clauses, arguments, tokens) for _ in range(OPENINGS)]
    figures["open"] = {name: median(each[name] for each in opened) for name in opened[0]}
    figures["queries"] = _run("queries", by_clauses, arguments, tokens)
    figures["peers"] = _run("peers", by_clauses, arguments, tokens)
    shutil.rmtree(by_clauses)
    return figures


def _run(phase: str, home: Path, arguments: argparse.Namespace, tokens: int) -> Figures:
    """Run one phase in a process of its own and return its figures."""
    if sys.stderr.isatty():
        print(f"{home.name}: {phase} ...", file=sys.stderr)
    command = [sys.executable, __file__, "--phase", phase, "--home", str(home), "--tokens", str(tokens)]
    command += ["--questions", str(arguments.questions), "--started", repr(time.time())]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{home.name}: the phase {phase!r} failed with status {done.returncode}; its error is above.")
    return json.loads(done.stdout.splitlines()[-1])


def _phase(arguments: argparse.Namespace) -> Figures:
    import phases

    home, are_drawn = arguments.home, arguments.tokens > COMPUTED_UP_TO
    match arguments.phase:
        case "words":
            return phases.words(home, arguments.tokens, arguments.questions)
        case "clauses" | "passages":
            return phases.vectors(home, arguments.phase, are_drawn=are_drawn)
        case "open":
            return phases.opening(home, arguments.started, are_drawn=are_drawn)
        case "queries":
            return phases.queries(home, are_drawn=are_drawn)
        case _:
            import peers

            return peers.peers(home, are_drawn=are_drawn)


def _machine() -> Figures:
    import apsw

    found = {"CPUs": os.cpu_count(), "Python": platform.python_version(), "SQLite": apsw.sqlite_lib_version()}
    return found | {"system": f"{platform.system()} {platform.machine()}"}


if __name__ == "__main__":
    main()
