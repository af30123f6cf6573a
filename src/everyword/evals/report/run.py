"""A run document as values: what is missing or null in it is None, empty or zero here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from everyword.evals.report.figure import UNKNOWN, Figure, count, figure, number

Measure = Literal["all_evidence", "accuracy"]
At = tuple[int | None, int | None]
"""Budget and length."""
Split = Literal["kind", "role", "label", "case"]
SPLITS: tuple[Split, ...] = ("kind", "role", "label", "case")
MEASURES: dict[Measure, str] = {"accuracy": "accuracy", "all_evidence": "all evidence"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Some of the questions: of one kind, role, label or case."""

    questions: int
    all_evidence: Figure
    accuracy: Figure

    def of(self, measure: Measure) -> Figure:
        return self.accuracy if measure == "accuracy" else self.all_evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One strategy at one budget in histories of one length."""

    strategy: str
    budget: int | None
    length: int | None
    """None: as published."""
    history: float | None
    """Tokens of the history, on average."""
    questions: int
    """Whose evidence is known."""
    seeds: int
    """How often each was asked, of other histories."""
    all_evidence: Figure
    all_evidence_sd: float | None
    """Between the seeds."""
    whole: Figure
    macro: float | None
    evidence_share: float | None
    accuracy: Figure
    with_evidence: Figure
    """Accuracy where all the evidence is in the context."""
    without_evidence: Figure
    tokens_mean: float | None
    tokens_sd: float | None
    tokens_max: float | None
    calls: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    bytes: float | None
    ranked: Mapping[str, float]
    worst_rank_median: float | None
    misses: Mapping[str, int]
    failures: Mapping[str, int]
    caught: Figure
    """Questions without an answer about which the context says so."""
    false_alarms: Figure
    """Questions with an answer of which the context says that there is none."""
    groups: Mapping[Split, Mapping[str, Group]]

    def of(self, measure: Measure) -> Figure:
        return self.accuracy if measure == "accuracy" else self.all_evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two strategies on the same questions."""

    budget: int | None
    length: int | None
    measure: str
    a: str
    b: str
    n: int
    only_a: int
    """Questions that only `a` has right."""
    only_b: int
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything that one run found."""

    source: Mapping[str, Any]
    """The document."""
    dataset: str
    task: str
    lengths: tuple[int, ...]
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    explained: tuple[Mapping[str, Any], ...]
    outcomes: Mapping[At, Sequence[Mapping[str, Any]]]
    """By budget and length."""

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.strategy for row in self.rows))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Return what was measured, the one that the run is about first."""
        return tuple(measure for measure in MEASURES if any(row.of(measure).known for row in self.rows))


def run(document: Mapping[str, Any]) -> Run:
    return Run(
        source=document,
        dataset=words(document.get("dataset")) or "unnamed dataset",
        task=words(document.get("task")) or "retrieval",
        lengths=tuple(count(length) for length in items(document.get("lengths"))),
        rows=tuple(row(each, _published(document)) for each in records(document.get("results"))),
        pairs=tuple(pair(each) for each in records(document.get("pairs"))),
        explained=tuple(records(document.get("explained"))),
        outcomes=_by_condition(records(document.get("outcomes"))),
    )


def row(record: Mapping[str, Any], published: float | None = None) -> Row:
    """Return a row; `published` is the length of a history about which it does not say more."""
    questions = count(record.get("questions"))
    length = whole_number(record.get("length"))
    abstention = mapping(record.get("abstention"))
    return Row(
        strategy=words(record.get("strategy")) or "unnamed",
        budget=whole_number(record.get("budget")),
        length=length,
        history=number(record.get("history_tokens")) or published if length is None else float(length),
        questions=questions,
        seeds=count(record.get("seeds")) or 1,
        all_evidence=_measured(record, "all_evidence", questions),
        all_evidence_sd=number(record.get("all_evidence_sd")),
        whole=figure(record.get("all_evidence_whole"), questions),
        macro=number(record.get("all_evidence_macro")),
        evidence_share=number(record.get("evidence_share")),
        accuracy=_measured(record, "accuracy", count(record.get("judged")) or questions),
        with_evidence=_part(record.get("accuracy_with_evidence")),
        without_evidence=_part(record.get("accuracy_without_evidence")),
        tokens_mean=number(record.get("tokens_mean")),
        tokens_sd=number(record.get("tokens_sd")),
        tokens_max=number(record.get("tokens_max")),
        calls=number(record.get("calls")),
        p50_ms=number(record.get("p50_ms")),
        p95_ms=number(record.get("p95_ms")),
        p99_ms=number(record.get("p99_ms")),
        bytes=number(record.get("bytes")),
        ranked=numbers(record.get("ranked")),
        worst_rank_median=number(record.get("worst_rank_median")),
        misses=counts(record.get("misses")),
        failures=counts(record.get("failures")),
        caught=figure(abstention.get("caught"), abstention.get("questions")),
        false_alarms=figure(abstention.get("false_alarms"), abstention.get("answerable", questions)),
        groups={split: _groups(record.get(f"by_{split}")) for split in SPLITS},
    )


def _by_condition(outcomes: Sequence[Mapping[str, Any]]) -> dict[At, list[Mapping[str, Any]]]:
    found: dict[At, list[Mapping[str, Any]]] = {}
    for each in outcomes:
        found.setdefault((whole_number(each.get("budget")), whole_number(each.get("target"))), []).append(each)
    return found


def _published(document: Mapping[str, Any]) -> float | None:
    """Return the tokens of a published history, on average over the cases."""
    cases = max((len(mapping(each.get("by_case"))) for each in records(document.get("results"))), default=0)
    total = number(document.get("tokens"))
    return total / cases if total and cases else total


def pair(record: Mapping[str, Any]) -> Pair:
    return Pair(
        budget=whole_number(record.get("budget")),
        length=whole_number(record.get("length")),
        measure=words(record.get("measure")),
        a=words(record.get("a")),
        b=words(record.get("b")),
        n=count(record.get("n")),
        only_a=count(record.get("only_a")),
        only_b=count(record.get("only_b")),
        p=number(record.get("p")),
    )


def words(value: Any) -> str:
    return "" if value is None else str(value)


def mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def items(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, Sequence) and not isinstance(value, str) else ()


def records(value: Any) -> list[Mapping[str, Any]]:
    return [mapping(each) for each in items(value) if isinstance(each, Mapping)]


def numbers(value: Any) -> dict[str, float]:
    found = {name: number(each) for name, each in mapping(value).items()}
    return {name: each for name, each in found.items() if each is not None}


def counts(value: Any) -> dict[str, int]:
    return {name: round(each) for name, each in numbers(value).items()}


def whole_number(value: Any) -> int | None:
    found = number(value)
    return None if found is None else round(found)


def _measured(record: Mapping[str, Any], name: str, questions: int) -> Figure:
    return figure(record.get(name), questions, record.get(f"{name}_low"), record.get(f"{name}_high"))


def _part(value: Any) -> Figure:
    part = mapping(value)
    if not part:
        return UNKNOWN
    return figure(part.get("share"), part.get("questions"), part.get("low"), part.get("high"))


def _groups(value: Any) -> dict[str, Group]:
    return {str(name): _group(mapping(each)) for name, each in mapping(value).items() if isinstance(each, Mapping)}


def _group(record: Mapping[str, Any]) -> Group:
    questions = count(record.get("questions"))
    return Group(
        questions=questions,
        all_evidence=figure(record.get("all_evidence"), questions, record.get("low"), record.get("high")),
        accuracy=figure(record.get("accuracy"), questions),
    )
