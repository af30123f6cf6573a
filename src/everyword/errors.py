"""Every error that Everyword raises, as one tree.

    EverywordError
    ├── InvalidInputError            the call is wrong: fix the argument that the message names
    │   ├── InvalidUserIdError
    │   ├── InvalidMessageError
    │   ├── IdempotencyConflictError
    │   ├── UntrustedClaimError
    │   └── SettingsError
    ├── NotFoundError                the id that was named is not in this user's memory
    ├── ContextLengthExceeded        what must be in the context does not fit the budget
    ├── TranscriptError              a file that cannot be read as a conversation
    │   └── UnknownFormatError
    ├── StorageError                 the disk or the database refuses
    │   ├── DamagedLogError
    │   ├── NewerSchemaError
    │   ├── ReadOnlyLogError
    │   ├── DiskFullError
    │   └── BusyLogError
    ├── AccessError                  the server does not serve this request
    │   ├── UnknownKeyError
    │   ├── ForbiddenError
    │   └── TooManyRequestsError
    └── ModelError                   an embedder, reranker, tokenizer or language model cannot do its work
        ├── ModelMissingError
        ├── SpendingLimitError
        └── ProviderError            an endpoint failed
            ├── AccessRefusedError
            └── ReplyError           it answered, but not with what was asked for
                ├── RefusedError
                ├── CutOffError
                └── UnreadableReplyError

Each class has an exit code for the command line; the messages say what to do next.
"""

from __future__ import annotations

import inspect
from typing import Any


class EverywordError(Exception):
    """Everyword could not do what was asked."""

    exit_code = 1

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.getdoc(type(self)))


class InvalidInputError(EverywordError, ValueError):
    """An argument is not valid."""

    exit_code = 2


class InvalidUserIdError(InvalidInputError):
    """user_id is required: a non-empty text of at most 128 characters that names whose memory this is."""


class InvalidMessageError(InvalidInputError):
    """A message needs a known role and content, tool calls or a tool result."""


class IdempotencyConflictError(InvalidInputError):
    """This idempotency key was used before for another content: use a new key for new words."""


class UntrustedClaimError(InvalidInputError):
    """Only what the user said can become a profile line, a fact or a rule: the rest stays an observation."""


class RequestTooLargeError(InvalidInputError):
    """The request has more bytes than the server takes: send it in parts, or raise serve_max_bytes."""


class SettingsError(InvalidInputError):
    """A setting is unknown or has a value that cannot be used."""


class NotFoundError(EverywordError, LookupError):
    """Nothing with this id is in this user's memory."""

    exit_code = 3


class ContextLengthExceeded(EverywordError):  # noqa: N818 - the name that providers use, fixed by the design
    """What must be in the context does not fit the budget: raise it, shorten the question, or ask for fewer turns."""

    exit_code = 4

    def __init__(self, message: str | None = None, *, needed: int = 0, budget: int = 0) -> None:
        super().__init__(message)
        self.needed = needed
        self.budget = budget

    @property
    def excess(self) -> int:
        """Tokens over the budget."""
        return max(0, self.needed - self.budget)


class TranscriptError(EverywordError):
    """The file cannot be read as a conversation."""

    exit_code = 5


class UnknownFormatError(TranscriptError):
    """The format of the file is not recognised: name it with --format."""


class StorageError(EverywordError):
    """The database or the disk refused the operation."""

    exit_code = 6


class DamagedLogError(StorageError):
    """The file is not a readable Everyword log: restore it from a backup or an export."""


class NewerSchemaError(StorageError):
    """The file was written by a newer version of Everyword: upgrade this installation to open it."""


class ReadOnlyLogError(StorageError):
    """The memory folder cannot be written: check its permissions or choose another with --home or EVERYWORD_HOME."""


class DiskFullError(StorageError):
    """The disk is full: free some space and repeat the call; nothing that was acknowledged is lost."""


class BusyLogError(StorageError):
    """Another process holds the write lock for longer than the busy timeout: repeat the call."""


class AccessError(EverywordError):
    """The server does not serve this request."""


class UnknownKeyError(AccessError):
    """Send a key that is known and not revoked: `Authorization: Bearer ew_...`. `everyword keys add` makes one."""


class ForbiddenError(AccessError):
    """This key may not do that: it reaches its own user or the users of its tenant, nobody else."""


class TooManyRequestsError(AccessError):
    """This key has used up its requests for now: wait as long as Retry-After says."""

    def __init__(self, message: str | None = None, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelError(EverywordError):
    """A model could not do its work."""

    exit_code = 7


class ModelMissingError(ModelError):
    """A model or the package that runs it is not installed."""


class ProviderError(ModelError):
    """A model endpoint refused, failed or answered with something unusable."""

    failure = "failed"
    """What a record of the call says of it."""


class SpendingLimitError(ModelError):
    """The next call could exceed the spending limit: raise llm_limit, or go on when it counts anew."""


class AccessRefusedError(ProviderError):
    """The endpoint knows neither this key nor this model: check llm, llm_base_url and EVERYWORD_LLM_API_KEY."""

    failure = "access refused"


class ReplyError(ProviderError):
    """A language model replied, but not with what was asked for."""

    failure = "unusable"

    def __init__(self, message: str | None = None, *, reply: Any = None) -> None:
        super().__init__(message)
        self.reply = reply
        """The `everyword.ports.Reply`, with what it cost."""


class RefusedError(ReplyError):
    """The language model refused to answer."""

    failure = "refused"


class CutOffError(ReplyError):
    """The reply was cut off before it was complete: allow more tokens, or ask for less."""

    failure = "cut off"


class UnreadableReplyError(ReplyError):
    """The reply holds no value of the form that was asked for, also after it was told what was wrong."""

    failure = "unreadable"
