"""Whether an answer is right: by a language model under written rules, or by rules alone where there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from everyword.errors import AccessRefusedError, ProviderError, ReplyError
from everyword.evals.dataset import Question
from everyword.evals.judge_rules import Rule, prompt, reference, rules_of
from everyword.evals.judge_templates import Templates, filled
from everyword.evals.no_record import says_no_record
from everyword.evals.stub_judge import stub_verdict
from everyword.ports import LanguageModel, Reply, Usage

PURPOSE = "judge"
VERDICT_TOKENS = 400
TEMPLATE_TOKENS = 10
"""What LongMemEval allows for its one word."""

_NO = re.compile(r"\bno\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge replies."""

    why: str
    verdict: Literal["yes", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge found, or why it found nothing."""

    correct: bool | None
    """None: there is no verdict."""
    rule: Rule
    why: str = ""
    failure: str | None = None
    usage: Usage = field(default_factory=Usage)
    calls: int = 0


def judge(
    question: Question,
    answer: str,
    model: LanguageModel | None = None,
    *,
    templates: Templates | None = None,
    max_tokens: int | None = None,
) -> Verdict:
    """Return the verdict on an answer; without a model, that of the stub.

    A reply that is refused or cannot be read is recorded in the verdict. Raise SpendingLimitError, ModelMissingError and
    AccessRefusedError, which no other question would fare better with.
    """
    rule = rules_of(question)[0]
    if model is None:
        return _by_rules(question, answer, rule)
    try:
        if templates is not None:
            return _by_template(question, answer, model, templates[rule], rule, max_tokens or TEMPLATE_TOKENS)
        return _by_model(question, answer, model, rule, max_tokens or VERDICT_TOKENS)
    except AccessRefusedError:
        raise
    except ProviderError as error:
        spent = (
            error.reply if isinstance(error, ReplyError) and isinstance(error.reply, Reply) else Reply(text="", calls=0)
        )
        return Verdict(
            correct=None, rule=rule, why=str(error), failure=error.failure, usage=spent.usage, calls=spent.calls
        )


def _by_rules(question: Question, answer: str, rule: Rule) -> Verdict:
    if rule == "abstention":
        return Verdict(correct=says_no_record(answer), rule=rule, why="abstention")
    if rule == "preference":
        return Verdict(correct=None, rule=rule, failure="no offline rule", why="A rubric needs a model as judge.")
    correct, why = stub_verdict(
        question.text,
        question.answer,
        answer,
        asked_at=question.asked_at,
        counts_days="temporal" in rules_of(question),
    )
    return Verdict(correct=correct, rule=rule, why=why)


def _by_model(question: Question, answer: str, model: LanguageModel, rule: Rule, max_tokens: int) -> Verdict:
    messages = prompt(question, answer)
    reply = model.complete(messages, max_tokens=max_tokens, temperature=0.0, schema=Judged, purpose=PURPOSE)
    judged: Judged = reply.value
    return Verdict(correct=judged.verdict == "yes", rule=rule, why=judged.why, usage=reply.usage, calls=reply.calls)


def _by_template(
    question: Question, answer: str, model: LanguageModel, template: str, rule: Rule, max_tokens: int
) -> Verdict:
    said = filled(template, question=question.text, answer=reference(question), response=answer)
    reply = model.complete([{"role": "user", "content": said}], max_tokens=max_tokens, temperature=0.0, purpose=PURPOSE)
    correct = yes_or_no(reply)
    failure = _failure(reply) if correct is None else None
    return Verdict(correct=correct, rule=rule, why=reply.text, failure=failure, usage=reply.usage, calls=reply.calls)


def yes_or_no(reply: Reply) -> bool | None:
    """Return the verdict of a plain reply, as LongMemEval reads it: yes where it holds `yes`; None: neither word."""
    if reply.is_refused:
        return None
    if "yes" in reply.text.lower():
        return True
    return False if _NO.search(reply.text) else None


def _failure(reply: Reply) -> str:
    if reply.is_refused:
        return "refused"
    return "cut off" if reply.is_cut_off else "unreadable"
