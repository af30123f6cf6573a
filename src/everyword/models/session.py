"""An onnxruntime session on the processor."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from everyword.errors import ModelError, SettingsError
from everyword.models.extras import required

if TYPE_CHECKING:
    import numpy.typing as npt


NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"
"""Read by onnxruntime when it is loaded; without it newer versions keep an id of the device and send events to its maker."""


class Port(Protocol):
    """One input or output of a graph."""

    name: str
    type: str
    """As onnxruntime names it: `tensor(int64)`."""
    shape: Sequence[int | str | None]


class Session(Protocol):
    """What is used of onnxruntime.InferenceSession."""

    def run(self, output_names: Sequence[str] | None, feeds: Mapping[str, npt.NDArray[Any]]) -> list[Any]: ...
    def get_inputs(self) -> Sequence[Port]: ...
    def get_outputs(self) -> Sequence[Port]: ...


def open_session(model: Path, *, threads: int | None = None, extra: str = "e5") -> Session:
    """Return a session for the model. `threads`: default one for each processor of this process.

    Raise ModelMissingError without onnxruntime, ModelError for a file that it cannot load, SettingsError.
    """
    if threads is not None and threads < 1:
        raise SettingsError(f"threads is a positive number, not {threads!r}.")
    os.environ.setdefault(NO_TELEMETRY, "1")
    onnxruntime = required("onnxruntime", extra=extra)
    try:
        session = onnxruntime.InferenceSession(
            str(model), session_options(onnxruntime, threads), providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises a dozen classes of its own
        raise ModelError(f"onnxruntime cannot load {str(model)!r}: {error}") from error
    return cast("Session", session)


def session_options(onnxruntime: Any, threads: int | None) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or processors()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Nearly every batch has its own shape, and a memory plan would be kept for each.
    options.enable_mem_pattern = False
    # Spinning saves a quarter of a question's time on an idle machine and doubles it on a busy one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(session: Session, feeds: Mapping[str, npt.NDArray[Any]], output: str) -> Any:
    """Return one output of the graph. Raise ModelError where the run fails."""
    return outputs(session, feeds, [output])[0]


def outputs(session: Session, feeds: Mapping[str, npt.NDArray[Any]], names: Sequence[str]) -> list[Any]:
    """Return some outputs of the graph, computed in one run. Raise ModelError where it fails."""
    try:
        return session.run(names, feeds)
    except Exception as error:
        raise ModelError(f"onnxruntime failed on a batch: {error}") from error
