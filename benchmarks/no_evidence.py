"""How often `context.no_evidence` is right, and the weights of its checks.

What is measured: of questions without an answer, how many the signal catches; of those with one, how many it calls
unanswerable all the same (false), also among those of whose evidence something is in the context of 1,500 tokens (false, in
context). What the check does not judge is neither caught nor false. In brackets: 95 % Wilson intervals.

Questions: generated histories of 15 and 120 thousand tokens, and published data by path. LoCoMo's unanswerable questions are
those of category 5, which ask one speaker for what the other one said.

    python benchmarks/no_evidence.py --data locomo:~/data/locomo10.json --data beam:~/data/beam --keep rows.jsonl
    python benchmarks/no_evidence.py --rows rows.jsonl --fit

`--fit` computes the weights from the sets marked *, and prints them as `retrieval/evidence_check.py` has them; the other sets
confirm. The bar of ANOTHER leaves 5 % of LoCoMo's answerable questions false; that of UNSAID and UNCOVERED at most 5 % in each
kind of sets (generated at both lengths, LoCoMo, LongMemEval) among the questions that name no speaker and of whose evidence
something is in the context.

What the figures cannot say: unanswerable questions of generated histories follow the grammars of the answerable ones, and
people ask otherwise. The weights are fitted with the default embedder; another one has other distances.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from everyword.assembly import Memory, embedder_of
from everyword.config import cache_folder, settings
from everyword.evals import catalogue, locomo
from everyword.evals.dataset import Case, Question
from everyword.evals.evidence import History
from everyword.evals.filler import generated
from everyword.evals.generated.catalogue import generate
from everyword.evals.haystack import compose
from everyword.evals.intervals import wilson
from everyword.evals.retrieval import Setting, ask, fill
from everyword.evals.vector_cache import CachedEmbedder
from everyword.retrieval import search
from everyword.retrieval.evidence_check import ANOTHER, UNCOVERED, UNSAID, Measured, Scorer, Verdict, measure
from everyword.strategies.evidence import EVIDENCE

ADVERSARIAL = "adversarial"
TUNED = ("conv-26", "conv-30", "conv-41", "conv-42")
"""LoCoMo's conversations that are fitted on."""
SHORT, LONG = 15_000, 120_000
MADE = (
    (SHORT, ("en", "zh-Hant"), (0, 1)),
    (LONG, ("en", "zh-Hant"), (0,)),
    (SHORT, ("en", "zh-Hans"), (6, 7)),
    (LONG, ("en", "zh-Hans"), (6,)),
)
"""Tokens, languages and seeds of generated histories; seeds below 2 are fitted on."""
KINDS = ("generated 15K *", "generated 120K *", "locomo *", "longmemeval *")
QUESTIONS = 168
FALSE = 0.05
RIDGE = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question; its set ends in * where it is fitted on."""

    set: str
    text: str
    answerable: bool
    in_context: bool
    """Some of its evidence is in the context."""
    speaker: str | None
    measures: Mapping[str, float] | None
    """None: it is not judged."""
    labels: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorers:
    """The checks; each row is judged by one of them."""

    unsaid: Scorer
    uncovered: Scorer
    another: Scorer

    def judges(self, row: Row) -> Scorer:
        """Return the one that judges a row."""
        if row.speaker:
            return self.another
        return self.uncovered if "covered" in (row.measures or {}) else self.unsaid


def main() -> None:
    arguments = _parsed()
    if arguments.rows:
        rows = [Row(**json.loads(line)) for line in Path(arguments.rows).read_text("utf-8").splitlines()]
    else:
        rows = list(_measured(arguments.data, arguments.embedder))
    if arguments.keep:
        Path(arguments.keep).write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), "utf-8")
    scorers = _fitted(rows) if arguments.fit else Scorers(unsaid=UNSAID, uncovered=UNCOVERED, another=ANOTHER)
    if arguments.fit:
        print(scorers.unsaid, scorers.uncovered, scorers.another, sep="\n")
    _show(rows, scorers)


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure and fit the signal that there is no evidence.")
    parser.add_argument("--data", action="append", default=[], metavar="NAME:PATH", help="published data, once or more")
    parser.add_argument("--embedder", default="e5-small:int8")
    parser.add_argument("--keep", metavar="FILE", help="write what was measured")
    parser.add_argument("--rows", metavar="FILE", help="read what was measured, instead of measuring")
    parser.add_argument("--fit", action="store_true", help="compute the weights, and judge by them")
    return parser.parse_args()


# ---- measuring ----


def _measured(data: Sequence[str], spec: str) -> Iterator[Row]:
    locomo.CATEGORIES[5] = ADVERSARIAL
    with tempfile.TemporaryDirectory(prefix="everyword-evidence-") as folder:
        model = embedder_of(settings(Path(folder), embedder=spec))
        assert model is not None
        embedder = CachedEmbedder(model, cache_folder() / "eval")
        for number, (name, case) in enumerate((*_made(), *_published(data))):
            print(f"{name}: {case.name}, {len(case.questions)} questions", flush=True)
            with Memory(Path(folder, str(number)), embedder=embedder, vectors="off") as memory:
                yield from _rows(name, case, memory)


def _made() -> Iterator[tuple[str, Case]]:
    for tokens, languages, seeds in MADE:
        for language in languages:
            for seed in seeds:
                mark = " *" if seed < 2 else ""
                for case in generate(language=language, questions=QUESTIONS, seed=seed).cases:
                    raised = case if tokens == SHORT else compose(case, tokens, generated(language), seed)
                    yield f"generated {tokens // 1000}K{mark}", raised


def _published(data: Sequence[str]) -> Iterator[tuple[str, Case]]:
    for each in data:
        name, _, path = each.partition(":")
        for case in catalogue.dataset(name, Path(path).expanduser()).cases:
            yield name + (" *" if name == "longmemeval" or case.name in TUNED else ""), case


def _rows(name: str, case: Case, memory: Memory) -> Iterator[Row]:
    history = History(messages=case.messages)
    known = {place: each.known for place, each in enumerate(case.questions)}
    for place in sorted(known, key=lambda each: known[each] or len(case.messages)):
        fill(memory, history, known[place] or len(case.messages))
        yield _row(name, case.questions[place], history, memory)


def _row(name: str, question: Question, history: History, memory: Memory) -> Row:
    answerable = question.answerable and question.kind != ADVERSARIAL
    setting = Setting(dataset=name, case="", length=0, strategy=EVIDENCE.name, budget=1_500)
    seen: list[Measured | None] = []
    search.check = partial(_seen, seen)
    outcome, _ = ask(memory, history, question, setting)
    measured = seen[-1] if seen else None
    return Row(
        set=name,
        text=question.text,
        answerable=answerable,
        in_context=bool(answerable and outcome.share),
        speaker=measured.speaker if measured else None,
        measures=dict(measured.measures) if measured else None,
        labels=question.labels,
    )


def _seen(seen: list[Measured | None], *asked: Any) -> Verdict:
    """Stand in for the check, and keep what it would judge by."""
    seen.append(measure(*asked))
    return Verdict()


# ---- fitting ----


def _fitted(rows: Sequence[Row]) -> Scorers:
    """Return the scorers of this data, with their bars."""
    judged = [row for row in rows if row.set.endswith("*") and row.measures is not None]
    own = [row for row in rows if row.set == "locomo *" and row.answerable and row.speaker]
    another = _barred(_logistic([row for row in judged if row.speaker], ANOTHER), [own])
    anybody = [row for row in judged if not row.speaker and row.set != "locomo *"]
    kinds = [[row for row in rows if row.set == kind and row.in_context and not row.speaker] for kind in KINDS]
    unsaid, uncovered = (_barred(_logistic(_told(anybody, each), each), kinds) for each in (UNSAID, UNCOVERED))
    return Scorers(unsaid=unsaid, uncovered=uncovered, another=another)


def _told(rows: Sequence[Row], scorer: Scorer) -> list[Row]:
    """Return the rows that have all measures of a scorer."""
    return [row for row in rows if row.measures is not None and scorer.weights.keys() <= row.measures.keys()]


def _logistic(rows: Sequence[Row], shipped: Scorer) -> Scorer:
    """Return the ridge logistic regression by Newton's method, both answers weighing the same; as shipped without rows."""
    names = shipped.weights
    if not rows:
        return shipped
    values = np.array([[row.measures[name] for name in names] for row in rows if row.measures])
    missing = np.array([not row.answerable for row in rows])
    weight = np.where(missing, 0.5 / missing.sum(), 0.5 / (~missing).sum()) * len(rows)
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    inputs = np.column_stack([(values - mean) / spread, np.ones(len(rows))])
    ridge = RIDGE * np.diag([*np.ones(len(names)), 0.0])
    found = np.zeros(len(names) + 1)
    for _ in range(30):
        odds = 1.0 / (1.0 + np.exp(-inputs @ found))
        slope = inputs.T @ (weight * (odds - missing)) + ridge @ found
        found -= np.linalg.solve((inputs.T * (weight * odds * (1.0 - odds))) @ inputs + ridge, slope)
    weights = found[:-1] / spread
    return Scorer(
        weights={name: round(float(each), 3) for name, each in zip(names, weights, strict=True)},
        bias=float(found[-1] - weights @ mean),
    )


def _barred(scorer: Scorer, kinds: Sequence[Sequence[Row]]) -> Scorer:
    """Return the scorer with the highest bias at which no more than FALSE are wrong in any kind."""
    biases = np.arange(scorer.bias - 6.0, scorer.bias + 3.0, 0.01)
    told = [found for kind in kinds if (found := _told(kind, scorer))]
    fits = [bias for bias in biases if all(_wrong(kind, replace(scorer, bias=bias)) <= FALSE for kind in told)]
    return replace(scorer, bias=round(float(max(fits)), 2))


def _wrong(rows: Sequence[Row], scorer: Scorer) -> float:
    return sum(row.measures is not None and scorer.score(row.measures) > 0.0 for row in rows) / len(rows)


# ---- judging ----


def _is_missing(row: Row, scorers: Scorers) -> bool:
    return row.measures is not None and scorers.judges(row).score(row.measures) > 0.0


def _show(rows: Sequence[Row], scorers: Scorers) -> None:
    print("| set | false | false, in context | caught |\n|---|---|---|---|")
    for name in dict.fromkeys(row.set for row in rows):
        told = [row for row in rows if row.set == name]
        groups = [
            [row for row in told if row.answerable],
            [row for row in told if row.in_context],
            [row for row in told if not row.answerable],
        ]
        print(f"| {name} | {' | '.join(_cell(each, scorers) for each in groups)} |")


def _cell(rows: Sequence[Row], scorers: Scorers) -> str:
    if not rows:
        return "–"
    wrong = sum(_is_missing(row, scorers) for row in rows)
    low, high = wilson(wrong, len(rows))
    return f"{wrong / len(rows):.1%} ({low:.1%}–{high:.1%}) of {len(rows)}"


if __name__ == "__main__":
    main()
