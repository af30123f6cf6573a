"""The graph of one user: worked out of their claims each time, so that it holds nothing which they do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from everyword.claims import patterns
from everyword.claims.triples import Triple, is_role, possessed, relations
from everyword.domain.claim import SETTLED, Claim
from everyword.domain.graph import USER, Edge, Graph, Node
from everyword.text.words import fold, stem

_POSSESSED = re.compile(r"^(?P<owner>.+)'s (?P<role>[^']+)$")
_WORDS = re.compile(r"[^\W_]+")


def graph_of(claims: Iterable[Claim]) -> Graph:
    """Return who and what the claims name and how those are related; what was never right is not in it."""
    stated = [each for each in claims if _counts(each)]
    found = [(claim, triple) for claim in stated for triple in relations(claim.text, is_edge=claim.kind == "edge")]
    names = _names(found)
    edges = tuple(dict.fromkeys(_edge(claim, triple, names) for claim, triple in found))
    edges = tuple(edge for edge in edges if edge.subject != edge.object)
    roles = _roles(edges)
    there = dict.fromkeys(name for edge in edges for name in (edge.subject, edge.object))
    there |= dict.fromkeys(name for claim in stated for name in _unnamed(claim, names))
    nodes = (Node(name=name, roles=tuple(roles.get(name, ())), claim_ids=()) for name in there)
    said = [(claim.claim_id, fold(claim.text)) for claim in stated]
    return Graph(nodes=tuple(_with_claims(node, said, edges) for node in nodes), edges=edges)


def _counts(claim: Claim) -> bool:
    return claim.kind != "procedure" and claim.state in SETTLED and claim.trust == "stated" and not claim.is_corrected


def _names(found: Sequence[tuple[Claim, Triple]]) -> dict[str, str]:
    """Return one name for each: as it was written first; `user's sister` is whoever alone was named as that."""
    names: dict[str, str] = {}
    for _, triple in found:
        for each in (triple.subject, triple.object):
            names.setdefault(fold(each), each)
    called: dict[str, set[str]] = {}
    for claim, triple in found:
        role = possessed(triple.subject, triple.relation)
        if claim.is_open and triple.object != role:
            called.setdefault(fold(role), set()).add(names[fold(triple.object)])
    return names | {role: next(iter(who)) for role, who in called.items() if len(who) == 1}


def _edge(claim: Claim, triple: Triple, names: Mapping[str, str]) -> Edge:
    return Edge(
        subject=names[fold(triple.subject)],
        relation=triple.relation,
        object=names[fold(triple.object)],
        claim_id=claim.claim_id,
        message_ids=claim.message_ids,
        seq=claim.seq,
        said_at=claim.said_at,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        is_open=claim.is_open,
    )


def _roles(edges: Iterable[Edge]) -> dict[str, list[str]]:
    """Return what each is to others, as far as a relation is the name of a role."""
    found: dict[str, list[str]] = {}
    for edge in edges:
        if is_role(edge.relation):
            role = edge.relation if edge.subject == USER else possessed(edge.subject, edge.relation)
            if role not in found.setdefault(edge.object, []):
                found[edge.object].append(role)
    return found


def _unnamed(claim: Claim, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what has no name in a claim: a number of theirs, a cat."""
    said = fold(claim.text)
    if (found := patterns.ATTRIBUTE.search(said) or patterns.ATTRIBUTE_ZH.search(said)) is not None:
        yield _as_written(found, "slot" if found.groupdict().get("slot") else "own", claim.text)
    elif (relative := patterns.RELATIVE.search(said) or patterns.RELATIVE_ZH.search(said)) is not None:
        role = possessed(USER, _as_written(relative, "who", claim.text))
        yield names.get(fold(role), role)


def _as_written(found: re.Match[str], group: str, text: str) -> str:
    """Return a part of a folded text in its own script."""
    folded = found[group]
    return folded if folded.isascii() or len(found.string) != len(text) else text[slice(*found.span(group))]


def _with_claims(node: Node, said: Sequence[tuple[str, str]], edges: Sequence[Edge]) -> Node:
    own = {edge.claim_id for edge in edges if node.name in (edge.subject, edge.object)}
    name, roles = fold(node.name), _mine(node)
    named = (claim_id for claim_id, folded in said if claim_id in own or _is_about(node, name, roles, folded))
    return Node(name=node.name, roles=node.roles, claim_ids=tuple(named))


def _is_about(node: Node, name: str, roles: Sequence[str], folded: str) -> bool:
    """Tell whether a sentence names it, or the only one of the user's who has its role."""
    return node.name != USER and (_holds(folded, name) or any(_says_mine(folded, each) for each in roles))


def _mine(node: Node) -> list[str]:
    """Return what it is to the user."""
    roles = [fold(role) for role in node.roles if "'s " not in role]
    own = _POSSESSED.match(node.name)
    return [*roles, *([fold(own["role"])] if own is not None and own["owner"] == USER else [])]


def _says_mine(folded: str, role: str) -> bool:
    if role not in folded:
        return False
    if role.isascii():
        return bool(re.search(rf"\b(?:my|our) (?:\w+ )?{re.escape(role)}\b", folded))
    return bool(re.search(rf"我(?:们)?(?:家)?的?{re.escape(role)}", folded))


def _holds(folded: str, name: str) -> bool:
    """Tell whether a name stands in a text, as words of its own where its script has spaces."""
    if name not in folded or not name.isascii():
        return name in folded
    return bool(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", folded))


def named_in(question: str, found: Graph) -> list[Node]:
    """Return the nodes that a question names: by name, by role (`my sister`, `all my clients`), or else the user."""
    folded = fold(question)
    stems = {stem(word) for word in _WORDS.findall(folded)}
    by_name = [node for node in found.nodes if node.name != USER and _is_named(node, folded, stems)]
    owners = {node.name for node in by_name}
    by_role = [node for node in found.nodes if node not in by_name and _has_role(node, owners, folded, stems)]
    if by_name or by_role:
        return [*by_name, *by_role]
    asks_self = patterns.FIRST_PERSON.search(folded) is not None
    return [node for node in found.nodes if node.name == USER and asks_self]


def _is_named(node: Node, folded: str, stems: set[str]) -> bool:
    name = fold(node.name)
    if _POSSESSED.match(node.name):
        return False
    return _holds(folded, name) or (
        " " in name and name == node.name and {stem(word) for word in name.split()} <= stems
    )


def _has_role(node: Node, owners: set[str], folded: str, stems: set[str]) -> bool:
    """Tell whether a question names what somebody is to the user, or to another whom it names."""
    is_mine = patterns.FIRST_PERSON.search(folded) is not None
    if is_mine and any(_says_role(role, folded, stems) for role in _mine(node)):
        return True
    found = [each for role in (*node.roles, node.name) if (each := _POSSESSED.match(role)) is not None]
    return any(each["owner"] in owners and _says_role(fold(each["role"]), folded, stems) for each in found)


def _says_role(role: str, folded: str, stems: set[str]) -> bool:
    return stem(role) in stems if role.isascii() else role in folded
