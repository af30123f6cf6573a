"""What `everyword lab` prints: figures in two columns, or JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everyword.cli import terminal
from everyword.errors import ContextLengthExceeded

if TYPE_CHECKING:
    from everyword.lab.compaction import Compacted
    from everyword.lab.conversation import Conversation
    from everyword.lab.engine import Result

_CUT = {"truncate": "dropped", "summary": "compressed", "full": "cut"}


def show(document: dict[str, Any], lines: Callable[[dict[str, Any]], list[str]], *, as_json: bool) -> None:
    """Put the document on stdout as JSON, or as lines."""
    if as_json:
        terminal.write_json(document)
    else:
        terminal.write_lines(lines(document))


def _columns(pairs: list[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in pairs)
    return [f"{name:<{width}}  {value}" for name, value in pairs]


def result_lines(talk: Conversation, result: Result) -> list[str]:
    """Return the figures of one strategy."""
    chosen = result.settings
    title = f"{chosen.strategy}, window {chosen.window:,}, {chosen.turns} of {talk.turns} turns"
    pairs = [
        ("single input", f"{result.request.tokens:,} tokens, ${result.single_cost:.4f}"),
        ("cumulative input", f"{result.cumulative_tokens:,} tokens, ${result.cost:.2f}"),
        ("recall", f"{result.recall:.1%} ({len(result.kept)} of {len(talk.facts)})"),
        ("lost", ", ".join(f"{fact.label} (turn {fact.turn})" for fact in result.lost) or "nothing"),
        (_CUT[chosen.strategy], f"{result.request.first} messages"),
        ("the window holds", f"{result.capacity_turns} turns whole"),
    ]
    return [title, *_columns(pairs)]


def check_fit(talk: Conversation, result: Result) -> None:
    """Raise ContextLengthExceeded, with the ways out, where the request cannot be sent."""
    from everyword.lab.repairs import repairs

    if not result.overflow:
        return
    ways = [
        f"  --strategy {each.settings.strategy} --window {each.settings.window} --ratio {each.settings.ratio:g}"
        for each in repairs(talk, result)
    ]
    raise _over(result.needed, result.settings.window, ["Ways out:", *ways])


def check_summarised(result: Compacted) -> None:
    """Raise ContextLengthExceeded where the last request cannot be sent."""
    if result.overflow:
        raise _over(result.turns[-1].tokens, result.settings.window, ["Name a larger --window, or a smaller --ratio."])


def _over(needed: int, window: int, ways: list[str]) -> ContextLengthExceeded:
    told = f"context_length_exceeded: {needed:,} tokens, {needed - window:,} over the window; nothing can be asked."
    return ContextLengthExceeded("\n".join([told, *ways]), needed=needed, budget=window)


def recall_lines(found: dict[str, Any]) -> list[str]:
    """Return the figures of what Everyword would send, probe by probe."""
    pairs = [
        ("single input", f"{found['inputTokens']:,} tokens"),
        ("cumulative input", f"{found['cumulativeTokens']:,} tokens, ${found['cost']:.2f}"),
        ("recall, measured", f"{found['recall']:.1%} ({found['kept']} of {found['total']})"),
        *((each["label"], _verdict(each)) for each in found["probes"]),
    ]
    return [f"everyword, {found['turns']} turns, a memory of {found['budget']:,} tokens", *_columns(pairs)]


def _verdict(probe: dict[str, Any]) -> str:
    return f"{'found' if probe['isKept'] else 'not found'}, {probe['tokens']:,} tokens"


def summary_lines(found: dict[str, Any]) -> list[str]:
    """Return which summary lost what, and the figures at the end."""
    losses = [
        f"turn {each['turn']}: lost {', '.join(each['lost'])}; {each['kept']} of {each['said']} left"
        for each in found["compactions"]
        if each["lost"]
    ]
    pairs = [
        ("single input", f"{found['inputTokens']:,} tokens"),
        ("cumulative input", f"{found['cumulativeTokens']:,} tokens, ${found['cost']:.2f}"),
        ("summaries", f"{found['summaries']}, which read and wrote {found['summariserTokens']:,} tokens more"),
        ("recall, measured", f"{found['recall']:.1%} ({found['kept']} of {found['total']})"),
    ]
    title = f"{found['summariser']}, window {found['window']:,}, ratio {found['ratio']:.0%}, {found['turns']} turns"
    return [title, *losses, *_columns(pairs)]


def usage_lines(found: dict[str, Any]) -> list[str]:
    """Return the table of requests, and the fit."""
    head = f"{'turn':>5}  {'estimated':>9}  {'reported':>9}  {'cached':>9}  ratio  probe"
    rows = [
        f"{row['turn']:>5}  {row['estimate']:>9,}  {row['reported']:>9,}  {row['cached']:>9,}  {row['ratio']:.3f}"
        f"  {_answer(row)}".rstrip()
        for row in found["rows"]
    ]
    fit = f"{found['model']}: reported = {found['ratio']:.3f} x estimated + {found['overhead']:.0f}"
    recall = [f"answered {found['answered']} of {found['asked']} probes"] if found["asked"] else []
    return [head, *rows, fit, *recall]


def _answer(row: dict[str, Any]) -> str:
    return f"{row['probe']} {'answered' if row['isAnswered'] else 'not answered'}" if row["probe"] else ""
