from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import textwrap
from gzip import decompress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.errors import ModelError, ModelMissingError, SettingsError
from everyword.ports import TokenCounter
from everyword.text import tokens
from everyword.text.tokens import (
    CJK_RUN,
    ENCODINGS,
    Calibrated,
    Calibration,
    CharactersCounter,
    EstimateCounter,
    TiktokenCounter,
    WordsCounter,
    cjk_characters,
    counter,
    fit_factor,
)

MIXED = st.text(st.sampled_from("a1 ,。、你好かカｱ한ᄀㄱ々〇𠀀😀\ud83d\n—“é"))


@pytest.fixture
def _exact() -> None:
    """Skip without the exact tokenizer; fail where CI promises it."""
    if absent := [name for name in ("tiktoken", "bpe_openai") if importlib.util.find_spec(name) is None]:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"not installed: {absent}")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("你好", 2),
        ("你好，", 3),
        ("かな カナ 한글", 7),
        ("𠀀", 1),
        ("😀", 1),
    ],
)
def test_the_estimate_is_one_for_each_cjk_character_and_a_quarter_for_the_rest(text: str, count: int) -> None:
    assert EstimateCounter().count(text) == count


@given(MIXED)
def test_rows_of_utf_16_count_the_same_characters_as_the_expression(text: str) -> None:
    assert cjk_characters(text) == sum(map(len, CJK_RUN.findall(text)))


@given(MIXED, MIXED)
def test_the_estimate_of_a_whole_is_that_of_its_parts_or_one_less(one: str, other: str) -> None:
    count = EstimateCounter().count
    assert count(one) + count(other) - 1 <= count(one + other) <= count(one) + count(other)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("你好", 2),
        ("hello world", 2),
        ("12345", 2),
        ("，。", 0.5),
        ("   \n", 0),
        ("", 0),
        ("don't", 2.25),
        ("abc123", 2),
        ("naïve Москва", 2),
        ("a_b", 2.25),
        ("第12則：3,500 元", 6.5),
    ],
)
def test_the_measure_of_words_follows_its_rule(text: str, measure: float) -> None:
    assert WordsCounter().measure(text) == measure


def test_a_half_is_rounded_up_and_a_quarter_down() -> None:
    assert [WordsCounter().count(text) for text in ("，。", "，", "a，，", "a，")] == [1, 0, 2, 1]


def test_words_says_that_it_is_no_vendors_tokenizer() -> None:
    assert "not any vendor's tokenizer" in (WordsCounter.__doc__ or "")


def test_four_characters_are_a_token() -> None:
    assert [CharactersCounter().count("x" * length) for length in (0, 1, 4, 5, 4000)] == [0, 1, 1, 2, 1000]


@pytest.mark.parametrize(
    "name", ["estimate", "words", "chars4", "tiktoken:o200k_base", "tiktoken:cl100k_base", "words*1.5"]
)
def test_a_counter_has_the_name_that_gives_it(name: str) -> None:
    assert isinstance(counter(name), TokenCounter)
    assert counter(name).name == name


@pytest.mark.parametrize(
    "name", ["", "gpt-4", "tiktoken:p50k", "estimate*", "estimate*much", "estimate*0", "words*nan"]
)
def test_an_unknown_counter_is_a_settings_error(name: str) -> None:
    with pytest.raises(SettingsError):
        counter(name)


# ---- exact counts ----


@pytest.mark.usefixtures("_exact")
@pytest.mark.parametrize(
    ("encoding", "text", "count"),
    [
        ("o200k_base", "hello world", 2),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "", 0),
        ("cl100k_base", "tiktoken is great!", 6),
    ],
)
def test_exact_counts_are_the_known_ones(encoding: str, text: str, count: int) -> None:
    assert TiktokenCounter(encoding).count(text) == count


@pytest.mark.usefixtures("_exact")
@pytest.mark.parametrize("text", ["<|endoftext|>", "\ud83d", "\0"])
def test_special_and_broken_text_is_counted_as_text(text: str) -> None:
    assert TiktokenCounter("o200k_base").count(text) >= 1
    assert TiktokenCounter("o200k_base").count("<|endoftext|>") > 1


@pytest.mark.usefixtures("_exact")
@pytest.mark.parametrize("text", [" " * 2_000_000, "\n \t" * 700_000, "硬幣" * 300_000])
def test_megabytes_in_one_run_are_counted(text: str) -> None:
    assert TiktokenCounter("o200k_base").count(text) > 1000


@pytest.mark.usefixtures("_exact")
@given(st.lists(st.sampled_from(["coin", " ", "\n", "!", "硬幣", "123456", "'s", "/", "\t"]), max_size=60))
def test_a_text_taken_in_parts_has_the_count_of_the_whole(words: list[str]) -> None:
    text = "".join(words)
    cut = tokens.last_cut(text, 0, len(text))
    for encoding in ENCODINGS:
        count = TiktokenCounter(encoding).count
        assert cut is None or count(text[:cut]) + count(text[cut:]) == count(text)


@pytest.mark.usefixtures("_exact")
def test_long_texts_are_taken_in_parts_and_none_is_lost() -> None:
    text = "coin, tea  and\n\nrain " * 30_000 + "x" * 300_000
    parts = list(tokens.parts(text))
    assert len(parts) > 3
    assert "".join(parts) == text
    assert max(map(len, parts)) <= tokens.PART_CHARACTERS


@pytest.mark.usefixtures("_exact")
def test_counts_are_equal_to_those_of_tiktoken_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken

    samples = [
        "I'Ve GOT 12345 coins, haven't I?  \n\n  No/yes\r\n\tIt's ÉCOLE's naïveté",
        "我之前的職業是什麼？民國113年5月22日，價格 731,000 元。",
        "def f(x):\n    return x**2  # comment\n\n\n",
        "مرحبا بالعالم 👩‍👩‍👧 ÅÄÖ e\u0301 ǅungla ʰ",
        " \u3000\u00a0 \n trailing   ",
    ]
    for encoding in ENCODINGS:
        url = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
        file = tmp_path / hashlib.sha1(url.encode()).hexdigest()
        file.write_bytes(decompress(tokens.rank_file(encoding).read_bytes()))
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
        theirs = tiktoken.get_encoding(encoding)
        for text in samples:
            assert tokens.open_encoding(encoding).encode_ordinary(text) == theirs.encode_ordinary(text)


@pytest.mark.usefixtures("_exact")
def test_exact_counts_need_no_network_and_no_other_engine() -> None:
    code = """
        import socket, sys

        def refuse(*_):
            raise OSError("the network is blocked")

        socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
        sys.modules["bpe_openai._bindings"] = None
        from everyword.text.tokens import counter
        print(counter("tiktoken:o200k_base").count("hello world"), "bpe_openai" in sys.modules)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    assert (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip() == "2 False"
    )


@pytest.mark.parametrize("package", ["tiktoken", "bpe_openai"])
def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    tokens.open_encoding.cache_clear()
    with pytest.raises(ModelMissingError, match=r'pip install "everyword\[tokens\]"'):
        TiktokenCounter("cl100k_base").count("hello")


@pytest.mark.usefixtures("_exact")
def test_another_vocabulary_than_the_published_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tokens.Ranks(sha256="0" * 64, split=("x",))
    monkeypatch.setattr(tokens, "ENCODINGS", {"o200k_base": changed})
    with pytest.raises(ModelError, match="not the published vocabulary"):
        tokens.read_ranks("o200k_base")


def test_an_unknown_encoding_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="o200k_base"):
        TiktokenCounter("r50k")


# ---- calibration ----


def test_the_default_is_a_third_more_for_hard_checks() -> None:
    assert Calibration().real(650_000) == 877_500
    assert Calibration().estimate(877_500) == 650_000
    assert Calibrated(EstimateCounter()).count("x" * 400) == 135
    assert Calibrated(EstimateCounter()).name == "estimate*1.35"


@given(st.floats(0.5, 3), st.floats(0, 900), st.integers(1, 10**7))
def test_an_estimate_inside_a_limit_is_really_inside_it(factor: float, overhead: float, limit: int) -> None:
    calibration = Calibration(factor=factor, overhead=overhead)
    estimate = calibration.estimate(limit)
    assert estimate == 0 or calibration.real(estimate) <= limit


@given(st.floats(0.8, 2), st.integers(0, 800))
def test_a_fit_finds_the_factor_and_the_overhead_of_a_request(factor: float, overhead: int) -> None:
    pairs = [(characters, round(characters / 4 * factor) + overhead) for characters in range(4_000, 44_000, 4_000)]
    fitted = fit_factor(pairs)
    assert fitted.factor == pytest.approx(factor, rel=0.01)
    assert fitted.overhead == pytest.approx(overhead, abs=5)
    assert fitted.pairs == 10


@pytest.mark.parametrize(
    "pairs",
    [[], [(4000, 1350)] * 4, [(4000, 1350)] * 9, [(0, 5)] * 9, [(n * 4000, 9000 - n * 900) for n in range(1, 9)]],
)
def test_pairs_that_say_nothing_leave_the_default(pairs: list[tuple[int, int]]) -> None:
    assert fit_factor(pairs) == Calibration()


def test_an_overhead_is_never_negative() -> None:
    fitted = fit_factor([(n * 4000, n * 1500 - 300) for n in range(1, 9)])
    assert fitted.overhead == 0
    assert 1.3 < fitted.factor < 1.5


@pytest.mark.parametrize("factor", [0, -1, float("nan"), float("inf")])
def test_a_factor_that_is_no_positive_number_is_an_error(factor: float) -> None:
    with pytest.raises(SettingsError, match="positive"):
        Calibrated(EstimateCounter(), factor)
