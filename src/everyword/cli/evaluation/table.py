"""Figures of a run as Markdown tables of at most 80 columns, each with its intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from everyword.evals.intervals import wilson

WIDTH = 80
MAIN = "evidence"
"""The strategy that the others are compared with where it was run."""
_RANKED = (
    "turn recall_all@5", "turn recall_all@10", "turn recall_all@50", "turn ndcg_any@10", "user turn recall_all@10",
    "session recall_all@5", "session recall_all@10", "session recall@10", "session ndcg_any@10",
)  # fmt: skip
_SPLITS = {"kind": "by_kind", "role": "by_role", "label": "by_label", "case": "by_case"}
_MOST_CASES = 12
Row = Mapping[str, Any]


def table(found: Mapping[str, Any]) -> str:
    """Return all figures of a run document."""
    rows: list[Row] = found["results"]
    parts = [_head(found), _shares(rows), _answers(rows), *_splits(rows), _ranking(rows), _misses(rows)]
    main = MAIN if any(row["strategy"] == MAIN for row in rows) else None
    parts += [_costs(rows), _abstention(rows), pairs(found["pairs"], main=main), limits(rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(found: Mapping[str, Any]) -> str:
    lines = [
        f"{found['dataset']}: {found['messages']:,} messages, {found['tokens']:,} tokens, sha256 {found['sha256'][:16]}",
        *(f"left out: {number} ({reason})" for reason, number in sorted(found["left_out"].items())),
    ]
    return "\n".join(lines)


def _shares(rows: Sequence[Row]) -> str:
    if not any(row["questions"] for row in rows):
        return ""
    head = [*_names(rows), "n", "all evidence (95 %)", "whole", "share"]
    cells = [
        [*_name(row, rows), str(row["questions"]), _share(row), *(percent(row[key]) for key in _OTHERS)] for row in rows
    ]
    if not _has_lengths(rows) and any(1 < len(row["by_case"]) < row["questions"] for row in rows):
        head.append("macro")
        cells = [[*each, percent(row["all_evidence_macro"])] for each, row in zip(cells, rows, strict=True)]
    return markdown(head, cells)


_OTHERS = ("all_evidence_whole", "evidence_share")


def _share(row: Row) -> str:
    spread = f" ±{percent(row['all_evidence_sd'])} sd" if row.get("all_evidence_sd") is not None else ""
    return f"{interval(row['all_evidence'], row['all_evidence_low'], row['all_evidence_high'])}{spread}"


def _answers(rows: Sequence[Row]) -> str:
    judged = [row for row in rows if row["accuracy"] is not None]
    if not judged:
        return _failures(rows)
    head = [*_names(rows), "n", "accuracy (95 %)"]
    cells = [
        [*_name(row, rows), str(row["judged"]), interval(row["accuracy"], row["accuracy_low"], row["accuracy_high"])]
        for row in judged
    ]
    return "\n\n".join(part for part in (markdown(head, cells), _by_evidence(judged, rows), _failures(rows)) if part)


def _by_evidence(judged: Sequence[Row], rows: Sequence[Row]) -> str:
    """Return accuracy apart for contexts with all the evidence and for those without."""
    head = [*_names(rows), "n", "with evidence", "n", "without"]
    parts = ("accuracy_with_evidence", "accuracy_without_evidence")
    cells = [
        [*_name(row, rows), *(cell for part in parts for cell in (str(row[part]["questions"]), _of_part(row[part])))]
        for row in judged
    ]
    return f"Accuracy where all the evidence is in the context, and where it is not:\n\n{markdown(head, cells)}"


def _of_part(part: Mapping[str, Any]) -> str:
    return interval(part["share"], part["low"], part["high"], digits=0)


def _failures(rows: Sequence[Row]) -> str:
    lines = [f"{_arm(row)}: {number} times {reason}" for row in rows for reason, number in row["failures"].items()]
    return "\n".join(["Questions without a context, an answer or a verdict:", *lines]) if lines else ""


def _splits(rows: Sequence[Row]) -> Iterable[str]:
    measure = "accuracy" if any(row["accuracy"] is not None for row in rows) else "all evidence"
    for title, key in _SPLITS.items():
        names = list(dict.fromkeys(name for row in rows for name, part in row[key].items() if part["questions"]))
        if len(names) > 1 and (key != "by_case" or _are_cases(rows, names)):
            yield _split(rows, f"{measure} by {title}", key, names)


def _are_cases(rows: Sequence[Row], names: Sequence[str]) -> bool:
    """Tell whether figures by case say more than the list of questions."""
    most = max(part["questions"] for row in rows for part in row["by_case"].values())
    return len(names) <= _MOST_CASES and most > 1


def _split(rows: Sequence[Row], title: str, key: str, names: Sequence[str]) -> str:
    """Return all evidence, or accuracy where there was a judge, by the groups of questions."""
    count = {name: max(row[key][name]["questions"] for row in rows if name in row[key]) for name in names}
    columns = {_arm(row): [_of_group(row[key].get(name)) for name in names] for row in rows}
    return blocks([title, "n"], [[name, str(count[name])] for name in names], columns)


def _of_group(part: Mapping[str, Any] | None) -> str:
    if part is None:
        return ""
    if part["all_evidence"] is None or part["accuracy"] is not None:
        return interval(part["accuracy"], part["accuracy_low"], part["accuracy_high"], digits=0)
    return interval(part["all_evidence"], part["low"], part["high"], digits=0)


def _ranking(rows: Sequence[Row]) -> str:
    names = [name for name in _RANKED if any(name in row["ranked"] for row in rows)]
    columns = {_arm(row): [_of_ranking(row, name) for name in names] for row in rows}
    return blocks(["ranking"], [[name] for name in names], columns) if names else ""


def _of_ranking(row: Row, name: str) -> str:
    """Return a mean; of a share of questions with its interval."""
    mean, count = row["ranked"].get(name), row["ranked_questions"].get(name, 0)
    if mean is None or "recall_a" not in name:
        return percent(mean)
    return interval(mean, *wilson(mean * count, count), digits=0)


def _misses(rows: Sequence[Row]) -> str:
    if not any(sum(row["misses"].values()) for row in rows):
        return ""
    head = [*_names(rows), "not stored", "not found", "not packed", "worst rank"]
    cells = [
        [
            *_name(row, rows),
            *(str(row["misses"][name]) for name in head[-4:-1]),
            "" if row["worst_rank_median"] is None else f"{row['worst_rank_median']:g}",
        ]
        for row in rows
    ]
    return (
        f"Questions with evidence missing, by where it was lost; median rank of the worst:\n\n{markdown(head, cells)}"
    )


def _costs(rows: Sequence[Row]) -> str:
    has_calls = any(row["calls"] for row in rows)
    head = [*_names(rows), "tokens", "most", "history", *(["calls"] if has_calls else []), "p50/p95/p99 ms", "MB"]
    cells = [
        [
            *_name(row, rows),
            f"{row['tokens_mean']:,.0f}",
            f"{row['tokens_max']:,}",
            _times(row),
            *([f"{row['calls']:,}"] if has_calls else []),
            "/".join(f"{row[key]:,.0f}" for key in ("p50_ms", "p95_ms", "p99_ms")),
            "" if row["bytes"] is None else f"{row['bytes'] / 1e6:,.1f}",
        ]
        for row in rows
    ]
    return markdown(head, cells) if cells else ""


def _times(row: Row) -> str:
    """Return how much larger the history is than what is sent of it."""
    return f"{row['history_tokens'] / row['tokens_mean']:,.0f}x" if row["tokens_mean"] else ""


def _abstention(rows: Sequence[Row]) -> str:
    told = [row for row in rows if row["abstention"]]
    lines = [
        f"{_arm(row)}: says of {percent(row['abstention']['caught'])} % of {row['abstention']['questions']} questions "
        f"without an answer that there is none,\n  and of {percent(row['abstention']['false_alarms'])} % of "
        f"{row['abstention']['answerable']} with one."
        for row in told
    ]
    return "\n".join(lines)


def pairs(found: Iterable[Mapping[str, Any]], *, main: str | None) -> str:
    """Return a line for each comparison with `main`; None: all comparisons."""
    lines: list[str] = []
    for pair in found:
        a, b, only_a, only_b = pair["a"], pair["b"], pair["only_a"], pair["only_b"]
        if main is not None and main not in (a, b):
            continue
        if b == main:
            a, b, only_a, only_b = b, a, only_b, only_a
        length = "" if pair["length"] is None else f" of {tokens(pair['length'])}"
        measure = "right" if pair["measure"] == "accuracy" else "all evidence"
        lines.append(
            f"{a} / {b} @{pair['budget']}{length}: {measure} alone {only_a} / {only_b} of {pair['n']}, p {_p(pair['p'])}"
        )
    return "\n".join(["Exact McNemar on the same questions:", *lines]) if lines else ""


def limits(rows: Sequence[Row]) -> str:
    """Return what one question is worth in the row with the fewest."""
    return limits_of(min((row["questions"] or row.get("judged", 0) for row in rows), default=0))


def limits_of(questions: int) -> str:
    """Return what one question is worth."""
    if not questions:
        return ""
    return f"One question of {questions} is {100 / questions:.2g} points: a difference of one or two is noise."


def _p(value: float) -> str:
    return f"= {value:.3f}" if value >= 0.001 else f"= {value:.1e}" if value > 1e-300 else "< 1e-300"


def interval(share: float | None, low: float | None, high: float | None, *, digits: int = 1) -> str:
    """Return `79.2 (77.1-81.1)`."""
    if share is None or low is None or high is None:
        return "-"
    return f"{percent(share)} ({100 * low:.{digits}f}-{100 * high:.{digits}f})"


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def tokens(number: int) -> str:
    """Return `15K`, `1.2M`."""
    for size, letter in ((1_000_000, "M"), (1_000, "K")):
        if number >= size:
            return f"{number / size:.4g}{letter}"
    return str(number)


def _has_lengths(rows: Sequence[Row]) -> bool:
    return any(row["length"] is not None for row in rows)


def _names(rows: Sequence[Row]) -> list[str]:
    return ["strategy", "budget", *(["length"] if _has_lengths(rows) else [])]


def _name(row: Row, rows: Sequence[Row]) -> list[str]:
    length = "as is" if row["length"] is None else tokens(row["length"])
    return [row["strategy"], str(row["budget"]), *([length] if _has_lengths(rows) else [])]


def _arm(row: Row) -> str:
    """Return `evidence @1500`, and the length where there is one."""
    return f"{row['strategy']} @{row['budget']}" + ("" if row["length"] is None else f" {tokens(row['length'])}")


def blocks(head: Sequence[str], names: Sequence[Sequence[str]], columns: Mapping[str, Sequence[str]]) -> str:
    """Return a table, or several one under the other where all columns do not fit beside each other."""
    taken = sum(max(len(row[place]) for row in [head, *names]) + 3 for place in range(len(head))) + 1
    groups: list[list[str]] = [[]]
    room = WIDTH - taken
    for column, cells in columns.items():
        width = max(map(len, [column, *cells])) + 3
        if groups[-1] and width > room:
            groups.append([])
            room = WIDTH - taken
        groups[-1].append(column)
        room -= width
    tables = (
        markdown(
            [*head, *group],
            [[*row, *(columns[column][place] for column in group)] for place, row in enumerate(names)],
        )
        for group in groups
    )
    return "\n\n".join(tables)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with aligned columns: the first to the left, the others to the right."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    rule = "|".join(["", *(f"{'-' * (width + 1)}{':' if place else '-'}" for place, width in enumerate(widths)), ""])
    return "\n".join([_line(head, widths), rule, *(_line(row, widths) for row in rows)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.rjust(widths[place]) if place else cell.ljust(widths[0]) for place, cell in enumerate(cells))
    return f"| {' | '.join(padded)} |"
