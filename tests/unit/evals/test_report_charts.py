from __future__ import annotations

import itertools
import math
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.evals.report.charts.curve import Series, curve
from everyword.evals.report.charts.labels import shortened, spread, width
from everyword.evals.report.charts.scale import Scale, log_domain, log_ticks, share_domain, share_ticks
from everyword.evals.report.charts.scatter import Dot, frontier
from everyword.evals.report.figure import Figure
from everyword.evals.report.look import COLOURS, looks

SHARES = st.floats(0.0, 1.0)


def test_a_log_scale_gives_every_tenfold_step_the_same_room() -> None:
    scale = Scale(low=1_000, high=1_000_000, start=0, stop=300, log=True)
    assert [scale.at(value) for value in (1_000, 10_000, 100_000, 1_000_000)] == pytest.approx([0, 100, 200, 300])


def test_a_share_is_drawn_where_it_is_and_what_is_outside_at_the_edge() -> None:
    scale = Scale(low=0.5, high=1.0, start=100, stop=0)
    assert scale.at(0.75) == pytest.approx(50)
    assert (scale.at(0.2), scale.at(1.2)) == (100, 0)


@given(st.lists(SHARES, max_size=20))
def test_the_axis_of_shares_holds_all_of_them_in_tens_of_per_cent(shares: list[float]) -> None:
    low, high = share_domain(shares)
    assert 0.0 <= low < high <= 1.0
    assert high - low > 0.39
    assert all(low - 1e-6 <= share <= high + 1e-6 for share in shares)
    assert all(round(10 * bound, 6) == round(10 * bound) for bound in (low, high))
    assert share_ticks(low, high)


@given(st.lists(st.floats(0.01, 1e9), max_size=20))
def test_a_log_axis_holds_all_values_and_has_ticks(values: list[float]) -> None:
    low, high = log_domain(values)
    assert all(low <= value <= high for value in values)
    ticks = log_ticks(low, high)
    assert 1 <= len(ticks) <= 12
    assert all(low <= tick <= high for tick in ticks)


@given(st.lists(st.floats(0, 400), max_size=15))
def test_labels_are_a_line_apart_in_the_order_of_their_places(wanted: list[float]) -> None:
    placed = spread(wanted, 17, 0, 400)
    ordered = sorted(zip(wanted, placed, strict=True))
    assert all(later - earlier >= 17 - 1e-6 for earlier, later in itertools.pairwise(sorted(placed)))
    assert all(one[1] <= other[1] for one, other in itertools.pairwise(ordered) if one[0] < other[0])
    assert all(-1e-6 <= place <= 400 + 1e-6 for place in placed)


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread([300.0, 20.0, 100.0], 17, 0, 400) == pytest.approx([300.0, 20.0, 100.0])


def test_a_long_name_is_cut_with_an_ellipsis() -> None:
    assert shortened("raw-fused", 200) == "raw-fused"
    cut = shortened("多" * 40, 100)
    assert cut.endswith("…")
    assert width(cut) <= 100


def test_the_curve_puts_points_at_their_share_and_length() -> None:
    series = Series(
        name="evidence",
        look=looks(["evidence"])["evidence"],
        points=((10_000.0, _figure(0.9)), (1_000_000.0, _figure(0.7))),
    )
    drawn = curve([series], [(10_000.0, "10 K"), (1_000_000.0, "1 M")], measure="all evidence", alternative="a")
    (x1, y1), (x2, y2) = _line(drawn)
    ticks = {
        label: float(y) - 4 for y, label in re.findall(r'y="([\d.]+)" text-anchor="end" class="tick">(\d+ %)<', drawn)
    }
    assert y1 == pytest.approx(ticks["90 %"], abs=0.2)
    assert y2 == pytest.approx(ticks["70 %"], abs=0.2)
    assert x1 < x2
    assert "evidence 70.0" in drawn


def _line(drawn: str) -> list[tuple[float, float]]:
    path = re.search(r'class="line" d="M([^"]*)"', drawn)
    assert path is not None
    return [(float(x), float(y)) for x, y in (place.split() for place in path[1].split(" L"))]


def _figure(value: float) -> Figure:
    return Figure(value=value, low=value - 0.05, high=value + 0.05, n=100)


def test_the_frontier_has_what_no_other_surpasses_for_as_few_tokens() -> None:
    look = looks(["a"])["a"]
    found = [
        ("a", 1_500, 0.8),
        ("b", 1_490, 0.7),
        ("c", 8_000, 0.75),
        ("d", 8_000, 0.9),
        ("e", 90_000, 0.9),
        ("f", 1_480, 0.75),
    ]
    dots = [Dot(name=name, look=look, tokens=tokens, figure=_figure(value)) for name, tokens, value in found]
    assert [dot.name for dot in frontier(dots)] == ["a", "d", "e"]


@given(st.lists(st.text("abcdef-", min_size=1, max_size=8), unique=True, max_size=30))
def test_no_two_strategies_look_the_same(names: list[str]) -> None:
    found = looks([*names, "evidence"] if "evidence" not in names else names)
    assert len({(look.slot, look.mark) for look in found.values()}) == len(found)


def test_known_strategies_look_the_same_on_every_page() -> None:
    assert looks(["evidence", "bm25"])["bm25"] == looks(["full", "mem0", "bm25"])["bm25"]


def _palettes() -> dict[str, tuple[str, list[str]]]:
    """The page's background and colours of strategies, in light and in dark."""
    style = files("everyword.evals.report").joinpath("page.css").read_text("utf-8")
    light, dark = style.split("prefers-color-scheme: dark", 1)
    return {
        name: (
            re.findall(r"--page: (#\w{6})", part)[0],
            [re.findall(rf"--s{slot}: (#\w{{6}})", part)[0] for slot in range(COLOURS)],
        )
        for name, part in (("light", light), ("dark", dark))
    }


def _linear(colour: str) -> list[float]:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]


def _luminance(colour: str) -> float:
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), _linear(colour), strict=True))


SIGHTS = {
    # Machado, Oliveira and Fernandes, IEEE TVCG 2009, severity 1
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def _seen(colour: str, sight: str) -> tuple[float, ...]:
    """Return the colour as OKLab (Ottosson 2020), after the sight."""
    light = [max(0.0, min(1.0, sum(a * b for a, b in zip(row, _linear(colour), strict=True)))) for row in SIGHTS[sight]]
    cones = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    l, m, s = (sum(a * b for a, b in zip(row, light, strict=True)) ** (1 / 3) for row in cones)  # noqa: E741
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_of_strategies_are_told_apart_by_every_kind_of_sight(scheme: str, sight: str) -> None:
    seen = [_seen(colour, sight) for colour in _palettes()[scheme][1]]
    assert min(math.dist(one, other) for one, other in itertools.combinations(seen, 2)) > 0.05


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_of_strategies_stand_out_from_the_page(scheme: str) -> None:
    page, colours = _palettes()[scheme]
    for colour in colours:
        dim, bright = sorted((_luminance(page), _luminance(colour)))
        assert (bright + 0.05) / (dim + 0.05) >= 3.0, colour
