from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from everyword.domain.message import Message
from everyword.errors import ModelError
from everyword.index import dense
from everyword.index.dense import Similarities
from everyword.index.embedding import centre
from everyword.index.index import Index
from everyword.log.sqlite.database import Database
from everyword.log.sqlite.log import SqliteLog
from everyword.models.hash import HashEmbedder
from everyword.testing.drafts import draft
from everyword.testing.word_embedder import WordEmbedder
from everyword.text.clauses import clauses

Add = Callable[..., list[Message]]
LONG = "The market was closed on Monday morning, so we walked to the harbour; later my brother Tim sold his old red bicycle to a neighbour."


def embed_all(index: Index, embedder: WordEmbedder) -> None:
    index.use(embedder)
    while index.embed(embedder, limit=4):
        pass


def similarities(index: Index, embedder: WordEmbedder, question: str) -> Similarities:
    found = index.similarities(embedder, question)
    assert found is not None
    return found


def nearest(index: Index, embedder: WordEmbedder, question: str) -> int:
    found = similarities(index, embedder, question)
    return int(found.passage_ids[found.clauses.argmax()])


def test_new_passages_wait_until_they_are_embedded(index: Index, add: Add) -> None:
    words = WordEmbedder()
    add(draft("one apple"), draft("two pears"))
    assert index.pending() == index.waiting(words) == 2
    embed_all(index, words)
    assert index.pending() == index.waiting(words) == 0
    assert index.active() == words.identity
    add(draft("three plums"))
    assert index.pending() == 1
    assert index.verify() == []


def test_the_newest_are_embedded_first(index: Index, add: Add) -> None:
    words = WordEmbedder()
    add(*(draft(f"message number{n}") for n in range(10)))
    index.use(words)
    index.embed(words, limit=3)
    found = similarities(index, words, "number")
    assert sorted(found.passage_ids.tolist()) == [8, 9, 10]


def test_similarities_are_near_the_exact_ones(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=256)
    texts = [f"word{n} word{n + 1} word{n * 7 % 30}" for n in range(40)]
    add(*(draft(text) for text in texts))
    embed_all(index, words)
    found = similarities(index, words, texts[11])
    exact = words.embed_passages(texts) @ words.embed_queries([texts[11]])[0]
    by_passage = dict(zip(found.passage_ids.tolist(), found.passages.tolist(), strict=True))
    estimated = np.array([by_passage[place + 1] for place in range(40)])
    assert np.corrcoef(estimated, exact)[0, 1] > 0.95
    assert nearest(index, words, texts[11]) == 12


def test_the_cosine_around_the_centre_is_near_the_exact_one(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=256)
    texts = [f"We talked about thing{n} at the market and number{n} later." for n in range(30)]
    add(*(draft(text) for text in texts))
    embed_all(index, words)
    found = similarities(index, words, texts[11])
    middle = np.frombuffer(centre(words), dtype=np.float32)
    passages, asked = words.embed_passages(texts) - middle, words.embed_queries([texts[11]])[0] - middle
    exact = passages @ asked / np.linalg.norm(passages, axis=1)
    cosines = found.centred(1.0)[np.argsort(found.passage_ids)]
    assert cosines - cosines.mean() == pytest.approx(exact - exact.mean(), abs=0.1)
    assert np.corrcoef(cosines, exact)[0, 1] > 0.98


def test_an_aside_is_found_by_its_clause(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=256)
    add(draft(LONG), *(draft(f"the harbour and the market of town{n}") for n in range(30)))
    embed_all(index, words)
    assert nearest(index, words, "brother Tim sold bicycle") == 1


def test_clauses_are_chosen_by_their_signs_where_there_are_many(
    index: Index, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = WordEmbedder(dimensions=256)
    add(draft(LONG), *(draft(LONG.replace("Tim", f"name{n}").replace("bicycle", f"thing{n}")) for n in range(40)))
    embed_all(index, words)
    monkeypatch.setattr(dense, "CLAUSE_CANDIDATES", 10)
    assert nearest(index, words, "brother Tim sold his old red bicycle to a neighbour") == 1


def test_two_cores_find_what_one_finds(index: Index, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    words = WordEmbedder(dimensions=256)
    add(*(draft(LONG.replace("Tim", f"name{n}")) for n in range(20)))
    embed_all(index, words)
    monkeypatch.setattr(dense, "CLAUSE_CANDIDATES", 10)
    alone = index.similarities(words, "brother name7 sold")
    monkeypatch.setattr(dense, "_MANY", 1)
    together = index.similarities(words, "brother name7 sold")
    assert alone is not None
    assert together is not None
    assert together.passages.tolist() == alone.passages.tolist()
    assert together.clauses.tolist() == alone.clauses.tolist()


def test_the_clauses_of_a_passage_are_told_in_order_and_those_of_no_passage_are_none(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=256)
    add(draft("one apple"), draft(LONG), draft(LONG.replace("Tim", "Ida")))
    embed_all(index, words)
    spans = clauses(LONG)
    found = similarities(index, words, "brother Ida sold his bicycle")
    of_ida, of_nothing, of_one, of_tim = found.of_clauses(np.array([3, 99, 1, 2]))
    assert len(of_nothing) == len(of_one) == 0
    assert len(of_ida) == len(of_tim) == len(spans)
    assert "Tim" in LONG[slice(*spans[int(of_ida.argmax())])]
    assert of_ida.max() > of_tim.max()


def test_many_small_writes_give_the_same_answer_as_one(
    database: Database, log: SqliteLog, index: Index, add: Add
) -> None:
    words = WordEmbedder()
    for n in range(30):
        add(draft(f"message number{n}, about the harbour and the market of town{n % 5}"))
        embed_all(index, words)
        index.similarities(words, "number")
    grown, fresh = (
        index.similarities(words, "number7 harbour"),
        Index(database, log).similarities(words, "number7 harbour"),
    )
    assert grown is not None
    assert fresh is not None
    assert grown.passage_ids.tolist() == fresh.passage_ids.tolist()
    assert np.allclose(grown.clauses, fresh.clauses)


def test_another_model_takes_over_when_it_is_complete_and_the_old_vectors_go(
    index: Index, database: Database, add: Add
) -> None:
    old, new = WordEmbedder("old", 64), WordEmbedder("new", 33)
    add(*(draft(f"message number{n}") for n in range(6)))
    embed_all(index, old)
    index.use(new)
    index.embed(new, limit=4)
    add(draft("written in between"))
    assert index.active() == old.identity
    assert index.similarities(new, "number") is None
    assert nearest(index, old, "number3") == 4
    embed_all(index, new)
    assert index.active() == new.identity
    assert index.similarities(old, "number") is None
    assert nearest(index, new, "written between") == 7
    with database.reading() as connection:
        assert connection.execute("SELECT count(DISTINCT model), count(*) FROM vector").fetchone() == (1, 7)
    assert index.verify() == []


def test_a_model_takes_over_when_the_last_that_waited_was_erased(index: Index, add: Add) -> None:
    old, new = WordEmbedder("old"), WordEmbedder("new")
    add(draft("one"), draft("two"))
    embed_all(index, old)
    index.use(new)
    index.embed(new, limit=1)
    index.erase([1])
    embed_all(index, new)
    assert index.active() == new.identity


def test_a_model_takes_over_in_an_empty_memory(index: Index, add: Add) -> None:
    old, new = WordEmbedder("old"), WordEmbedder("new")
    add(draft("one"))
    embed_all(index, old)
    index.erase([1])
    embed_all(index, new)
    assert index.active() == new.identity


class ForgetsMeanwhile(WordEmbedder):
    """An embedder during whose work something else happens."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens: Callable[[], object] | None = happens

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        happens, self._happens = self._happens, None
        if happens and "secret words" in texts:
            happens()
        elif happens:
            self._happens = happens
        return super().embed_passages(texts)


def test_no_vector_is_kept_of_what_was_erased_meanwhile(
    index: Index, log: SqliteLog, database: Database, add: Add
) -> None:
    def forget_and_write() -> None:
        with database.transaction():
            index.erase([2])
            log.erase([2])
        add(draft("other thing"))

    slow = ForgetsMeanwhile(forget_and_write)
    add(draft("first"), draft("secret words"))
    embed_all(index, slow)
    assert index.verify() == []
    assert index.stats().vectors == 2
    found = similarities(index, slow, "other thing")
    assert dict(zip(found.passage_ids.tolist(), found.passages.tolist(), strict=True))[2] > 0.8


def test_a_rebuild_meanwhile_leaves_a_sound_index(index: Index, add: Add) -> None:
    slow = ForgetsMeanwhile(index.rebuild)
    add(draft("first"), draft("secret words"))
    embed_all(index, slow)
    assert index.verify() == []
    assert index.pending() == 0


def test_a_passage_without_its_message_does_not_wait_for_ever(index: Index, database: Database, add: Add) -> None:
    add(draft("one"), draft("two"))
    with database.transaction() as connection:
        connection.execute("DELETE FROM message WHERE seq = 2")
    embed_all(index, WordEmbedder())
    assert index.pending() == 0


class Wrong(WordEmbedder):
    """An embedder that says one number of dimensions and gives another, or no numbers."""

    def __init__(self, vectors: float, columns: int) -> None:
        super().__init__()
        self._value, self._columns = vectors, columns

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.full((len(texts), self._columns), self._value, dtype=np.float32)


@pytest.mark.parametrize("value, columns", [(0.1, 63), (0.1, 65), (float("nan"), 64)])
def test_vectors_that_are_not_what_the_model_says_are_refused(
    index: Index, add: Add, value: float, columns: int
) -> None:
    add(draft("one"))
    with pytest.raises(ModelError, match="words"):
        embed_all(index, Wrong(value, columns))
    assert index.stats().vectors == 0
    assert index.pending() == 1


def test_messages_without_words_have_vectors_too(index: Index, add: Add) -> None:
    words = WordEmbedder()
    add(draft(""), draft(" \n"), draft("🎂"), draft("\x00"), draft("。" * 3000))
    embed_all(index, words)
    assert index.pending() == 0
    assert index.verify() == []


def test_another_process_that_erases_or_swaps_is_noticed(index: Index, database: Database, add: Add) -> None:
    old, new = WordEmbedder("old"), WordEmbedder("new")
    add(*(draft(f"message number{n}") for n in range(5)))
    embed_all(index, old)
    assert nearest(index, old, "number4") == 5
    other_database = Database(database.path)
    other = Index(other_database, SqliteLog(other_database))
    other.erase([5])
    assert len(index.corpus()) == 4
    assert nearest(index, old, "number1") == 2
    embed_all(other, new)
    assert index.similarities(old, "number1") is None
    assert nearest(index, new, "number1") == 2
    other_database.close()


# ---- the tokens of a question ----


def in_words(passage: str, tokens: Sequence[npt.NDArray[np.float32]], model: WordEmbedder) -> float:
    """Return the mean over the tokens of the nearest clause, in the two clauses in a row where that is most."""
    apart = model.embed_passages(parts(passage)) - np.frombuffer(centre(model), dtype=np.float32)
    signs = np.where(apart > 0, 1, -1)
    directions = [[float(sign) / len(row) ** 0.5 for sign in row] for row in signs]
    near = [[sum(a * b for a, b in zip(token, row, strict=True)) for row in directions] for token in tokens]
    starts = range(max(1, len(directions) - 1))
    return max(sum(max(each[start : start + 2]) for each in near) / len(near) for start in starts)


def parts(passage: str) -> list[str]:
    return [passage[start:stop].strip() for start, stop in clauses(passage)]


def test_a_passage_is_as_near_as_its_best_two_clauses_are_to_the_tokens(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=96)
    texts = [
        "Tim has a bicycle. It is not for sale; he rides it every day. The neighbour has a car.",
        LONG,
        "The harbour was closed on Monday morning, and we sold fish at the market.",
    ]
    assert [len(parts(text)) > 1 for text in texts] == [True, True, True]
    add(*map(draft, texts))
    embed_all(index, words)
    found = similarities(index, words, "Who sold the old bicycle of my brother?")
    measured = found.by_tokens(np.array([3, 1, 2]))
    assert measured is not None
    exact = [in_words(text, list(found.question.tokens), words) for text in (texts[2], texts[0], texts[1])]
    assert measured.tolist() == pytest.approx(exact, abs=1e-5)


def test_a_passage_has_the_same_nearness_in_any_company_and_in_any_block(
    index: Index, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "_BLOCK", 4)
    words = WordEmbedder(dimensions=256)
    for n in range(8):
        add(
            draft(LONG.replace("Tim", f"name{n}")), draft(f"one clause of number{n}"), draft(f"harbour{n}, then market")
        )
        embed_all(index, words)
    found = similarities(index, words, "Whose old red bicycle did name3 sell at harbour2?")
    ids = np.array([20, 3, 11, 1, 24, 2, 10])
    together, alone = found.by_tokens(ids), [found.by_tokens(np.array([each])) for each in ids]
    assert together is not None
    assert together.tolist() == pytest.approx([float(each[0]) for each in alone if each is not None])


def test_a_passage_without_a_vector_has_no_nearness(index: Index, add: Add) -> None:
    words = WordEmbedder()
    add(draft(LONG), draft("an old bicycle"))
    embed_all(index, words)
    add(draft("a new bicycle"))
    found = similarities(index, words, "Which bicycle?")
    measured = found.by_tokens(np.array([1, 3, 2, 99]))
    assert measured is not None
    assert np.isnan(measured).tolist() == [False, True, False, True]


def test_passages_cover_a_token_as_well_as_the_best_of_them_does(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=256)
    add(draft("an old bicycle"), draft(LONG), draft("the harbour was closed"))
    embed_all(index, words)
    found = similarities(index, words, "Whose bicycle was at the harbour?")
    alone = [found.coverage(np.array([each])) for each in (1, 2, 3)]
    together = found.coverage(np.array([3, 1, 99, 2]))
    assert together is not None
    assert together.tolist() == pytest.approx(np.max([each for each in alone if each is not None], axis=0).tolist())
    assert found.coverage(np.array([99])) is None


def test_a_token_that_a_passage_has_is_covered_and_another_is_not(index: Index, add: Add) -> None:
    words = WordEmbedder(dimensions=1024)
    add(draft("a bicycle"), draft("a harbour"))
    embed_all(index, words)
    covered = similarities(index, words, "bicycle harbour").coverage(np.array([1]))
    assert covered is not None
    bicycle, harbour = covered.tolist()
    assert bicycle > 0.25
    assert harbour < 0.1


def test_a_model_that_does_not_tell_tokens_apart_says_nothing_of_them(index: Index, add: Add) -> None:
    words = HashEmbedder(64)
    add(draft(LONG))
    index.use(words)
    index.embed(words)
    found = similarities(index, words, "Which bicycle?")
    assert found.by_tokens(np.array([1])) is None
    assert found.coverage(np.array([1])) is None
