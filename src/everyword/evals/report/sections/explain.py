"""One question from end to end: where each piece of evidence stood in each stage, what was packed, and the context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everyword.evals.report.charts.bars import Bar, Part, single
from everyword.evals.report.charts.ladder import Rung, ladder
from everyword.evals.report.condition import Condition
from everyword.evals.report.figure import number
from everyword.evals.report.markup import Html, join, tag
from everyword.evals.report.numerals import NONE, whole
from everyword.evals.report.run import counts, mapping, records, whole_number, words
from everyword.evals.report.table import Cell, cell, header, prose, table
from everyword.evals.report.view import Section, View, folded, note, swatch

_LEDGER_FILLS = 5
"""The page defines .ledger-0 to .ledger-4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence."""

    seq: str
    role: str
    said_at: str
    text: str
    packed: bool
    reason: str
    rank: int | None
    """In the strategy's final order."""
    stages: Mapping[str, tuple[int | None, float | None]]
    """Rank and score by stage."""


def explain(view: View) -> Section | None:
    if not view.run.explained:
        return None
    search = tag(
        "label",
        "Show questions with ",
        tag("input", type="search", class_="sift", placeholder="words, kind, case or strategy"),
        class_="sifter",
        hidden=True,
    )
    return view.section(
        "explain",
        "Questions explained",
        note("Rank 1 is best. Scores compare within a stage only. Open a question to see why it succeeded or failed."),
        search,
        *(_group(view, *each) for each in grouped(view).items()),
    )


def grouped(view: View) -> dict[tuple[str, Condition], list[Mapping[str, Any]]]:
    """Return the questions by strategy and condition: the main strategy and the headline's condition first."""
    found: dict[tuple[str, Condition], list[Mapping[str, Any]]] = {}
    for record in view.run.explained:
        condition = Condition(budget=whole_number(record.get("budget")), length=whole_number(record.get("length")))
        found.setdefault((words(record.get("strategy")), condition), []).append(record)
    order = sorted(found, key=lambda each: (each[0] != view.main, each[1] != view.first))
    return {key: found[key] for key in order}


def _group(view: View, key: tuple[str, Condition], found: Sequence[Mapping[str, Any]]) -> Html:
    strategy, condition = key
    look = view.looks.get(strategy)
    title = join(
        [
            swatch(look) if look else None,
            Html(" "),
            tag("b", strategy),
            f", budget of {condition.name}: {len(found)} {'question' if len(found) == 1 else 'questions'}",
        ]
    )
    is_open = strategy == view.main and condition == view.first
    return folded(title, join(_question(each) for each in found), class_="fold group", is_open=is_open)


def _question(record: Mapping[str, Any]) -> Html:
    pieces = [_piece(each) for each in records(record.get("evidence"))]
    body = [
        tag("dl", *_facts(record), class_="facts"),
        _ladder(pieces),
        _evidence(pieces),
        _ledger(record),
        _dropped(record),
        _context(record, pieces),
    ]
    return folded(_summary(record, pieces), join(body), class_="fold question")


def _summary(record: Mapping[str, Any], pieces: Sequence[Piece]) -> Html:
    packed = sum(piece.packed for piece in pieces)
    state = "good" if pieces and packed == len(pieces) else "bad" if pieces else "none"
    verdict = f"{packed} of {len(pieces)} packed" if pieces else "no evidence known"
    said = " · ".join(each for each in (words(record.get(part)) for part in ("kind", "case", "strategy")) if each)
    return join(
        [
            tag(
                "span",
                f"{'✓' if state == 'good' else '✗' if state == 'bad' else '○'} {verdict}",
                class_=f"state {state}",
            ),
            Html(" "),
            tag("span", words(record.get("text")) or "question without text", class_="asked"),
            Html(" "),
            tag("span", said, class_="chip"),
        ]
    )


def _piece(record: Mapping[str, Any]) -> Piece:
    stages = {name: mapping(each) for name, each in mapping(record.get("stages")).items()}
    return Piece(
        seq=words(record.get("seq")) or NONE,
        role=words(record.get("role")),
        said_at=words(record.get("said_at")),
        text=words(record.get("text")),
        packed=record.get("packed") is True,
        reason=words(record.get("reason")),
        rank=_rank(record.get("rank")),
        stages={name: (_rank(each.get("rank")), number(each.get("score"))) for name, each in stages.items()},
    )


def _rank(value: Any) -> int | None:
    rank = number(value)
    return None if rank is None or rank < 1 else round(rank)


def _facts(record: Mapping[str, Any]) -> list[Html]:
    shown = {
        "expected answer": words(record.get("answer")),
        "case, question": ", ".join(
            each for each in (words(record.get("case")), words(record.get("question"))) if each
        ),
        "strategy": words(record.get("strategy")),
        "tokens": f"{whole(number(record.get('tokens')))} of {whole(number(record.get('budget')))}",
    }
    return [tag("div", tag("dt", name), tag("dd", value or NONE)) for name, value in shown.items()]


def _stages(pieces: Sequence[Piece]) -> list[str]:
    return list(dict.fromkeys(stage for piece in pieces for stage in piece.stages))


def _ladder(pieces: Sequence[Piece]) -> Html | None:
    stages = _stages(pieces)
    if not stages:
        return None
    rungs = [
        Rung(
            name=f"#{piece.seq}",
            packed=piece.packed,
            ranks=tuple(piece.stages.get(stage, (None,))[0] for stage in stages),
        )
        for piece in pieces
    ]
    said = "; ".join(f"{rung.name}: {', '.join(_ranked(stages, rung))}" for rung in rungs)
    drawn = ladder(stages, rungs, alternative=f"Ranks of the evidence by stage. {said}.")
    return tag("figure", tag("div", drawn, class_="canvas"))


def _ranked(stages: Sequence[str], rung: Rung) -> list[str]:
    return [f"{stage} {'not in it' if rank is None else rank}" for stage, rank in zip(stages, rung.ranks, strict=True)]


def _evidence(pieces: Sequence[Piece]) -> Html | None:
    if not pieces:
        return None
    stages = _stages(pieces)
    body = [_evidence_row(piece, stages) for piece in pieces]
    if len(pieces) > 1:
        final = [piece.rank for piece in pieces]
        worst = [_worst([_stage(piece, stage)[0] for piece in pieces]) for stage in stages]
        body.append([header("worst rank"), prose(""), *(cell(each) for each in (*worst, _worst(final), ""))])
    heads = ["message", "evidence", *stages, "final rank", "in the context"]
    return table(heads, body, caption="Evidence, with rank and score in every stage", wordy=2, class_="evidence")


def _evidence_row(piece: Piece, stages: Sequence[str]) -> list[Cell]:
    return [
        header(join([f"#{piece.seq}", *(tag("small", each) for each in (piece.role, piece.said_at) if each)])),
        prose(tag("q", piece.text)),
        *(cell(_place(*_stage(piece, stage))) for stage in stages),
        cell(_place(piece.rank, None)),
        cell("✓ packed" if piece.packed else f"✗ {piece.reason or 'not packed'}"),
    ]


def _stage(piece: Piece, stage: str) -> tuple[int | None, float | None]:
    return piece.stages.get(stage, (None, None))


def _place(rank: int | None, score: float | None) -> Html:
    if rank is None:
        return tag("span", "not in it", class_="absent")
    return join([whole(rank), None if score is None else tag("small", _score(score))])


def _score(score: float) -> str:
    text = f"{score:.4f}" if abs(score) < 1 else f"{score:.2f}"
    return text.replace("-", "−")


def _worst(ranks: Sequence[int | None]) -> str:
    """Return the rank that decides: a question that needs several pieces is only as good as the last one."""
    known = [rank for rank in ranks if rank is not None]
    return whole(max(known)) if len(known) == len(ranks) else NONE


def _ledger(record: Mapping[str, Any]) -> Html | None:
    ledger = counts(record.get("ledger"))
    if not ledger:
        return None
    spent = sum(ledger.values())
    budget = number(record.get("budget")) or spent
    parts = [
        Part(name=source, size=max(0, size), fill=f"ledger-{place % _LEDGER_FILLS}", label=f"{source} {whole(size)}")
        for place, (source, size) in enumerate(ledger.items())
    ]
    said = ", ".join(f"{source} {whole(size)}" for source, size in ledger.items())
    free = f", {whole(budget - spent)} unspent" if budget > spent else ""
    drawn = single(Bar(name="", parts=tuple(parts), total=""), budget, alternative=f"Tokens by source: {said}{free}.")
    return tag(
        "figure",
        tag("figcaption", f"Tokens by source: {said}{free}; budget {whole(budget)}"),
        tag("div", drawn, class_="canvas"),
        class_="ledger",
    )


def _dropped(record: Mapping[str, Any]) -> Html | None:
    dropped = records(record.get("dropped"))
    if not dropped:
        return None
    body = [
        [
            header(f"#{words(each.get('seq'))}"),
            cell(whole(number(each.get("rank")))),
            cell(whole(number(each.get("tokens")))),
            cell(words(each.get("reason")) or NONE),
        ]
        for each in dropped
    ]
    shown = table(["message", "rank", "tokens", "why"], body, caption="Candidates that are not in the context")
    return folded(f"Dropped: {len(dropped)} candidates", shown)


def _context(record: Mapping[str, Any], pieces: Sequence[Piece]) -> Html | None:
    text = words(record.get("context"))
    if not text:
        return None
    return folded("The context, evidence marked", tag("pre", marked(text, [piece.text for piece in pieces])))


def marked(text: str, wanted: Sequence[str]) -> Html:
    """Return a text in which the wanted passages stand out."""
    spans = sorted((text.find(each), text.find(each) + len(each)) for each in wanted if each and each in text)
    parts: list[str | Html] = []
    shown = 0
    for start, stop in spans:
        if start >= shown:
            parts += [text[shown:start], tag("mark", text[start:stop])]
            shown = stop
    return join([*parts, text[shown:]])
