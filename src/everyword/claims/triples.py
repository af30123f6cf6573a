"""Relations in a sentence, by how English and Chinese say them: subject, relation, object, each in the user's words.

Strict on purpose: what no pattern knows is no relation. `edge` claims of a language model are read more freely, since the
model has said that two named things are related there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from everyword.domain.graph import USER
from everyword.text.expression import expression

_ROLE = (
    "(?:cat|dog|pet|puppy|kitten|parrot|hamster|rabbit|horse|wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|"
    "kid|child|baby|mother|father|mom|mum|dad|sister|brother|twin|uncle|aunt|cousin|nephew|niece|grandmother|grandma|"
    "grandfather|grandpa|grandson|granddaughter|friend|flatmate|roommate|neighbou?r|boss|manager|mentor|colleague|coworker|"
    "assistant|landlord|client|customer|teacher|student|coach|doctor|dentist|therapist|owner|employer|company|team|car|bike|"
    "boat|horse|school|project|supplier|lawyer|accountant)"
)
_ADJECTIVE = "(?:(?:older|younger|little|big|best|new|old|eldest|youngest|twin|former|ex) )?"
_NAME = (
    r"(?!(?:I|My|Our|He|She|It|We|They|You|Your|The|This|That|There|What|Who|Where|When|If|And|But|So|Then)\b)"
    r"[A-Z][\w’'.-]*?(?: [A-Z][\w-]*){0,2}"
)
_PLACE = r"(?:(?:the|a|an) )?(?:[A-Z][\w’-]*|[a-z]+(?= of [A-Z]))(?:(?: (?:of|de|the|and|at|&))? [A-Z][\w’-]*){0,4}"
_VERB = (
    r"(?:(?:now |currently |still |also )?(?:lives (?:in|at|near|with)|lived in|moved to|comes from|is from|"
    r"works (?:at|for|in|with)|worked (?:at|for)|"
    r"studies (?:at|in|with)?|goes to|owns|manages|leads|runs|teaches|mentors|supervises|reports to|belongs to|is married to|"
    r"married|is engaged to|is dating|plays for|volunteers at|is part of|is in|has moved to))"
)
_MINE = r"\b[Mm]y|\b[Oo]ur"

_ZH_ROLE = (
    "(?:貓|猫|狗|寵物|宠物|鸚鵡|鹦鹉|倉鼠|仓鼠|兔子|太太|老婆|先生|老公|丈夫|妻子|女朋友|男朋友|兒子|儿子|女兒|女儿|孩子|媽媽|妈妈|爸爸|母親|母亲|父親|父亲|"
    "姐姐|姊姊|妹妹|哥哥|弟弟|爺爺|爷爷|奶奶|外公|外婆|表哥|表妹|堂哥|阿姨|叔叔|朋友|室友|同事|老闆|老板|主管|客戶|客户|老師|老师|學生|学生|醫生|医生|牙醫|牙医|公司|主人)"
)
_ZH_NAME = (
    r"(?:(?!我|你|您|妳|他|她|它|這|这|那|誰|谁|什|哪|是|的|叫|都|也|不|一|有)[\u3400-\u9fff·]){2,4}?|[A-Z][\w-]*"
)
_ZH_PLACE = r"(?:(?!我|你|他|她|了|的|嗎|吗|呢)[\u3400-\u9fffA-Za-z0-9]){1,10}?"
_ZH_WHEN = "(?:現在|现在|目前|已經|已经|剛|刚|也|還|还|都|一直)?"
_ZH_END = r"(?=[。，！；,.!;、\s]|了|$)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """One relation; the user is `user`, somebody of theirs without a name `user's sister`."""

    subject: str
    relation: str
    object: str


_Reader = Callable[[re.Match[str]], Iterator[Triple]]


def possessed(owner: str, role: str) -> str:
    """Return what somebody is called of whom only the role is known."""
    return f"{owner}'s {role}"


def _named(found: re.Match[str]) -> Iterator[Triple]:
    """Read `my sister Mia lives in Lisbon`, `Mia's dog is called Rex`, with or without the name and what follows."""
    groups = found.groupdict()
    owner, role, name = _bare(groups.get("owner")) or USER, groups["role"], _bare(groups.get("name"))
    who = name or possessed(owner, role)
    yield Triple(subject=owner, relation=role, object=who)
    if groups.get("verb") and groups.get("object"):
        yield Triple(subject=who, relation=" ".join(groups["verb"].split()), object=_bare(groups["object"]))


def _is_somebodys(found: re.Match[str]) -> Iterator[Triple]:
    """Read `Rex is Mia's dog`."""
    owner = _bare(found.groupdict().get("owner")) or USER
    yield Triple(subject=owner, relation=found["role"], object=_bare(found["name"]))


def _plain(found: re.Match[str]) -> Iterator[Triple]:
    """Read `Mia lives in Lisbon`; without a subject it is the user."""
    subject = _bare(found.groupdict().get("name")) or USER
    yield Triple(subject=subject, relation=_third(found["verb"]), object=_bare(found["object"]))


def _works(found: re.Match[str]) -> Iterator[Triple]:
    """Read `小美在台積電上班`, whose verb stands around the object."""
    groups = found.groupdict()
    subject = _bare(groups.get("name"))
    if groups.get("role"):
        owner = _bare(groups.get("owner")) or USER
        subject = subject or possessed(owner, groups["role"])
        yield Triple(subject=owner, relation=groups["role"], object=subject)
    yield Triple(subject=subject or USER, relation=found["verb"], object=_bare(found["object"]))


def _third(verb: str) -> str:
    """Return the verb of the first person as it is said of others, so that one relation has one name."""
    words = " ".join(verb.split())
    return _OF_OTHERS.get(words, words)


_OF_OTHERS = {"live in": "lives in", "work at": "works at", "work for": "works for", "work in": "works in"}

_ALWAYS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (
        expression(
            rf"(?:{_MINE}) {_ADJECTIVE}(?P<role>{_ROLE})(?:,)? (?P<name>{_NAME}),?"
            rf"(?: (?P<verb>{_VERB}) (?P<object>{_PLACE}))?(?=[\s.,!;]|$)"
        ),
        _named,
    ),
    (
        expression(
            rf"(?:{_MINE}) {_ADJECTIVE}(?P<role>{_ROLE})(?:'s|’s)? (?:name )?is (?:called |named )?(?P<name>{_NAME})(?=[\s.,!;]|$)"
        ),
        _named,
    ),
    (expression(rf"(?:{_MINE}) {_ADJECTIVE}(?P<role>{_ROLE}) (?P<verb>{_VERB}) (?P<object>{_PLACE})"), _named),
    (
        expression(
            rf"\b(?:I|[Ww]e)(?:'ve|’ve)? (?:have|got|adopted|own) an? (?:\w+ )?(?P<role>{_ROLE}) "
            rf"(?:called|named) (?P<name>{_NAME})(?=[\s.,!;]|$)"
        ),
        _named,
    ),
    (
        expression(
            rf"\bI (?:now |currently |still )?(?P<verb>live in|moved to|work (?:at|for|in)|come from|study at) (?P<object>{_PLACE})"
        ),
        _plain,
    ),
    (expression(rf"^(?P<name>{_NAME}) is (?:my|our) {_ADJECTIVE}(?P<role>{_ROLE})\b"), _is_somebodys),
    (
        expression(
            rf"我(?:們|们)?(?:家)?(?:的)?(?P<role>{_ZH_ROLE})(?:名叫|叫做|叫|的名字(?:是|叫))(?P<name>{_ZH_NAME}){_ZH_END}"
        ),
        _named,
    ),
    (
        expression(
            rf"我(?:們|们)?(?:家)?(?:的)?(?P<role>{_ZH_ROLE})(?P<name>{_ZH_NAME})??{_ZH_WHEN}在(?P<object>{_ZH_PLACE})(?P<verb>工作|上班|任職|任职|教書|教书|讀書|读书)"
        ),
        _works,
    ),
    (
        expression(
            rf"我(?:們|们)?(?:家)?(?:的)?(?P<role>{_ZH_ROLE})(?P<name>{_ZH_NAME})??{_ZH_WHEN}(?P<verb>住在|住|搬到|搬去)(?P<object>{_ZH_PLACE}){_ZH_END}"
        ),
        _named,
    ),
    (expression(rf"^(?P<name>{_ZH_NAME})是我(?:們|们)?的?(?P<role>{_ZH_ROLE}){_ZH_END}"), _is_somebodys),
    (
        expression(rf"我{_ZH_WHEN}(?P<verb>住在|搬到|搬去)(?P<object>{_ZH_PLACE}){_ZH_END}"),
        _plain,
    ),
)
_OTHERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (
        expression(
            rf"^(?P<owner>{_NAME})['’]s {_ADJECTIVE}(?P<role>{_ROLE})(?:,)?(?: is (?:called |named )?| )(?P<name>{_NAME}),?"
            rf"(?: (?P<verb>{_VERB}) (?P<object>{_PLACE}))?(?=[\s.,!;]|$)"
        ),
        _named,
    ),
    (
        expression(rf"^(?P<owner>{_NAME})['’]s {_ADJECTIVE}(?P<role>{_ROLE}) (?P<verb>{_VERB}) (?P<object>{_PLACE})"),
        _named,
    ),
    (expression(rf"^(?P<name>{_NAME}) is (?P<owner>{_NAME})['’]s {_ADJECTIVE}(?P<role>{_ROLE})\b"), _is_somebodys),
    (expression(rf"^(?P<name>{_NAME}) (?P<verb>{_VERB}) (?P<object>{_PLACE})"), _plain),
    (expression(rf"^(?P<name>{_ZH_NAME})是(?P<owner>{_ZH_NAME})的(?P<role>{_ZH_ROLE}){_ZH_END}"), _is_somebodys),
    (
        expression(rf"^(?P<owner>{_ZH_NAME})的(?P<role>{_ZH_ROLE})(?:名叫|叫做|叫|是)(?P<name>{_ZH_NAME}){_ZH_END}"),
        _named,
    ),
    (
        expression(
            rf"^(?P<name>{_ZH_NAME}){_ZH_WHEN}在(?P<object>{_ZH_PLACE})(?P<verb>工作|上班|任職|任职|教書|教书|讀書|读书)"
        ),
        _works,
    ),
    (
        expression(
            rf"^(?P<name>{_ZH_NAME}){_ZH_WHEN}(?P<verb>住在|搬到|搬去|嫁給|嫁给)(?P<object>{_ZH_PLACE}){_ZH_END}"
        ),
        _plain,
    ),
)
_A_ROLE = expression(rf"{_ROLE}|{_ZH_ROLE}")
_ANY_TWO = expression(rf"(?P<name>{_NAME}) (?P<verb>(?:[a-z]+ ){{0,3}}[a-z]+) (?P<object>{_NAME})(?=[\s.,!;]|$)")


def relations(text: str, *, is_edge: bool = False) -> tuple[Triple, ...]:
    """Return the relations of a sentence; `is_edge`: it is known to relate two named things, in whatever words."""
    words = " ".join(text.split())
    found = [
        triple for pattern, read in (*_ALWAYS, *_OTHERS) for each in pattern.finditer(words) for triple in read(each)
    ]
    if not found and is_edge and (related := _ANY_TWO.search(words)) is not None:
        found = list(_plain(related))
    return tuple(dict.fromkeys(each for each in found if each.subject and each.object and each.subject != each.object))


def is_role(relation: str) -> bool:
    """Tell whether a relation is what somebody is to another: `sister`, `狗`."""
    return _A_ROLE.fullmatch(relation) is not None


def relates_others(text: str) -> bool:
    """Tell whether a sentence begins by relating two named things, neither of which is the user: `Rex is Mia's dog`."""
    words = " ".join(text.split())
    return any(pattern.search(words) for pattern, _ in _OTHERS)


def _bare(words: str | None) -> str:
    bare = (words or "").strip(" .,!;。，！；")
    return re.sub(r"['’]s$", "", bare)
