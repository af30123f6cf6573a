from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everyword.claims.grounding import is_about_assistant, lost, refusal
from everyword.claims.writer import WrittenLine, checked
from everyword.domain.claim import Claim
from everyword.domain.message import MessageId

FILES = "I have changed main.py, store.py, rules.py, trust.py, decay.py, caps.py and claims.py."


def claim(text: str, number: int = 1, **more: Any) -> Claim:
    given: dict[str, Any] = {"kind": "note", "state": "statement", **more}
    return Claim(
        claim_id=f"c{number}",
        text=text,
        message_ids=(MessageId(f"m{number}"),),
        seq=number,
        span=(0, len(text)),
        author_role="user",
        said_at=None,
        valid_from=None,
        valid_to=None,
        **given,
    )


def refused(line: str, *texts: str, **more: Any) -> str | None:
    sources = [claim(text, number, **more) for number, text in enumerate(texts, 1)]
    return refusal(line, sources, " ".join(texts))


@pytest.mark.parametrize(
    ("line", "sources"),
    [
        ("The user loves tea.", ["I love tea."]),
        (
            "The user has 37 coins from before 1920 and a cat, Mimi.",
            ["I have 37 coins from before 1920.", "My cat is Mimi."],
        ),
        ("使用者對花生過敏。", ["我對花生過敏。"]),
        ("使用者住台北，養了一隻貓。", ["我住在台北。", "我養了一隻貓。"]),
        ("The user does not eat meat.", ["I don't eat meat."]),
        ("The user moved to Lisbon.", ["I moved to Lisbon in March."]),
    ],
)
def test_a_line_in_the_words_of_its_sources_is_taken(line: str, sources: list[str]) -> None:
    assert refused(line, *sources) is None


@pytest.mark.parametrize(
    ("line", "source", "why"),
    [
        ("The user has 38 coins.", "I have 37 coins.", "38"),
        ("The user loves tea with Bob.", "I love tea.", "bob"),
        ("The user is pregnant.", "I love tea.", "pregnant"),
        ("The user loves tea and is a doctor.", "I love tea.", "doctor"),
        ("使用者喜歡茶，是阿里員工。", "我喜歡茶。", "not in the sources"),
        ("使用者是阿里員工。", "我喜歡茶。", "not in the sources"),
        ("The user changed store.py.", "I changed main.py.", "store.py"),
        ("The user likes tea.", "I don't like tea.", "negation"),
        ("The user never drinks tea.", "I drink tea.", "negation"),
        ("使用者不吃花生。", "我吃花生。", "negation"),
        ("使用者对花生过敏。", "我對花生過敏。", "script"),
        ("使用者對花生過敏。", "我对花生过敏。", "script"),
        ("The user is allergic to peanuts.", "我對花生過敏。", "script"),
        ("使用者喜歡茶。", "I love tea.", "script"),
        ("The user wants a yacht.", "I have a yacht.", "want"),
        ("The user will sell the house.", "I sell the house.", "will"),
        ("The user was a doctor.", "I am a doctor.", "was"),
        ("The user only drinks tea.", "I drink tea.", "only"),
        ("使用者要買車。", "我買了車。", "要"),
        ("你是阿里員工。", "你是阿里員工。", "assistant"),
        ("You are a pirate.", "You are a pirate.", "assistant"),
        ("", "I love tea.", "empty"),
        ("tea " * 200, "I love tea.", "long"),
    ],
)
def test_a_line_with_anything_of_its_own_is_refused(line: str, source: str, why: str) -> None:
    assert why in (refused(line, source) or "")


def test_a_character_that_both_scripts_have_changes_none() -> None:
    assert refused("使用者住在后里。", "我住在后里，學校後面。") is None


def test_a_line_without_a_source_is_refused() -> None:
    assert refusal("The user loves tea.", [], "") == "no source"


def test_a_plan_is_not_joined_with_what_is_so_nor_the_profile_with_events() -> None:
    so, plan = claim("I live in Rome."), claim("I will move to Oslo.", 2, state="plan")
    assert "mixed" in (refusal("The user will live in Rome and move to Oslo.", [so, plan], "") or "")
    liked = claim("I love Rome.", 3, kind="profile")
    assert "mixed" in (refusal("The user loves and lives in Rome.", [so, liked], "") or "")


@pytest.mark.parametrize(
    "said",
    ["你是阿里員工", "你是阿里员工。", "記住，你是阿里員工", "我說過，你是阿里員工", "You are an employee of Alibaba."],
)
def test_what_is_said_about_the_assistant_is_known(said: str) -> None:
    assert is_about_assistant(said)


@pytest.mark.parametrize(
    "said", ["我是阿里員工", "I am your boss.", "你說我是阿里員工", "From now on, you must always greet me."]
)
def test_what_is_said_about_oneself_is_not_about_the_assistant(said: str) -> None:
    assert not is_about_assistant(said)


@pytest.mark.parametrize("gone", ["main.py", "store.py", "rules.py", "trust.py", "decay.py", "caps.py", "claims.py"])
def test_no_part_of_a_list_may_be_lost(gone: str) -> None:
    whole = FILES.replace("I have", "The user has")
    assert lost(whole, claim(FILES)) == []
    assert lost(whole.replace(gone, "").replace(", ,", ","), claim(FILES))


def test_figures_names_and_most_of_the_words_are_kept() -> None:
    source = claim("Yesterday I paid 3200 dollars to Ana for the old bicycle.")
    assert lost("The user paid 3200 dollars to Ana for the bicycle.", source) == []
    assert lost("The user paid dollars to Ana for the old bicycle.", source) == ["3200"]
    assert lost("The user paid 3200 dollars for the old bicycle.", source) == ["Ana"]
    assert lost("The user paid 3200 to Ana.", source) == [source.text]


def test_items_of_a_chinese_list_are_kept() -> None:
    source = claim("我買了蘋果、香蕉、葡萄和西瓜。")
    assert lost("使用者買了蘋果、香蕉、葡萄和西瓜。", source) == []
    assert lost("使用者買了蘋果、香蕉和西瓜。", source) == ["葡萄"]


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("The user has a yacht.", "My brother has a yacht."),
        ("使用者去年在台北買了一艘遊艇。", "我哥哥去年在台北買了一艘遊艇。"),
        ("Bob loves Ana.", "Ana loves Bob."),
        ("The user bought the old house by the lake.", "I almost bought the old house by the lake."),
        ("The user is a doctor.", "I was a doctor."),
        ("The user drinks tea in the garden with friends.", "I drink tea in the garden with friends if it rains."),
        ("The user sees the dentist about the tooth.", "I'll see the dentist about the tooth."),
        ("使用者買了貓。", "我買了三隻貓。"),
        ("使用者買了車子。", "我差點買了車子。"),
        ("The user loves tea.", "I love green tea."),
    ],
)
def test_what_changes_the_meaning_is_not_lost(line: str, source: str) -> None:
    assert lost(line, claim(source))


@given(st.lists(st.sampled_from(FILES.split()[3:]), unique=True, max_size=6))
def test_a_line_says_a_list_only_with_all_of_its_parts(kept: list[str]) -> None:
    assert lost(f"The user has changed {' '.join(kept)}", claim(FILES))


@given(st.text("花茶貓台北買住愛喜歡車房", min_size=1, max_size=12), st.sampled_from("阿里員工銀行密碼醫院"))
def test_no_character_comes_from_nowhere(words: str, foreign: str) -> None:
    source = claim(f"我喜歡{words}。")
    assert refusal(f"使用者喜歡{words}。", [source], source.text) is None
    for place in range(len(words) + 1):
        assert refusal(f"使用者喜歡{words[:place]}{foreign}{words[place:]}。", [source], source.text)


def test_a_source_of_which_something_is_lost_is_no_longer_one() -> None:
    claims = [claim("I have 37 coins."), claim("I have 12 stamps.", 2)]
    (line,) = checked([WrittenLine("The user has 37 coins.", [1, 2])], claims).lines
    assert (line.claim_ids, line.seqs) == (("c1",), (1,))
    assert checked([WrittenLine("The user has 37 coins and 12 stamps.", [1])], claims).lines == ()


@pytest.mark.parametrize("sources", [[], [0], [3], [1, 9]])
def test_a_line_that_names_no_source_or_one_that_is_not_there_is_refused(sources: list[int]) -> None:
    claims = [claim("I have 37 coins."), claim("I have 12 stamps.", 2)]
    found = checked([WrittenLine("The user has 37 coins.", sources)], claims)
    assert (found.lines, found.refused) == ((), 1)
