"""Conversation made up by rule, of any length and always the same: what `make bench` measures on.

What of real conversation it keeps, because it decides what an index costs: lengths of messages, word frequencies
(Zipf), words that come in topics, names, numbers, dates, commas, a tenth of it Chinese. What it has not: meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from everyword.text.tokens import EstimateCounter

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

VOCABULARY = 20_000
TOPICS = 200
CHINESE = 0.1
"""Share of the sessions."""
START = datetime(2024, 1, 2, 8, 0, tzinfo=UTC)
_ROLES = ("user", "assistant", "tool")
_USER, _ASSISTANT, _TOOL = (40, 90), (150, 640), (60, 400)
"""Tokens of a message, from and to."""
_TOOL_SHARE = 0.03
_TURNS = (3, 12)
_COUNTER = EstimateCounter()

FUNCTION_WORDS = (
    "the to and a of I you it in that is for my was on with this have be but not are so at as we they from or what if "
    "just me your can about would there when like an had do will all been more out up by one some them then how which "
    "he she his her our their also after could than did get very were who because over only into no has its most any "
    "really should other two before these where those still too even much may him us each here while both again since"
).split()
ROOTS = (
    "time work house street river garden kitchen market letter train ticket doctor teacher school report meeting paint "
    "window summer winter coffee dinner bread butter sugar pepper apple orange lemon grape melon carrot potato tomato "
    "garlic onion cheese honey flour oven plate spoon knife table chair lamp carpet mirror shelf drawer basket bucket "
    "hammer nail screw wrench ladder rope wire cable socket switch battery engine wheel brake mirror pedal bridge tunnel "
    "station harbor airport island beach forest desert valley mountain lake stream storm cloud rain snow wind frost sun "
    "moon star night morning evening week month year birthday wedding holiday party dance music guitar piano violin drum "
    "song movie book story poem novel paper pencil ink brush color shape circle square corner line point number letter "
    "word name voice sound noise silence light shadow fire smoke ash stone brick sand clay glass metal iron copper silver "
    "gold steel wood leaf branch root seed flower grass bush tree fruit animal dog cat horse cow sheep goat pig duck "
    "goose hen rabbit mouse bear wolf fox deer bird eagle owl crow fish shark whale crab snail spider bee ant fly worm "
    "snake frog turtle head face eye ear nose mouth tooth tongue neck shoulder arm hand finger chest back leg knee foot "
    "heart blood bone skin hair brain muscle fever cough pain sleep dream walk run jump swim climb ride drive fly sail "
    "push pull lift drop throw catch kick hit cut break build fix clean wash cook bake fry boil mix pour drink eat taste "
    "smell touch feel hear listen look watch see find lose keep give take bring send buy sell pay owe save spend count "
    "measure weigh test check mark draw write read speak talk ask answer call visit meet join leave stay wait start stop "
    "open close turn move change grow shrink rise fall begin end win fail try help hurt heal love hate like want need "
    "hope fear trust doubt think know learn teach train plan choose decide agree argue laugh cry smile shout whisper "
    "code file folder server client screen button menu link page form field list record query index cache token model "
    "test bug patch merge branch release version packet socket thread process memory disk cluster network router signal "
    "bank loan rent price cost tax budget invoice salary bonus stock bond fund trade market profit debt credit account "
    "court judge law rule right duty crime police guard prison trial proof claim contract union vote party state nation "
    "city town village county border army war peace king queen prince church temple priest prayer faith soul angel ghost "
    "team game match goal score race sport ball court field coach player fan prize medal record league season practice "
    "shirt coat dress skirt shoe boot sock hat glove scarf belt ring watch bag purse wallet key lock door gate wall roof "
    "floor stair room hall bed sofa desk phone radio camera film photo frame map globe flag clock bell box jar can cup"
).split()
_FORMS = (
    "{} {}s {}ing {}er re{} un{} {}ed {}less {}ful over{} out{} under{} {}able {}ness {}ship fore{} mis{} sub{} {}ward "
    "inter{} non{} pre{} {}like {}wise super{} semi{} anti{} {}ish {}hood counter{} {}some up{} {}craft half{} {}work "
    "cross{} {}land {}man {}maker side{} {}stone back{} {}side {}house mid{} {}keeper co{} {}way down{} {}line {}port"
).split()
NAMES = (
    "Alice Marcus Priya Tomas Yuki Elena Omar Grace Felix Nadia Hugo Mei Ravi Clara Jonas Leila Victor Ana Pavel Ruth "
    "Samuel Ingrid Diego Hannah Kenji Olga Peter Zara Liam Sofia Berlin Lisbon Osaka Denver Oslo Quito Taipei Nairobi"
).split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
CHINESE_FUNCTION = "的 了 是 我 你 在 有 也 就 都 要 會 和 他 這 那 很 不 到 去 說 給 把 還 想 跟 再 用 對 們".split()
CHINESE_CHARACTERS = (
    "天地山水火木金土日月星雲雨雪風電光石田家門窗桌椅書筆紙字文章畫歌音樂電影車船路橋站城市村街店飯菜肉魚蛋奶茶酒糖鹽油"
    "米麵果瓜花草樹林鳥狗貓馬牛羊豬雞頭眼耳口手足心身體病藥醫院學校老師生課試題班級工作公司錢銀行票價買賣租房屋樓室床"
    "衣服鞋帽紅黃藍綠白黑大小高低長短新舊快慢早晚前後左右東西南北中外上下年週時分秒春夏秋冬今明昨夜晨親友兄弟姐妹父母"
    "子女孩王李張陳林黃吳周走跑跳坐站看聽讀寫想記忘問答開關進出來回起落送收找換修洗煮吃喝睡醒笑哭愛恨怕信等見約定計畫"
)
_QUESTION_STARTS = (
    "When did I", "What did you say about", "Where was the", "How much did", "Which", "Did my", "What is my", "Who was",
)  # fmt: skip
_CHINESE_STARTS = ("我什麼時候", "你之前說的", "哪一個", "多少錢的", "是誰", "我的")
_WORD = re.compile(r"[A-Za-z]{4,}")
_SEPARATORS = (" ", ", ", ". ", "? ", ".\n", "", "，", "。", "？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of the made-up conversation."""

    role: str
    text: str
    session: str
    created_at: datetime
    tokens: int

    def as_message(self) -> dict[str, str]:
        """Return what `Memory.add` takes."""
        return {"role": self.role, "content": self.text, "created_at": self.created_at.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Words of one language by their frequency, and how they stand beside each other."""

    table: tuple[str, ...]
    """Function words, then content words, then names and numbers, then what begins a sentence in the same order."""
    function: int
    content: int
    function_share: float
    special_share: float
    topics: tuple[Ints, ...]
    """Places in `table` of the content words of each topic, most frequent first."""
    separators: tuple[int, int, int, int]
    """Places in _SEPARATORS of: nothing special, comma, end, question."""
    words_per_token: float

    @property
    def size(self) -> int:
        return len(self.table) // 2


def conversation(tokens: int, *, seed: int = 1) -> Iterator[Said]:
    """Yield messages of `tokens` tokens together, in sessions, in order of time."""
    random = np.random.default_rng(seed)
    at, left, number = START, tokens, 0
    while left > 0:
        language = languages()[int(random.random() < CHINESE)]
        roles, sizes = _plan(random, left)
        topic = int(random.integers(TOPICS))
        for role, text in zip(roles, _texts(random, language, topic, sizes), strict=True):
            at += timedelta(seconds=int(random.integers(20, 400)))
            said = Said(
                role=_ROLES[role], text=text, session=f"session-{number}", created_at=at, tokens=_COUNTER.count(text)
            )
            left -= said.tokens
            yield said
        at += timedelta(minutes=int(random.integers(30, 2000)))
        number += 1


def question(said: Said, random: np.random.Generator) -> str:
    """Return 6 to 12 words that ask for a message: some of its words, rare and common, and frequent ones."""
    count = int(random.integers(6, 13))
    known = _WORD.findall(said.text)
    if len(known) < count:
        return _chinese_question(said.text, random)
    ranks = ranks_of_words()
    known = list(dict.fromkeys(word.lower() for word in known if word.lower() in ranks))
    rare = sorted(known, key=lambda word: -ranks[word])[: max(1, len(known) // 4)]
    own = [*_some(random, rare, 1), *_some(random, known, count // 3)]
    start = str(random.choice(_QUESTION_STARTS)).split()
    filling = _some(random, FUNCTION_WORDS[:60] + ROOTS[:20], max(0, count - len(own) - len(start)))
    middle = [str(word) for word in random.permutation([*own, *filling])]
    return " ".join([*start, *middle]) + "?"


def topic_of(text: str) -> int:
    """Return the topic that most of a text's words belong to; one by its length where it has none."""
    topics = topics_of_words()
    pieces = (
        text.lower().replace(",", " ").replace(".", " ").split() if text.isascii() else map("".join, pairwise(text))
    )
    found = Counter(topics[piece] for piece in pieces if piece in topics)
    return found.most_common(1)[0][0] if found else len(text) % TOPICS


@cache
def languages() -> tuple[Language, Language]:
    """Return English and Chinese."""
    special = [*NAMES, *WEEKDAYS, *map(str, range(2, 800, 3)), *(f"${n}" for n in range(5, 900, 7))]
    special += [f"{month} {day}" for day, month in enumerate(MONTHS, 3)]
    english = _language(
        FUNCTION_WORDS, _english_words(), special, shares=(0.47, 0.03), separators=(0, 1, 2, 3), words_per_token=0.665
    )
    special = [*map(str, range(2, 400, 3)), *(f"{month}月{month + 2}日" for month in range(1, 13))]
    chinese = _language(
        CHINESE_FUNCTION, _chinese_words(), special, shares=(0.35, 0.02), separators=(5, 6, 7, 8), words_per_token=0.62
    )
    return english, chinese


@cache
def topics_of_words() -> dict[str, int]:
    """Return the topic of every content word."""
    return {
        language.table[place].lower(): topic
        for language in languages()
        for topic, places in enumerate(language.topics)
        for place in places.tolist()
    }


@cache
def ranks_of_words() -> dict[str, int]:
    """Return the place of every English content word in the order of frequency."""
    return {word: rank for rank, word in enumerate(_english_words())}


@cache
def _english_words() -> list[str]:
    """Return content words, most frequent first: plain words before those that are built of them."""
    return list(dict.fromkeys(form.format(root) for form in _FORMS for root in ROOTS))[:VOCABULARY]


@cache
def _chinese_words() -> list[str]:
    pairs = [first + second for first in CHINESE_CHARACTERS for second in CHINESE_CHARACTERS if first != second]
    order = np.random.default_rng(7).permutation(len(pairs))
    return list(dict.fromkeys(pairs[place] for place in order))[:VOCABULARY]


def _language(
    function: Sequence[str],
    content: Sequence[str],
    special: Sequence[str],
    *,
    shares: tuple[float, float],
    separators: tuple[int, int, int, int],
    words_per_token: float,
) -> Language:
    table = [*function, *content, *special]
    places = np.random.default_rng(11).permutation(len(content)) + len(function)
    return Language(
        table=(*table, *(word[:1].upper() + word[1:] for word in table)),
        function=len(function),
        content=len(content),
        function_share=shares[0],
        special_share=shares[1],
        topics=tuple(np.sort(part) for part in np.array_split(places, TOPICS)),
        separators=separators,
        words_per_token=words_per_token,
    )


def _plan(random: np.random.Generator, left: int) -> tuple[list[int], list[int]]:
    """Return the roles and the tokens of the messages of one session, not more than are left."""
    roles: list[int] = []
    sizes: list[int] = []
    for _ in range(int(random.integers(_TURNS[0], _TURNS[1] + 1))):
        turn = (0, 2, 1) if random.random() < _TOOL_SHARE * 2 else (0, 1)
        for role in turn:
            size = min(int(random.integers(*(_USER, _ASSISTANT, _TOOL)[role])), left)
            if size > 0:
                roles.append(role)
                sizes.append(size)
            left -= size
    return roles, sizes


def _texts(random: np.random.Generator, language: Language, topic: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield texts of about these sizes, in tokens."""
    lengths = np.maximum(1, np.round(np.array(sizes) * language.words_per_token)).astype(np.int64)
    ends = np.cumsum(lengths)
    words = _words(random, language, topic, int(ends[-1]))
    separators = _separators(random, language, ends)
    begins = np.concatenate([[True], np.isin(separators[:-1], language.separators[2:])])
    begins[ends[:-1]] = True
    words += np.where(begins, language.size, 0)
    pieces = [
        language.table[word] + _SEPARATORS[mark] for word, mark in zip(words.tolist(), separators.tolist(), strict=True)
    ]
    for start, end in pairwise([0, *ends.tolist()]):
        yield "".join(pieces[start:end]).rstrip()


def _words(random: np.random.Generator, language: Language, topic: int, count: int) -> Ints:
    """Return places in the table: function words, words of the topic, words of all topics, names and numbers."""
    kind = random.random(count)
    position = random.random(count)
    content = language.function + _drawn(position, language.content, 10.0)
    of_topic = language.topics[topic][_drawn(position, len(language.topics[topic]), 2.0)]
    words = np.where(random.random(count) < 0.6, of_topic, content)
    words = np.where(kind < language.function_share, _drawn(position, language.function, 2.0), words)
    first, last = language.function + language.content, language.size
    special = first + (position * (last - first)).astype(np.int64)
    return np.where(kind > 1.0 - language.special_share, special, words)


def _drawn(position: Floats, count: int, shift: float) -> Ints:
    """Return ranks from 0 whose frequency falls as 1 / (rank + shift), from uniform numbers."""
    return np.searchsorted(_zipf(count, shift), position)


@cache
def _zipf(count: int, shift: float) -> Floats:
    weights = 1.0 / (np.arange(count) + shift)
    return np.cumsum(weights / weights.sum())[:-1]


def _separators(random: np.random.Generator, language: Language, ends: Ints) -> Ints:
    """Return what follows each word; a message ends with a full stop."""
    nothing, comma, end, asks = language.separators
    chance = random.random(int(ends[-1]))
    marks = np.full(len(chance), nothing)
    marks[chance < 0.165] = comma
    marks[chance < 0.085] = end
    marks[chance < 0.008] = asks
    marks[ends - 1] = end
    return marks


def _some(random: np.random.Generator, words: Sequence[str], count: int) -> list[str]:
    """Return a few of the words, each at most once."""
    return [words[place] for place in random.permutation(len(words))[:count]]


def _chinese_question(text: str, random: np.random.Generator) -> str:
    start = int(random.integers(max(1, len(text) - 8)))
    other = int(random.integers(max(1, len(text) - 4)))
    picked = re.sub(r"[\W\d]", "", text[start : start + 8] + text[other : other + 4])
    return f"{random.choice(_CHINESE_STARTS)}{picked}？"
