"""Judge prompts of a benchmark's publisher, read from the user's own copy and used word for word."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from everyword.errors import InvalidInputError
from everyword.evals.judge_rules import RULES, Rule

_RULE_OF: Mapping[str, Rule] = {
    **{rule: rule for rule in RULES},
    "single-session-user": "default",
    "single-session-assistant": "default",
    "multi-session": "default",
    "temporal-reasoning": "temporal",
    "knowledge-update": "update",
    "single-session-preference": "preference",
}
Templates = Mapping[Rule, str]


def load(path: Path) -> Templates:
    """Read templates, one a rule. Raise InvalidInputError.

    A `.json` file maps names (default, temporal, update, preference, abstention, or LongMemEval's question types) to
    templates; of a `.py` file, LongMemEval's `evaluate_qa.py`, the strings are read and nothing is run. Each has three
    places, `{}` or `{question}`, `{answer}`, `{response}`.
    """
    try:
        text = path.read_text("utf-8")
        named = dict(_of_program(ast.parse(text))) if path.suffix == ".py" else _of_document(json.loads(text))
    except (OSError, ValueError, TypeError, SyntaxError) as error:
        raise InvalidInputError(f"{path} cannot be read as judge templates: {error}.") from error
    if absent := [rule for rule in RULES if rule not in named]:
        raise InvalidInputError(f"{path} has no judge template for {', '.join(absent)}.")
    for rule, template in named.items():
        _check(template, rule, path)
    return named


def filled(template: str, *, question: str, answer: str, response: str) -> str:
    """Return the prompt; what is filled in is never taken for a place itself."""
    return template.format(question, answer, response, question=question, answer=answer, response=response)


def _of_document(document: Any) -> dict[Rule, str]:
    if not isinstance(document, dict):
        raise TypeError("it should be an object of names and templates")
    named = cast("dict[str, Any]", document)
    if unknown := sorted(named.keys() - _RULE_OF.keys()):
        raise ValueError(f"no rule is called {', '.join(unknown)}")
    return {_RULE_OF[name]: str(template) for name, template in named.items()}


def _of_program(program: ast.Module) -> Iterator[tuple[Rule, str]]:
    """Yield the strings that are assigned under `if task == …`, and the one under the `else` of abstention."""
    for node in ast.walk(program):
        if not isinstance(node, ast.If):
            continue
        names = [each.value for each in ast.walk(node.test) if isinstance(each, ast.Constant)]
        rules: set[Rule] = {_RULE_OF[name] for name in names if isinstance(name, str) and name in _RULE_OF}
        for rule in rules:
            for text in _assigned(node.body):
                yield rule, text
        if isinstance(node.test, ast.UnaryOp) and "abstention" in ast.dump(node.test):
            for text in _assigned(node.orelse):
                yield "abstention", text


def _assigned(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        value = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def _check(template: str, rule: Rule, path: Path) -> None:
    marks = {"question": "\x00q", "answer": "\x00a", "response": "\x00r"}
    try:
        said = filled(template, **marks)
    except (LookupError, ValueError) as error:
        raise InvalidInputError(f"{path}: the template for {rule} has a place that is not known ({error}).") from error
    if absent := [name for name, mark in marks.items() if mark not in said]:
        raise InvalidInputError(f"{path}: the template for {rule} has no place for the {', '.join(absent)}.")
