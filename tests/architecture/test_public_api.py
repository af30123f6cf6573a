"""Names and signatures that others build on: a change here is a change for them, and belongs in CHANGELOG.md."""

from __future__ import annotations

import inspect
from pathlib import Path

import everyword
from everyword import Memory
from everyword.claims.claims import Claims

SNAPSHOT = Path(__file__).parent / "public_api.txt"
CLAIMS = (Claims.of, Claims.derive, Claims.remember, Claims.correct)
"""The verbs of `Memory.claims`."""


def public_api() -> str:
    """Return the exported names, then each verb of Memory with its arguments."""
    verbs = [(name, verb) for name, verb in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")]
    exported = [f"everyword.{name}" for name in sorted(everyword.__all__)]
    opened = _line("Memory", Memory.__init__)
    claims = [_line(f"Memory.claims.{verb.__name__}", verb) for verb in CLAIMS]
    return "\n".join([*exported, "", opened, *(_line(f"Memory.{name}", verb) for name, verb in verbs), *claims, ""])


def _line(name: str, verb: object) -> str:
    signature = inspect.signature(verb)  # pyright: ignore[reportArgumentType]
    parameters = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return f"{name}{signature.replace(parameters=parameters[1:], return_annotation=inspect.Signature.empty)}"


def test_the_public_names_and_arguments_are_the_ones_that_were_agreed() -> None:
    assert public_api() == SNAPSHOT.read_text("utf-8"), f"If the change is meant: python {__file__}"


def test_every_call_of_memory_about_a_user_demands_the_user_id() -> None:
    claims = [(verb.__name__, verb) for verb in CLAIMS]
    for name, verb in [*inspect.getmembers(Memory, inspect.isfunction), *claims]:
        user_id = inspect.signature(verb).parameters.get("user_id")
        if not name.startswith("_") and name not in ("users", "close"):
            assert user_id is not None, name
            assert user_id.kind is inspect.Parameter.KEYWORD_ONLY, name
            assert user_id.default is inspect.Parameter.empty, name


if __name__ == "__main__":
    SNAPSHOT.write_text(public_api(), "utf-8")
