"""A run document with made-up figures, to look at the report: `python report_sample.py report.html card.md`.

Nothing here was measured. A question has a difficulty, a strategy has a strength that falls with the length of the
history, and a seeded draw says who finds what; the document is then made by the harness itself.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from everyword.evals.document import About, document
from everyword.evals.findings import Findings, Size
from everyword.evals.outcome import Outcome

STRATEGIES = {
    # name: strength, lost with each tenfold length, milliseconds
    "full": (9.0, 0.0, 2.0),
    "window": (-1.2, 0.9, 3.0),
    "bm25": (1.1, 0.55, 6.0),
    "raw-semantic": (0.9, 0.6, 14.0),
    "raw-fused": (1.35, 0.45, 22.0),
    "raw-rag": (1.2, 0.5, 60.0),
    "evidence": (2.25, 0.08, 31.0),
}
KINDS = {"single fact": 0.9, "multiple pieces": -1.2, "temporal": 0.1, "knowledge update": 0.4, "preference": -0.7}
SHARE = (0.42, 0.2, 0.2, 0.14, 0.04)
"""Of the questions, by kind."""
LABELS = ("paraphrase", "lexical overlap", "needs a date")
CASES = tuple(f"conversation {number:02}" for number in range(1, 11))
LENGTHS = (15_000, 120_000, 500_000, 1_200_000, 12_000_000)
UNANSWERABLE = 0.12


def sample(
    *,
    questions: int = 600,
    strategies: tuple[str, ...] = tuple(STRATEGIES),
    lengths: tuple[int | None, ...] = (None, *LENGTHS),
    budgets: tuple[int, ...] = (1500,),
    answering: bool = False,
    seed: int = 7,
) -> dict[str, Any]:
    """Return a document of synthetic figures."""
    asked = _questions(questions, random.Random(seed))
    found = Findings(left_out={"no evidence given": 4, "evidence is an image": 11})
    for length in lengths:
        for strategy in strategies:
            for budget in _budgets(strategy, budgets):
                draw = random.Random(f"{strategy} {budget} {length}")
                found.outcomes += [_outcome(one, strategy, budget, length, draw, answering=answering) for one in asked]
        found.sizes += [
            Size(
                case=case,
                target=length,
                messages=640,
                tokens=length or 18_200,
                bytes=dict.fromkeys(strategies, 1_480_000),
            )
            for case in CASES
        ]
    found.examples = [_explained(strategy, budgets[0], place) for strategy in strategies for place in range(3)]
    return document(_about(lengths, strategies, budgets, answering=answering), found)


def _about(
    lengths: tuple[int | None, ...], strategies: tuple[str, ...], budgets: tuple[int, ...], *, answering: bool
) -> About:
    task = "answering" if answering else "retrieval"
    known = tuple(length for length in lengths if length is not None)
    return About(
        run="5eed0fda7a00",
        command=f"everyword eval {task} --dataset synthetic --data ./synthetic.json.gz --strategies {','.join(strategies)} "
        f"--budget {','.join(map(str, budgets))}" + (f" --lengths {','.join(map(str, known))}" if known else ""),
        everyword="0.0.0",
        started_at="2026-01-05T09:30:00+00:00",
        task=task,
        dataset="synthetic figures, nothing measured",
        sha256="feedc0de" * 8,
        embedder="hash:64",
        reranker=None,
        counter="estimate",
        seed=7,
        lengths=known,
        answerer="made-up-answerer" if answering else None,
        judge="made-up-judge" if answering else None,
    )


def _questions(number: int, draw: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "case": CASES[place % len(CASES)],
            "question": f"q{place:04}",
            "kind": draw.choices(tuple(KINDS), SHARE)[0],
            "labels": tuple(label for label in LABELS if draw.random() < 0.3),
            "roles": draw.choices((("user",), ("assistant",), ("assistant", "user"), ("tool",)), (70, 18, 8, 4))[0],
            "answerable": draw.random() >= UNANSWERABLE,
            "hard": draw.gauss(0, 1.3),
        }
        for place in range(number)
    ]


def _budgets(strategy: str, budgets: tuple[int, ...]) -> tuple[int, ...]:
    return (20_000_000,) if strategy == "full" else budgets


def _outcome(
    one: dict[str, Any], strategy: str, budget: int, length: int | None, draw: random.Random, *, answering: bool
) -> Outcome:
    strength, falls, speed = STRATEGIES[strategy]
    history = length or 18_200
    decades = max(0.0, len(str(history)) - 5 + history / 10 ** len(str(history)))
    odds = (
        strength - falls * decades * 2 + KINDS[one["kind"]] - one["hard"] + draw.gauss(0, 0.7) + (budget > 1500) * 0.7
    )
    answerable = one["answerable"]
    complete = strategy == "full" or odds > 0
    tokens = history if strategy == "full" else min(budget, round(draw.gauss(budget * 0.985, budget * 0.008)))
    right = draw.random() < (0.93 if complete else 0.16) - (strategy == "full") * 0.06 * decades
    return Outcome(
        dataset="synthetic",
        case=one["case"],
        question=one["question"],
        text=f"Question {one['question']}?",
        kind=one["kind"] if answerable else "without an answer",
        labels=one["labels"],
        roles=one["roles"] if answerable else (),
        answerable=answerable,
        strategy=strategy,
        budget=budget,
        target=length,
        length=history,
        tokens=tokens,
        milliseconds=speed * draw.lognormvariate(0, 0.35) * (1 + decades * 0.6),
        evidence=2 if answerable else 0,
        share=(1.0 if complete else draw.choice((0.0, 0.5))) if answerable else None,
        share_whole=(1.0 if complete and draw.random() < 0.97 else 0.5) if answerable else None,
        worst_rank=round(2 + 2000 / (1 + 20 * 2.72 ** max(-3.0, min(6.0, odds))))
        if answerable and strategy != "window"
        else None,
        ranked={"turn recall_all@10": float(odds > 0.8), "session ndcg@10": min(1.0, max(0.0, 0.5 + odds / 8))}
        if answerable
        else {},
        miss=None
        if complete or not answerable
        else draw.choices(("not packed", "not found", "not stored"), (70, 28, 2))[0],
        no_evidence=(draw.random() < (0.66 if not answerable else 0.04)) if strategy == "evidence" else None,
        correct=right if answering else None,
        calls=int(answering) * 2,
        failure="refusal: the model declined" if answering and draw.random() < 0.004 else None,
    )


def _explained(strategy: str, budget: int, place: int) -> dict[str, Any]:
    first = "Finally sorted the attic. Counted my grandfather's tin again and there are 37 coins from before 1920 in it now."
    second = "At the flea market I bought one more old coin, a 1911 one, so the tin is a little heavier tonight."
    third = "昨天整理閣樓,又數了一次:1920 年以前的硬幣一共 37 枚。"
    packed = strategy in ("evidence", "full") or place == 0
    return {
        "case": CASES[place],
        "question": f"q{place:04}",
        "text": (
            "How many coins from before 1920 do I own now?",
            "我現在有幾枚 1920 年以前的硬幣?",
            "What did I buy at the flea market?",
        )[place],
        "kind": ("knowledge update", "multiple pieces", "single fact")[place],
        "answer": ("38", "38 枚", "A coin of 1911")[place],
        "strategy": strategy,
        "budget": budget,
        "length": None,
        "seed": None,
        "complete": packed,
        "context": f"# Memory\n\n## 2024-05-22\n[1] user: {first}\n\n## 2024-05-23\n"
        + (
            f"[2] user: {second}\n\n"
            if packed
            else "[2] assistant: Attics hold surprises; a box with labels helps.\n\n"
        )
        + "# Question\nHow many coins from before 1920 do I own now?",
        "tokens": 1_471,
        "ledger": {"evidence": 1_388, "recent": 61, "question": 22},
        "evidence": [
            {
                "seq": 412,
                "role": "user",
                "said_at": "2024-05-22T19:04:00+08:00",
                "text": first,
                "packed": True,
                "reason": None,
                "rank": 3,
                "stages": {
                    "clause": {"rank": 1040, "score": 0.7713},
                    "lexical": {"rank": 6, "score": 14.2},
                    "fused": {"rank": 22, "score": 0.0274},
                    "reranked": {"rank": 3, "score": -6.53},
                },
            },
            {
                "seq": 431,
                "role": "user",
                "said_at": "2024-05-23T21:40:00+08:00",
                "text": second,
                "packed": packed,
                "reason": None if packed else "budget",
                "rank": 41,
                "stages": {
                    "clause": {"rank": 57, "score": 0.8122},
                    "lexical": {"rank": 212, "score": 3.9},
                    "fused": {"rank": 96, "score": 0.0131},
                    "reranked": {"rank": 41, "score": -9.1},
                },
            },
            {
                "seq": 1204,
                "role": "assistant",
                "said_at": None,
                "text": third,
                "packed": packed,
                "reason": None if packed else "not found",
                "rank": None,
                "stages": {"clause": {"rank": 9, "score": 0.861}},
            },
        ][: 2 + place % 2],
        "dropped": [
            {"seq": 90 + each, "rank": 36 + each, "tokens": 40 + each * 7, "reason": "budget" if each < 4 else "rank"}
            for each in range(7)
        ],
    }


def write(target: Path, *documents: dict[str, Any]) -> None:
    """Write the page, or the card where the name ends in .md."""
    from everyword.evals.report import card, page

    target.write_text(card(documents) if target.suffix == ".md" else page(documents), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(
            Path(name), sample(), sample(answering=True, questions=120, budgets=(1500, 8000), lengths=(None, 1_200_000))
        )
