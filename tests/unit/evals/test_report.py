from __future__ import annotations

import base64
import copy
import hashlib
import math
import re
import runpy
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everyword.evals.intervals import wilson
from everyword.evals.report import card, page

SAMPLE: Callable[..., dict[str, Any]] = runpy.run_path(str(Path(__file__).with_name("report_sample.py")))["sample"]
VOID = {"meta", "br", "input", "link", "img", "hr", "col", "wbr"}
HOSTILE = "\"'><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>&lt;|`*"


class Read(HTMLParser):
    """What a browser would make of a page: its elements, in order, with the text that each holds."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.unbalanced: list[str] = []
        self.open: list[tuple[str, int]] = []
        self._data: list[str] = []
        self._reach: list[list[int]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len(dict(attrs)) < len(attrs):
            self.unbalanced.append(f"an attribute twice in {tag}")
        if tag not in VOID:
            self.open.append((tag, len(self.elements)))
        self.elements.append((tag, dict(attrs)))
        self._reach.append([len(self._data), len(self._data)])

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1][0] != tag:
            self.unbalanced.append(f"</{tag}> inside {self.open[-1:]}")
        else:
            self._reach[self.open.pop()[1]][1] = len(self._data)

    def handle_data(self, data: str) -> None:
        self._data.append(data)

    def all(self, tag: str, class_: str | None = None) -> list[str]:
        """Return the texts of the elements of a name, and of a class."""
        found = [place for place, (name, _) in enumerate(self.elements) if name == tag]
        kept = [
            place for place in found if class_ is None or class_ in (self.elements[place][1].get("class") or "").split()
        ]
        return ["".join(self._data[slice(*self._reach[place])]) for place in kept]

    def section(self, anchor: str) -> Read:
        return Read(section(self.source, anchor))


def section(text: str, anchor: str) -> str:
    found = re.search(rf'<section id="{anchor}">.*?</section>', text, re.S)
    assert found, anchor
    return found[0]


def row(strategy: str = "evidence", hits: int = 80, n: int = 100, **fields: Any) -> dict[str, Any]:
    low, high = wilson(hits, n)
    share = {"all_evidence": hits / n, "all_evidence_low": low, "all_evidence_high": high}
    return {
        "strategy": strategy,
        "budget": 1500,
        "length": None,
        "questions": n,
        "tokens_mean": 1470.0,
        "tokens_max": 1500,
        **share,
        **fields,
    }


def pair(a: str, b: str, p: float, **fields: Any) -> dict[str, Any]:
    return {
        "budget": 1500,
        "length": None,
        "measure": "all_evidence",
        "a": a,
        "b": b,
        "n": 100,
        "only_a": 9,
        "only_b": 1,
        "p": p,
        **fields,
    }


def run(*results: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"run": "0123456789ab", "dataset": "own", "task": "retrieval", "results": list(results), **fields}


def bold(text: str, anchor: str = "strategies") -> list[str]:
    return Read(section(text, anchor)).all("strong")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SAMPLE(questions=120, lengths=(None, 120_000, 1_200_000), budgets=(1500,))


@pytest.fixture(scope="module")
def answered() -> dict[str, Any]:
    return SAMPLE(questions=60, answering=True, lengths=(None,), budgets=(1500, 8000), strategies=("evidence", "bm25"))


@pytest.fixture(scope="module")
def text(document: dict[str, Any]) -> str:
    return page([document])


def test_every_strategy_has_its_figure_interval_and_number_of_questions(document: dict[str, Any], text: str) -> None:
    rows = Read(section(text, "strategies")).all("tr")
    for each in document["results"]:
        said = f"{100 * each['all_evidence']:.1f}{100 * each['all_evidence_low']:.1f}–{100 * each['all_evidence_high']:.1f}"
        assert any(each["strategy"] in one and said in one and str(each["questions"]) in one for one in rows), each[
            "strategy"
        ]


def test_the_headline_has_the_figure_of_evidence_and_its_distance_to_word_search_and_to_the_whole_history() -> None:
    full = row("full", 100, budget=200_000, tokens_mean=115_000.0, tokens_max=120_000)
    found = Read(page([run(row(hits=84), row("bm25", 71), full, pairs=[pair("bm25", "evidence", 0.0123)])]))
    said = " ".join(found.section("headline").all("section"))
    assert "84.0 %" in said
    assert "95 % interval 75.6–89.9, n = 100" in said
    assert "71.0 %" in said
    assert "evidence +13.0 points, p = 0.012" in said
    assert "100.0 %" in said
    assert "115 K tokens a question, 78.2\u00a0× as many" in said


def test_the_headline_says_what_is_left_in_the_longest_history() -> None:
    found = Read(page([run(row(hits=84), row(hits=80, length=12_000_000), lengths=[12_000_000])]))
    assert "80.0 % (71.1–86.7) in a history of 12 M tokens: −4.0 points." in found.section("headline").all("section")[0]


def test_the_curve_has_a_line_a_strategy_and_says_in_words_what_it_shows(document: dict[str, Any], text: str) -> None:
    found = Read(section(text, "lengths"))
    alternative = next(a["aria-label"] or "" for name, a in found.elements if name == "svg" and a.get("role") == "img")
    for strategy in {each["strategy"] for each in document["results"]}:
        ends = [100 * each["all_evidence"] for each in document["results"] if each["strategy"] == strategy]
        assert f"{strategy} from {ends[0]:.1f} to {ends[-1]:.1f} %" in alternative
    assert sum(a.get("class", "") == "line" for name, a in found.elements if name == "path") == 7
    assert {"published (18.2 K)", "120 K", "1.2 M"} <= set(found.all("text"))


def test_the_table_of_lengths_has_the_change_and_how_the_tokens_vary() -> None:
    steps = [row(hits=84, length=15_000, tokens_mean=1450.0), row(hits=80, length=120_000, tokens_mean=1479.0)]
    cells = Read(page([run(*steps, lengths=[15_000, 120_000])])).section("lengths").all("td")
    assert "−4.0" in cells
    assert "2.0 %1,450–1,479" in cells


def test_a_run_of_one_length_has_no_curve() -> None:
    assert 'id="lengths"' not in page([run(row())])


def test_what_data_says_cannot_become_markup(document: dict[str, Any]) -> None:
    found = Read(page([_hostile(document)]))
    scripts = found.all("script")
    assert len(scripts) == 1
    assert "alert" not in scripts[0]
    assert not [name for name, _ in found.elements if name in ("img", "iframe", "object", "embed", "link", "base")]
    assert not [key for _, attributes in found.elements for key in attributes if key.startswith("on")]
    assert not found.unbalanced
    assert HOSTILE in "".join(found.all("pre", class_="command"))
    assert found.all("details", class_="question")[0].count("<script>alert(1)</script>") >= 3


def _hostile(value: Any) -> Any:
    """Return a document in which every word is an attack, those apart on which its shape depends."""
    if isinstance(value, dict):
        kept = ("measure", "task", "miss")
        return {
            (key if key in FIELDS else HOSTILE + key): each if key in kept else _hostile(each)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_hostile(each) for each in value]
    return HOSTILE + value if isinstance(value, str) else value


FIELDS = {
    *"run command everyword started_at task dataset sha256 messages tokens left_out embedder reranker counter seed answerer judge lengths results pairs explained outcomes".split(),
    *"strategy budget length target questions case question text kind labels roles share correct miss measure a b n only_a only_b p".split(),
    *"all_evidence all_evidence_low all_evidence_high low high accuracy by_kind by_case by_role by_label misses failures ranked".split(),
    *"context ledger evidence dropped stages rank score seq role said_at packed reason answer tokens_mean tokens_max p50_ms p95_ms p99_ms".split(),
}


def test_the_page_asks_no_network_and_runs_no_script_but_its_own(text: str) -> None:
    found = Read(text)
    assert not [
        attributes for _, attributes in found.elements if attributes.keys() & {"src", "srcset", "action", "xlink:href"}
    ]
    assert all((a.get("href") or "#").startswith("#") for _, a in found.elements)
    style = found.all("style")[0]
    assert "@import" not in style
    assert all(url.startswith("#") for url in re.findall(r"url\(([^)]*)\)", style))
    assert not re.search(r"https?://", text)
    policy = next(a["content"] or "" for name, a in found.elements if name == "meta" and a.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(found.all("script")[0].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert f"script-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("number", [1, 2])
def test_the_page_is_well_formed_and_every_link_leads_somewhere(
    document: dict[str, Any], answered: dict[str, Any], number: int
) -> None:
    found = Read(page([document, answered][:number]))
    assert not found.unbalanced
    assert not found.open
    ids = [a["id"] for _, a in found.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {(a["href"] or "")[1:] for name, a in found.elements if name == "a"} <= set(ids)
    assert all(a.get("aria-label") or a.get("aria-hidden") for name, a in found.elements if name == "svg")
    assert found.source.startswith("<!DOCTYPE html>\n<html lang=")


def test_several_runs_open_with_the_headline_of_each(document: dict[str, Any], answered: dict[str, Any]) -> None:
    opening = Read(page([document, answered])).all("header", class_="opening")[0]
    for each, measure in ((document, "all_evidence"), (answered, "accuracy")):
        main = next(one for one in each["results"] if one["strategy"] == "evidence")
        assert f"{100 * main[measure]:.1f}" in opening


def test_the_best_is_bold_when_mcnemar_says_so() -> None:
    found = page([run(row(hits=84), row("bm25", 78), pairs=[pair("evidence", "bm25", 0.031)])])
    assert bold(found) == ["84.0"]


def test_the_best_is_not_bold_when_the_pair_may_be_chance_although_intervals_are_far_apart() -> None:
    found = page([run(row(hits=95), row("bm25", 60), pairs=[pair("evidence", "bm25", 0.06)])])
    assert bold(found) == []


def test_the_best_is_bold_without_a_pair_when_the_intervals_do_not_touch() -> None:
    assert bold(page([run(row(hits=95), row("bm25", 60))])) == ["95.0"]
    assert bold(page([run(row(hits=84), row("bm25", 78))])) == []


def test_the_best_must_be_ahead_of_every_other() -> None:
    pairs = [pair("evidence", "bm25", 0.001), pair("evidence", "raw-rag", 0.4)]
    assert bold(page([run(row(hits=84), row("bm25", 60), row("raw-rag", 83), pairs=pairs)])) == []


def test_equals_and_a_single_strategy_are_not_bold() -> None:
    assert bold(page([run(row(hits=84), row("bm25", 84), pairs=[pair("evidence", "bm25", 0.001)])])) == []
    assert bold(page([run(row(hits=84))])) == []


def test_what_sends_more_than_the_budget_is_no_rival() -> None:
    full = row("full", 100, budget=200_000, tokens_mean=115_000.0, tokens_max=120_000)
    found = page([run(row(hits=95), row("bm25", 60), full)])
    assert bold(found) == ["95.0"]
    assert "For reference, not compared: full sent more tokens than the budget." in found


def test_a_kind_is_bold_by_the_outcomes_of_its_own_questions() -> None:
    def outcome(strategy: str, question: int, *, right: bool) -> dict[str, Any]:
        return {
            "strategy": strategy,
            "budget": 1500,
            "target": None,
            "case": "c",
            "question": str(question),
            "kind": "asides",
            "share": float(right),
        }

    outcomes = [outcome("evidence", each, right=True) for each in range(20)]
    outcomes += [outcome("bm25", each, right=each >= 6) for each in range(20)]
    by_kind = {
        "evidence": {"asides": {"questions": 20, "all_evidence": 1.0}},
        "bm25": {"asides": {"questions": 20, "all_evidence": 0.7}},
    }
    results = [row(name, by_kind=kinds) for name, kinds in by_kind.items()]
    assert bold(page([run(*results, outcomes=outcomes)]), "kind") == ["100.0"]  # 6 of 6: p = 0.031
    assert bold(page([run(*results, outcomes=outcomes[:-1])]), "kind") == []
    assert bold(page([run(*results)]), "kind") == []


def test_every_split_has_every_group_with_its_number_of_questions(document: dict[str, Any], text: str) -> None:
    for split in ("kind", "role", "label", "case"):
        heads = Read(section(text, split)).all("th")
        for name, group in document["results"][-1][f"by_{split}"].items():
            said = "no questions" if not group["questions"] else f"n {group['questions']}"
            assert any(each.startswith(f"{name}{said}") for each in heads), name


def test_a_group_without_questions_says_so() -> None:
    groups = {"asked": {"questions": 40, "all_evidence": 0.5}, "empty": {"questions": 0, "all_evidence": None}}
    heads = Read(section(page([run(row(by_kind=groups))]), "kind")).all("th")
    assert "emptyno questions" in heads


def test_accuracy_is_split_by_whether_the_evidence_was_there(answered: dict[str, Any]) -> None:
    cells = Read(section(page([answered]), "presence")).all("td")
    first = next(each for each in answered["results"] if (each["strategy"], each["budget"]) == ("evidence", 1500))
    for part in ("accuracy_with_evidence", "accuracy_without_evidence"):
        share, n = first[part]["share"], first[part]["questions"]
        assert any(cell.startswith(f"{100 * share:.1f}") and cell.endswith(f"n {n}") for cell in cells)


def test_without_answers_the_split_counts_questions() -> None:
    rows = Read(section(page([run(row(hits=81, n=90))]), "presence")).all("tr")
    assert rows[1].endswith("8190.0 % of 90910.0 % of 90")


def test_misses_are_shown_by_where_evidence_was_lost() -> None:
    missing = {"not stored": 1, "not found": 4, "not packed": 15}
    found = Read(section(page([run(row(hits=80, misses=missing))]), "misses"))
    alternative = next(a["aria-label"] or "" for name, a in found.elements if name == "svg" and a.get("role") == "img")
    assert "evidence: all evidence 80, not packed 15, not found 4, not stored 1" in alternative
    assert {"miss-none", "miss-packed", "miss-found", "miss-stored"} <= {
        a.get("class") for name, a in found.elements if name == "rect"
    }


def test_failures_are_counted_by_reason() -> None:
    results = [
        row(misses={}, failures={"refusal": 2}),
        row(budget=8000, misses={"not found": 1}, failures={"refusal": 1}),
    ]
    assert "evidencerefusal3" in Read(section(page([run(*results)]), "misses")).all("tr")


def test_latency_has_three_percentiles_for_every_strategy() -> None:
    slow = row("raw-rag", p50_ms=60.2, p95_ms=118.4, p99_ms=10_250.0)
    rows = Read(section(page([run(row(p50_ms=0.0, p95_ms=12.34, p99_ms=None), slow)]), "latency")).all("tr")
    assert "evidence012.3–" in rows[1]
    assert "60.211810,250" in rows[2]


def test_pairs_have_counts_difference_p_and_the_corrected_p() -> None:
    pairs = [
        pair("bm25", "evidence", 0.01, only_a=3, only_b=15),
        pair("evidence", "raw-rag", 0.04),
        pair("bm25", "raw-rag", 0.03),
        pair("bm25", "window", 0.005),
    ]
    found = Read(section(page([run(row(), row("bm25", 60), row("raw-rag", 70), pairs=pairs)]), "pairs"))
    rows = found.all("tr")
    assert rows[1].replace("\n", "") == " evidence or  bm25100153+12.00.0100.030"
    assert found.all("strong") == ["0.030", "0.020"]
    assert rows[2].endswith("0.0400.060")


def test_the_signal_that_there_is_no_evidence_has_its_intervals() -> None:
    signal = {"questions": 25, "caught": 0.64, "answerable": 100, "false_alarms": 0.04}
    cells = Read(section(page([run(row(abstention=signal))]), "never")).all("td")
    assert cells == ["64.044.5–79.8, n 25", "4.01.6–9.8, n 100"]


def test_an_explained_question_shows_every_stage_and_what_decides(text: str) -> None:
    question = Read(section(text, "explain")).all("details", class_="question")[0]
    for said in (
        "1,040",
        "0.7713",
        "−6.53",
        "1,471 of 1,500",
        "How many coins",
        "2 of 2 packed",
        "29 unspent; budget 1,500",
    ):
        assert said in question
    assert "worst rank1,0402129641" in question
    assert "Finally sorted the attic." in Read(section(text, "explain")).all("mark")[0]


def test_an_explained_question_without_known_evidence_still_has_its_context() -> None:
    asked = {
        "text": "Who won?",
        "strategy": "evidence",
        "budget": 1500,
        "length": None,
        "context": "a < b",
        "tokens": 3,
    }
    question = Read(section(page([run(row(), explained=[asked])]), "explain"))
    assert "no evidence known" in question.all("summary")[1]
    assert question.all("pre") == ["a < b"]


def test_evidence_that_no_stage_found_says_why_it_is_missing() -> None:
    lost = {"seq": 7, "role": "tool", "text": "42", "packed": False, "reason": "not stored", "stages": {}}
    asked = {"text": "Which number?", "strategy": "bm25", "budget": 1500, "length": 15_000, "evidence": [lost]}
    question = Read(section(page([run(row(), explained=[asked])]), "explain"))
    assert "0 of 1 packed" in question.all("summary")[1]
    assert question.all("tr")[1] == "#7tool42not in it✗ not stored"


def test_repeated_runs_show_how_the_figure_varies_between_seeds() -> None:
    rows = Read(section(page([run(row(seeds=5, all_evidence_sd=0.0123))]), "strategies")).all("tr")
    assert "sd over seeds, points" in rows[0]
    assert "1.2 (5 seeds)" in rows[1]


def test_what_was_dropped_says_why(text: str) -> None:
    dropped = [
        each for each in Read(section(text, "explain")).all("details", class_="fold") if each.startswith("Dropped")
    ]
    assert "#903640budget" in dropped[0]
    assert "#964282rank" in dropped[0]


def test_explained_questions_of_the_main_strategy_are_open_first(text: str) -> None:
    groups = [
        a
        for name, a in Read(section(text, "explain")).elements
        if name == "details" and "group" in (a.get("class") or "")
    ]
    assert "open" in groups[0]
    assert all("open" not in a for a in groups[1:])
    assert Read(section(text, "explain")).all("details", class_="group")[0].strip().startswith("evidence")


def test_a_reader_can_make_the_run_again(document: dict[str, Any], text: str) -> None:
    said = Read(section(text, "provenance")).all("section")[0]
    for name in ("command", "run", "everyword", "started_at", "dataset", "sha256", "embedder", "counter"):
        assert document[name] in said, name
    assert "11 (evidence is an image)" in said
    assert "6,400" in said


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (53, "n = 53: one question is worth 1.9 points. n is small"),
        (1540, "n = 1,540: one question is worth 0.06 points."),
        (25, "4.0 points"),
    ],
)
def test_the_limits_say_what_one_question_is_worth(n: int, said: str) -> None:
    assert said in Read(section(page([run(row(hits=n // 2, n=n))]), "provenance")).all("ul", class_="limits")[0]


def test_two_budgets_of_a_strategy_are_told_apart_without_colour(answered: dict[str, Any]) -> None:
    found = Read(section(page([answered]), "tokens"))
    assert " evidence @1,500" in found.all("li")
    assert " evidence @8,000" in found.all("li")
    assert {"mark", "mark hollow"} <= {a.get("class") for _, a in found.elements}


def test_an_empty_document_and_no_document_make_a_page() -> None:
    assert "This run has no results." in page([{}])
    assert "No run was given." in page([])
    assert "This run has no results." in card([{}])


def test_a_run_without_questions_says_so() -> None:
    nothing = row(questions=0) | dict.fromkeys(("all_evidence", "all_evidence_low", "all_evidence_high"))
    found = page([run(nothing)])
    assert "Not measured: no questions." in found
    assert "No questions were measured." in found
    assert "not measured, no questions" in card([run(nothing)]).replace("\n", " ")


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, one in inner for each in _paths(one, (*path, key)))]


ODD: list[Any] = [None, math.nan, math.inf, -1, 0, 0.5, 1e300, "", "words", [], {}, True]


@pytest.fixture(scope="module")
def small() -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    document = SAMPLE(questions=5, answering=True, lengths=(None, 120_000), strategies=("evidence", "bm25"))
    document["explained"] = document["explained"][:1]
    document["outcomes"] = document["outcomes"][:2]
    return document, [path for path in _paths(document) if path]


@settings(max_examples=30)
@given(data=st.data())
def test_whatever_is_missing_or_odd_in_a_document_there_is_a_page_and_a_card(
    small: tuple[dict[str, Any], list[tuple[Any, ...]]], data: st.DataObject
) -> None:
    document, paths = copy.deepcopy(small[0]), small[1]
    changes = st.tuples(st.integers(0, len(paths) - 1), st.integers(0, len(ODD) - 1))
    for path, odd in data.draw(st.lists(changes, min_size=1, max_size=12)):
        _put(document, paths[path], copy.copy(ODD[odd]))
    assert not Read(page([document])).unbalanced
    assert card([document]).endswith("\n")


def _put(value: Any, path: tuple[Any, ...], odd: Any) -> None:
    """Change what is at the end of a path, where an earlier change has left it."""
    for key in path[:-1]:
        value = value[key] if _has(value, key) else None
    if _has(value, path[-1]):
        value[path[-1]] = odd


def _has(value: Any, key: Any) -> bool:
    return (
        key in value
        if isinstance(value, dict)
        else isinstance(value, list) and isinstance(key, int) and key < len(value)
    )
