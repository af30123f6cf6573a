"""How fast `everyword serve` starts without configuration: from the start of the process to its first answers.

What is measured: `--times` starts (9) of a new process on an empty folder, one after the other; in each the time until
`/healthz` answers, until `/readyz` does, and until a first message is stored. The processor time is that of the process at
the same moments (Linux only). The median and the smallest stand there. A start before them is not counted: it leaves the
files in the cache of the system and the modules compiled, as `pip install` does.

What the numbers cannot say: on a machine that does other work the wall times are longer, the processor times less so. A
first context with the default embedder loads its model, which takes longer and is not measured here.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

_TRY_S = 0.005
_STORED = {"messages": "My spare key is with Mrs. Chou."}


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the server starts.")
    parser.add_argument("--times", type=int, default=9)
    times = parser.parse_args().times
    before = os.getloadavg()
    with tempfile.TemporaryDirectory() as compiled:
        _started(compiled)
        starts = [_started(compiled) for _ in range(times)]
    figures = {
        name: {
            kind: {"median": round(statistics.median(values), 2), "least": round(min(values), 2)}
            for kind, values in (
                ("wall_s", [each[name][0] for each in starts]),
                ("processor_s", [each[name][1] for each in starts]),
            )
        }
        for name in starts[0]
    }
    print(json.dumps({**figures, "load_before": before, "load_after": os.getloadavg()}, indent=1))


def _started(compiled: str) -> dict[str, tuple[float, float]]:
    """Start a server, end it, and return the seconds until each answer: by the clock and of the processor."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "everyword", "serve", "--port", str(port), "--user", "me", "--home", folder]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
        begun = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            found: dict[str, tuple[float, float]] = {}
            for name, path, body in (
                ("alive", "healthz", None),
                ("ready", "readyz", None),
                ("stored", "v1/memories", _STORED),
            ):
                _answered(f"http://127.0.0.1:{port}/{path}", body)
                found[name] = (time.perf_counter() - begun, _processor_s(process.pid))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    return found


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _answered(url: str, body: object) -> None:
    """Ask until there is an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                answer.read()
                return
        except OSError:
            time.sleep(_TRY_S)


def _processor_s(pid: int) -> float:
    """Return the processor seconds of a process; not a number where the system does not tell."""
    file = Path(f"/proc/{pid}/stat")
    if not file.exists():
        return float("nan")
    user, system = file.read_text("ascii").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
