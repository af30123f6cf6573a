"""The whole prompt of a model over HTTP, and how the memory is that fills it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from everyword.domain.health import Figure
from everyword.domain.prompt import Prompt, Window
from everyword.server.rest import REFUSALS, context_reply
from everyword.server.serving import Served, Whose
from everyword.server.wire import (
    AlertReply,
    FigureReply,
    HealthReply,
    PrefixReply,
    PromptReply,
    PromptRequest,
    WindowRequest,
)

routes = APIRouter(prefix="/v1", tags=["memory"], responses=REFUSALS)
_OURS = {"window", "shape"}
"""Fields of a request that the library names in another way."""

Questions = Annotated[int, Query(ge=1, le=100, description="Of the user's last questions, how many are asked again.")]


@routes.post("/prompt")
def prompt(asked: PromptRequest, user_id: Whose, serving: Served) -> PromptReply:
    """Fill the window of a model: instructions, memory, recent turns and question, with an account of every token."""
    made = serving.memory.prompt(user_id=user_id, window=_window(asked.window), **asked.model_dump(exclude=_OURS))
    serving.metrics.prompted(made, user_id=user_id)
    return _reply(made, made.to_openai() if asked.shape == "openai" else made.to_anthropic())


@routes.get("/health")
def health(user_id: Whose, serving: Served, questions: Questions = 20) -> HealthReply:
    """Tell how a user's memory is: prompts, evidence, claims, index; each figure with what helps where it is bad."""
    found = serving.memory.health(user_id=user_id, questions=questions)
    return HealthReply(
        ok=found.ok,
        questions=found.questions,
        prompts=found.prompts,
        figures=[_figure(each) for each in found.figures],
    )


def _window(given: int | WindowRequest) -> Window | int:
    return given if isinstance(given, int) else Window(**given.model_dump())


def _reply(made: Prompt, request: dict[str, object]) -> PromptReply:
    return PromptReply(
        request=request,
        text=made.text,
        tokens=made.tokens,
        budget=made.budget,
        answer_tokens=made.answer_tokens,
        counter=made.counter,
        ledger=dict(made.ledger),
        use=made.use,
        flushed=made.flushed,
        alerts=[AlertReply(kind=each.kind, text=each.text) for each in made.alerts],
        prefix=PrefixReply(tokens=made.prefix.tokens, kept=made.prefix.kept, common=made.prefix.common),
        context=context_reply(made.context),
    )


def _figure(found: Figure) -> FigureReply:
    value = found.value if found.value is None or isinstance(found.value, int | float) else dict(found.value)
    return FigureReply(name=found.name, value=value, shown=found.shown, meaning=found.meaning, remedy=found.remedy)
