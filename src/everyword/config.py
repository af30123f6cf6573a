"""Settings. Precedence: an argument of the call, then EVERYWORD_* in the environment, then settings.toml in the memory
folder, then the default here. Defaults work offline.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

import platformdirs

from everyword.errors import SettingsError

Vectors = Literal["auto", "off"]
VectorUnits = Literal["clauses", "passages", "both"]
Switch = Literal["on", "off"]
Claims = Literal["auto", "off"]
_CHOICES = {
    "vectors": get_args(Vectors),
    "vector_units": get_args(VectorUnits),
    "claims": get_args(Claims),
    "llm_cache": get_args(Switch),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set; `settings.toml` and EVERYWORD_<NAME> use the same names."""

    embedder: str = "e5-small:q4"
    """`kind:name` of the model that computes vectors; `none`: words only."""
    reranker: str = "clauses"
    """`clauses`: the stored vectors of clauses judge; `kind:name`: a model; `none`: the first stage decides."""
    counter: str = "estimate"
    """How tokens are counted: estimate, words, chars4, tiktoken:o200k_base …"""
    budget: int = 1500
    """Tokens of a context."""
    strategy: str = "evidence"
    vectors: Vectors = "auto"
    """`auto`: at once for small writes, in the background for large ones; `off`: only when `index` is called."""
    vector_units: VectorUnits = "clauses"
    """What gets vectors: `clauses` (finds asides; a passage is their mean), whole `passages` (least room), or `both`."""
    claims: Claims = "off"
    """`auto`: messages are read for claims in the background as they come; `off`: when `claims.derive` is called, or, without
    a language model, when a strategy asks for them."""
    threads: int = 0
    """Processor threads of the embedder; 0: all."""
    open_files: int = 64
    """Logs that are kept open at most."""
    llm: str = "none"
    """`kind:name` of the language model; `none`: no strategy asks one."""
    llm_base_url: str = "default"
    """Address of its endpoint; `default`: OPENAI_BASE_URL, or OpenAI. The key is EVERYWORD_LLM_API_KEY, never a setting."""
    llm_timeout: int = 120
    """Seconds that one reply may take."""
    llm_retries: int = 4
    """Attempts after the first where the endpoint is busy."""
    llm_limit: str = "none"
    """What a day (UTC) may take: `200000 tokens`, or `2.50 USD` at `llm_prices`; `none`: no limit."""
    llm_prices: str = "none"
    """What a million tokens cost: `INPUT/OUTPUT` or `INPUT/OUTPUT/CACHED`."""
    llm_cache: Switch = "off"
    """`on`: replies are kept and a call that was made before is not made again. They hold users' words."""
    llm_window: int = 0
    """Tokens that the language model takes; 0: not known. `route` shows the whole history where it fits beside an answer."""
    route_evidence: int = 1_500
    """Tokens of the evidence that `route` has judged before it shows more."""
    route_audit: int = 5
    """Of a hundred answers for which `route` found evidence to be enough, how many are asked again with everything."""
    upstream_url: str = "none"
    """Where the server's chat proxy sends requests, for example `https://api.openai.com/v1`; `none`: there is no proxy.
    The key is EVERYWORD_UPSTREAM_API_KEY, never a setting."""
    upstream_timeout: int = 600
    """Seconds that the upstream may take for its next byte."""
    session_store: str = "memory"
    """Where short-term values lie: `memory` of the process, or `redis://HOST:PORT/N`. The password is
    EVERYWORD_SESSION_STORE_PASSWORD, never a setting."""
    session_ttl: int = 86_400
    """Seconds after its last word or value at which a session's values expire."""
    serve_rate: int = 600
    """Requests a minute of one key, where the key has no rate of its own; 0: no limit."""
    serve_max_bytes: int = 8_388_608
    """Bytes of one request."""


def settings(home: Path, **arguments: Any) -> Settings:
    """Return the settings for a memory folder. Raise SettingsError for an unknown name or an unusable value."""
    chosen: dict[str, Any] = {}
    for source, values in (
        (str(home / "settings.toml"), _from_file(home / "settings.toml")),
        ("the environment", _from_environment()),
        ("the call", {name: value for name, value in arguments.items() if value is not None}),
    ):
        chosen.update({name: _checked(name, value, source) for name, value in values.items()})
    return replace(Settings(), **chosen)


def default_home() -> Path:
    """Return EVERYWORD_HOME, or the platform's folder for data of users."""
    named = os.environ.get("EVERYWORD_HOME")
    return Path(named) if named else Path(platformdirs.user_data_dir("everyword", appauthor=False))


def cache_folder() -> Path:
    """Return where models are built: EVERYWORD_CACHE, or the platform's cache folder."""
    named = os.environ.get("EVERYWORD_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("everyword", appauthor=False))


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as TOML: {error}.") from error


def _from_environment() -> dict[str, Any]:
    names = {field.name for field in fields(Settings)}
    found = {
        key.removeprefix("EVERYWORD_").lower(): value
        for key, value in os.environ.items()
        if key.startswith("EVERYWORD_")
    }
    return {name: value for name, value in found.items() if name in names}


def _checked(name: str, value: Any, source: str) -> Any:
    known = {field.name: field for field in fields(Settings)}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingsError(f"{source}: there is no setting {name!r}.{hint} Known: {', '.join(known)}.")
    default = getattr(Settings(), name)
    if isinstance(default, int):
        return _whole_number(name, value, source)
    if not isinstance(value, str):
        raise SettingsError(f"{source}: {name} must be a text, not {value!r}.")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise SettingsError(f"{source}: {name} must be one of {', '.join(_CHOICES[name])}, not {value!r}.")
    return value


def _whole_number(name: str, value: Any, source: str) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise SettingsError(f"{source}: {name} must be a whole number from 0, not {value!r}.")
    return number
