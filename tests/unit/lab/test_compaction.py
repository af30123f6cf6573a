from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from everyword.errors import InvalidInputError, ProviderError
from everyword.lab.compaction import Summarised, compact, within
from everyword.lab.conversation import Conversation
from everyword.lab.engine import OVERHEAD, Settings, requests
from everyword.lab.summarisers import ExtractiveSummariser, ModelSummariser
from everyword.ports import Usage
from everyword.testing.scripted_model import ScriptedModel
from everyword.testing.scripted_replies import ScriptedReply
from everyword.text.tokens import WordsCounter

COUNT = WordsCounter().count


@dataclass
class Verbatim:
    """Keeps what it is asked to remember, and says how often it was asked."""

    remembered: tuple[str, ...] = ()
    name: str = "verbatim"
    asked: list[tuple[str, int]] = field(default_factory=list)

    def summarise(self, text: str, budget: int) -> Summarised:
        self.asked.append((text, budget))
        kept = "。".join(word for word in self.remembered if word in text)
        return Summarised(text=kept, usage=Usage(input_tokens=COUNT(text), output_tokens=COUNT(kept)))


def _settings(**changes: object) -> Settings:
    return Settings(**{"strategy": "summary", "window": 8192, "ratio": 0.1, **changes})  # pyright: ignore[reportArgumentType]


def test_sentences_chosen_without_a_model_lose_facts_and_that_is_reported(talk: Conversation) -> None:
    found = compact(talk, _settings(window=16_384, ratio=0.3), ExtractiveSummariser())
    assert 0 < found.recall < 1
    lost = [label for each in found.compactions for label in each.lost]
    assert len(lost) >= 6 - len(found.kept)
    assert all(each.tokens <= each.budget for each in found.compactions)


def test_a_summary_that_keeps_every_key_word_loses_nothing(talk: Conversation) -> None:
    keys = tuple(key for fact in talk.facts for key in fact.keys)
    found = compact(talk, _settings(), Verbatim(keys))
    assert found.recall == 1
    assert not [each for each in found.compactions if each.lost]


def test_a_fact_is_reported_as_lost_by_the_summary_that_lost_it(talk: Conversation) -> None:
    found = compact(
        talk, _settings(), Verbatim(("20817364", "6800", "青禾路。218", "218", "青禾路", "甲殼類", "香菜", "三聯式"))
    )
    losses = [(each.turn, each.lost) for each in found.compactions if each.lost]
    assert [lost for _, lost in losses] == [("姓名",)]
    assert losses[0][0] == 20


def test_each_summary_is_made_of_the_one_before_and_what_joins_it(talk: Conversation) -> None:
    summariser = Verbatim(("沈以寧",))
    compact(talk, _settings(turns=30), summariser)
    (first, _), (second, _) = summariser.asked[:2]
    assert first.startswith("user: 你好，我叫沈以寧")
    assert second.startswith("沈以寧\n")
    assert talk.messages[0].text not in second


def test_the_place_of_the_first_cut_is_the_one_of_the_ideal_summary(talk: Conversation) -> None:
    found = compact(talk, _settings(), ExtractiveSummariser())
    ideal = requests(talk, _settings())
    first = next(each for each in found.turns if each.budget is not None)
    assert first.first == ideal[first.turn - 1].first
    assert first.budget == ideal[first.turn - 1].summary


def test_no_request_is_larger_than_the_window_and_its_tokens_are_those_of_its_words(talk: Conversation) -> None:
    found = compact(talk, _settings(), ExtractiveSummariser())
    for each in found.turns:
        end = talk.ends[each.turn]
        assert each.tokens == OVERHEAD + COUNT(each.summary) + talk.sums[end] - talk.sums[each.first] <= 8192


def test_room_left_after_a_summary_makes_summaries_rare(talk: Conversation) -> None:
    full = compact(talk, _settings(), ExtractiveSummariser())
    half = compact(talk, _settings(), ExtractiveSummariser(), compact_to=0.5)
    assert len(half.compactions) < len(full.compactions) / 4
    assert half.document()["cumulativeTokens"] < full.document()["cumulativeTokens"]


def test_pinned_facts_survive_any_summary(talk: Conversation) -> None:
    assert compact(talk, _settings(pinned=True), Verbatim()).recall == 1


def test_where_even_the_summary_does_not_fit_recall_is_nothing(talk_of: Callable[..., Conversation]) -> None:
    talk = talk_of(100, 100, facts=(1,))
    found = compact(talk, _settings(window=200, ratio=0.5, turns=1), Verbatim((talk.messages[0].text[:40],)))
    assert found.turns[-1].summary
    assert found.overflow
    assert found.recall == 0


def test_a_summary_longer_than_asked_is_cut_at_a_sentence() -> None:
    assert within("第一句話。第二句話。第三句話。", 10) == "第一句話。第二句話。"
    assert within("一二三四五六七八九十十一", 5) == ""


@pytest.mark.parametrize("share", [0.0, 1.5])
def test_a_share_that_is_none_is_refused(talk: Conversation, share: float) -> None:
    with pytest.raises(InvalidInputError, match="compact_to"):
        compact(talk, _settings(), Verbatim(), compact_to=share)


# ---- a language model ----


def test_a_model_is_asked_for_a_summary_and_its_tokens_are_told(talk: Conversation) -> None:
    model = ScriptedModel().otherwise("客人沈以寧，訂單 HR-20817364。")
    found = compact(talk, _settings(turns=25), ModelSummariser(model))
    assert [fact.label for fact in found.kept][:2] == ["姓名", "訂單編號"]
    assert found.document()["summariserTokens"] > 3000
    assert found.summariser == "scripted"
    asked = model.requests[0]
    assert talk.messages[0].text in asked.last
    assert asked.body["max_tokens"] >= 2 * found.compactions[0].budget
    assert asked.body["purpose"] == "lab summary"


@pytest.mark.parametrize("reply", [ScriptedReply(refusal="no"), ScriptedReply(text="  ")])
def test_a_model_that_makes_no_summary_ends_the_measurement(talk: Conversation, reply: ScriptedReply) -> None:
    with pytest.raises(ProviderError, match="no summary"):
        compact(talk, _settings(turns=25), ModelSummariser(ScriptedModel(reply)))


# ---- sentences without a model ----


def test_what_is_said_often_stays_and_what_is_said_once_goes() -> None:
    text = "user: 蒸烤箱的蒸氣很穩。蒸烤箱的溫度也很穩。\nassistant: 我家的鸚鵡叫做咕咕。蒸烤箱的蒸氣與溫度都很穩。"
    kept = ExtractiveSummariser().summarise(text, 40).text
    assert kept.count("蒸烤箱") == 3
    assert "鸚鵡" not in kept


def test_sentences_keep_their_order_and_no_word_is_new() -> None:
    text = "One cat sat. Two cats sat on a mat. Three dogs ran. The cat and the cats sat."
    kept = ExtractiveSummariser().summarise(text, 14).text.split("\n")
    assert sorted(kept, key=text.index) == kept
    assert all(sentence in text for sentence in kept)


def test_an_empty_text_makes_an_empty_summary() -> None:
    assert ExtractiveSummariser().summarise("", 100).text == ""
