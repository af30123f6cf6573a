"""Numbers as people read them: the same in the page and in the card."""

from __future__ import annotations

from everyword.evals.report.figure import Figure

NONE = "–"
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"))


def percent(share: float | None) -> str:
    """Return per cent with one decimal, without the sign."""
    return NONE if share is None else f"{100 * share:.1f}"


def interval(figure: Figure) -> str:
    """Return the bounds of a 95 % interval in per cent."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{100 * figure.low:.1f}–{100 * figure.high:.1f}"


def points(difference: float) -> str:
    """Return a difference of shares in points, with its sign."""
    text = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if text[1:] == "0.0" else text


def whole(value: float | None) -> str:
    """Return a whole number with commas."""
    return NONE if value is None else f"{round(value):,}"


def tokens(value: float | None) -> str:
    """Return a number of tokens in at most four characters and a unit: 1,500 is kept, 1,234,567 is 1.2 M."""
    if value is None:
        return NONE
    return whole(value) if value < 10_000 else short(value)


def short(value: float) -> str:
    """Return a number with a unit: 15 K, 1.2 M."""
    for size, unit in _UNITS:
        if value >= 0.9995 * size:
            return f"{_three(value / size)} {unit}"
    return _three(value)


def milliseconds(value: float | None) -> str:
    return NONE if value is None else (_three(value) if value < 10_000 else whole(value))


def octets(value: float | None) -> str:
    """Return a size on disk: 12.3 MB."""
    if value is None:
        return NONE
    return f"{short(value)}B" if value >= 1000 else f"{round(value)} B"


def probability(p: float | None) -> str:
    if p is None:
        return NONE
    if p < 0.0001:
        return "< 0.0001"
    return f"{p:.4f}" if p < 0.01 else f"{p:.3f}" if p < 0.9995 else "1"


def ratio(value: float) -> str:
    """Return how many times: 77 ×, 1.4 ×; the sign stays with the number."""
    return f"{_three(value)}\u00a0×"


def _three(value: float) -> str:
    """Return three digits at most, without zeros that say nothing."""
    if value >= 100 or value == round(value):
        return f"{round(value):,}"
    text = f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")
