"""The run document: all that one run found, and what makes it again, as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from everyword.errors import InvalidInputError
from everyword.evals.findings import Findings
from everyword.evals.journal import Journal
from everyword.evals.outcome import Outcome
from everyword.evals.pairs import pairs
from everyword.evals.tally import rows


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a run was of."""

    run: str
    command: str
    everyword: str
    started_at: str
    task: str
    dataset: str
    sha256: str
    embedder: str | None
    reranker: str | None
    counter: str
    seed: int | None
    lengths: tuple[int, ...] = ()
    answerer: str | None = None
    judge: str | None = None


def document(about: About, found: Findings) -> dict[str, Any]:
    """Return the document of a run."""
    published = {size.case: size for size in found.sizes if size.target is None} or {
        size.case: size for size in found.sizes
    }
    return {
        **asdict(about),
        "lengths": list(about.lengths),
        "messages": sum(size.messages for size in published.values()),
        "tokens": sum(size.tokens for size in published.values()),
        "left_out": dict(sorted(found.left_out.items())),
        "results": rows(found.outcomes, found.bytes_on_disk()),
        "pairs": [pair.record() for pair in pairs(found.outcomes)],
        "explained": found.examples,
        "outcomes": [outcome.record() for outcome in found.outcomes],
    }


def read(path: Path) -> dict[str, Any]:
    """Read a document that a run wrote; of a journal (`.jsonl`) what the run has found so far. Raise InvalidInputError."""
    if path.suffix == ".jsonl":
        return _so_far(path)
    try:
        found: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read ({error.strerror}): give the run.json of a run.") from error
    except ValueError as error:
        raise InvalidInputError(f"{path} is not JSON ({error}): give the run.json of a run.") from error
    if not isinstance(found, dict) or "results" not in found or "outcomes" not in found:
        raise InvalidInputError(f"{path} is no document of a run: give the run.json that --out or --json wrote.")
    return cast("dict[str, Any]", found)


def _so_far(path: Path) -> dict[str, Any]:
    outcomes = list(Journal.read(path).outcomes())
    _refuse_twice(outcomes)
    cases = {(each.case, each.target): each.length for each in outcomes}
    about = About(
        run="",
        command="",
        everyword="",
        started_at="",
        task="answering" if any(each.answer for each in outcomes) else "retrieval",
        dataset=", ".join(sorted({each.dataset for each in outcomes})),
        sha256="",
        embedder=None,
        reranker=None,
        counter="",
        seed=None,
        lengths=tuple(sorted({each.target for each in outcomes if each.target is not None})),
    )
    return document(about, Findings(outcomes=outcomes)) | {"tokens": sum(cases.values())}


def outcomes_of(found: Mapping[str, Any]) -> list[Outcome]:
    """Return the outcomes of a document. Raise InvalidInputError where a record is none."""
    try:
        return [Outcome.from_record(record) for record in found["outcomes"]]
    except (KeyError, TypeError) as error:
        raise InvalidInputError(
            f"The outcomes of the document cannot be read ({error}): make the run again."
        ) from error


def merged(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return several documents about the same questions as one, for example of other strategies or lengths.

    Raise InvalidInputError where they are about different data or hold the same outcome twice.
    """
    first, *others = documents
    if not others:
        return dict(first)
    if differing := {each["sha256"] for each in documents} - {first["sha256"]}:
        raise InvalidInputError(
            f"The runs are about different data ({first['sha256'][:12]} and {min(differing)[:12]}): report each alone."
        )
    outcomes = [outcome for each in documents for outcome in outcomes_of(each)]
    _refuse_twice(outcomes)
    return {
        **first,
        "command": "\n".join(str(each["command"]) for each in documents),
        "lengths": sorted({length for each in documents for length in each["lengths"]}),
        "results": rows(outcomes, _sizes(documents)),
        "pairs": [pair.record() for pair in pairs(outcomes)],
        "explained": [each for one in documents for each in one["explained"]],
        "outcomes": [outcome.record() for outcome in outcomes],
    }


def _sizes(documents: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int | None], float]:
    found = (row for each in documents for row in each["results"])
    return {(row["strategy"], row["length"]): row["bytes"] for row in found if row.get("bytes") is not None}


def _refuse_twice(outcomes: Iterable[Outcome]) -> None:
    seen: set[Any] = set()
    for each in outcomes:
        if (each.key, each.strategy) in seen:
            raise InvalidInputError(
                f"Strategy {each.strategy!r} was asked {each.question!r} of {each.case!r} in more than one of the runs: "
                "compare them with `everyword eval pairs`."
            )
        seen.add((each.key, each.strategy))
