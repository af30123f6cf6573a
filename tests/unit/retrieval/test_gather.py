from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from everyword.assembly import UserFile
from everyword.domain.message import Message
from everyword.domain.query import Query
from everyword.models.hash import HashEmbedder
from everyword.ports import Embedder, ModelIdentity
from everyword.retrieval.gather import gather
from everyword.retrieval.search import rank
from everyword.strategies.catalogue import STRATEGIES
from everyword.strategies.evidence import EVIDENCE
from everyword.testing.drafts import START, draft
from everyword.text.words import terms

Keep = Callable[..., list[Message]]
FILLERS = [draft(f"We talked about the weather in week {number}.", session_id=f"s{number}") for number in range(20)]


class SynonymEmbedder:
    """Knows a few meanings and nothing of letters: words of one meaning are equal, all others are unlike."""

    identity = ModelIdentity(name="synonyms", dimensions=64)
    meanings = (frozenset({"doctor", "physician"}), frozenset({"job", "occup"}), frozenset({"dog", "spaniel"}))

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.full((len(texts), 64), 0.01, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for number, words in enumerate(self.meanings):
                row[number] += len(words & set(terms(text)))
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_passages


def seqs(store: UserFile, question: str, strategy: str = "evidence", *, embedder: Embedder | None) -> list[int]:
    ranking = rank(store.index, Query(text=question), STRATEGIES[strategy].recipe, embedder=embedder)
    return [seq for each in ranking.candidates() for seq in each.seqs]


@pytest.mark.parametrize("strategy", ["evidence", "raw-fused", "bm25"])
def test_an_id_that_no_vector_knows_enters_by_its_words(store: UserFile, keep: Keep, strategy: str) -> None:
    blind = SynonymEmbedder()
    keep(*FILLERS, draft("The order is XK-40517-B.", session_id="x"), *FILLERS, embedder=blind)
    assert seqs(store, "Where is XK-40517-B?", strategy, embedder=blind)[0] == 21


@pytest.mark.parametrize("strategy", ["evidence", "raw-fused", "raw-semantic", "raw-rag"])
def test_a_paraphrase_without_a_common_word_enters_by_its_vector(store: UserFile, keep: Keep, strategy: str) -> None:
    knowing = SynonymEmbedder()
    keep(*FILLERS, draft("Her physician moved to Leeds.", session_id="x"), *FILLERS, embedder=knowing)
    assert seqs(store, "Who is the doctor?", strategy, embedder=knowing)[0] == 21


def test_words_alone_find_no_paraphrase(store: UserFile, keep: Keep) -> None:
    keep(*FILLERS, draft("She bends staves for a living."))
    assert seqs(store, "Who is the cooper?", embedder=None) == []


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Her physician moved to Leeds.", "Who is the doctor?"),
        ("We adopted a hamster.", "Which pets do I have?"),
        ("我們養了一隻鸚鵡。", "我有哪些宠物？"),
    ],
)
def test_words_alone_find_what_the_lexicon_joins(store: UserFile, keep: Keep, said: str, question: str) -> None:
    keep(*FILLERS, draft(said))
    assert seqs(store, question, embedder=None)[0] == 21
    assert seqs(store, question, "bm25", embedder=None) == []


def test_a_word_of_the_question_counts_more_than_its_relatives(store: UserFile, keep: Keep) -> None:
    keep(*FILLERS, draft("The hamster sleeps.", session_id="x"), *FILLERS, draft("The pet sleeps.", session_id="y"))
    assert seqs(store, "Where is the pet?", embedder=None)[:2] == [42, 21]


def test_a_number_is_found_in_a_message_of_another_script(store: UserFile, keep: Keep) -> None:
    hashed = HashEmbedder()
    chinese = [draft(f"第{number}週我們聊了天氣和花園。", minute=number) for number in range(30)]
    keep(*FILLERS, *chinese, draft("合約編號是 AB-20517。"), embedder=hashed)
    assert seqs(store, "What is contract AB-20517 about?", embedder=hashed)[0] == 51


def test_a_passage_without_a_vector_is_found_by_words_and_noted(store: UserFile, keep: Keep) -> None:
    hashed = HashEmbedder()
    keep(*FILLERS, embedder=hashed)
    keep(draft("The violin is in the attic.", session_id="x"))
    ranking = rank(store.index, Query(text="Where is the violin?"), EVIDENCE.recipe, embedder=hashed)
    assert next(ranking.candidates()).seqs == (21,)
    assert ranking.notes == ["1 passages have no vector yet: found by words only"]


def test_a_channel_that_cannot_run_leaves_a_note(store: UserFile, keep: Keep) -> None:
    keep(draft("The violin is in the attic."))
    found = gather(store.index, Query(text="violin"), EVIDENCE.recipe, HashEmbedder())
    assert list(found.scores) == ["lexical"]
    assert "words only" in found.notes[0]


def test_a_channel_says_nothing_of_what_is_not_asked_for(store: UserFile, keep: Keep) -> None:
    hashed = HashEmbedder()
    keep(draft("violin"), draft("violin", role="assistant"), draft("violin", session_id="s2"), embedder=hashed)
    query = Query(text="violin", roles=frozenset({"user"}), in_session="s1")
    found = gather(store.index, query, EVIDENCE.recipe, hashed)
    assert found.allowed.tolist() == [True, False, False]
    for scores in (*found.scores.values(), found.clauses):
        assert scores is not None
        assert np.isnan(scores).tolist() == [False, True, True]


def test_a_session_that_is_not_there_holds_nothing(store: UserFile, keep: Keep) -> None:
    keep(draft("violin"))
    ranking = rank(store.index, Query(text="violin", in_session="s9"), EVIDENCE.recipe)
    assert list(ranking.candidates()) == []


def test_bounds_of_time_are_exact_and_leave_out_what_has_no_date(store: UserFile, keep: Keep) -> None:
    tick = timedelta(microseconds=1)
    end = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    keep(*(draft("violin", created_at=at) for at in (START, START + tick, end, None)))
    after = gather(store.index, Query(text="violin", after=START + tick), EVIDENCE.recipe, None)
    before = gather(store.index, Query(text="violin", before=START), EVIDENCE.recipe, None)
    assert after.allowed.tolist() == [False, True, True, False]
    assert before.allowed.tolist() == [True, False, False, False]
    assert gather(store.index, Query(text="violin", before=end - tick), EVIDENCE.recipe, None).allowed.sum() == 2


def test_plain_bm25_does_not_find_a_message_by_its_speaker_alone(store: UserFile, keep: Keep) -> None:
    keep(draft("The violin is mine.", author="Ana"), draft("Hello.", author="Ben"), draft("Well.", author="Eve"))
    assert seqs(store, "What of Ben?", "bm25", embedder=None) == []
    assert seqs(store, "What of Ben?", "evidence", embedder=None)[0] == 2


def test_a_named_speaker_comes_first(store: UserFile, keep: Keep) -> None:
    keep(draft("I bought a violin.", author="Ana"), draft("I bought a violin.", author="Ben"))
    assert seqs(store, "What did Ben buy, a violin?", embedder=None)[0] == 2
    assert seqs(store, "What did Ana buy, a violin?", embedder=None)[0] == 1


def test_a_left_branch_stands_behind_the_kept_one(store: UserFile, keep: Keep) -> None:
    keep(draft("The violin is red.", branch="other"), draft("The violin is red."), *FILLERS)
    assert seqs(store, "Which colour has the violin?", embedder=None)[:2] == [2, 1]


def test_an_empty_memory_answers_nothing(store: UserFile) -> None:
    for strategy in STRATEGIES:
        assert seqs(store, "anything?", strategy, embedder=HashEmbedder()) == []
