"""`python -m everyword`."""

from __future__ import annotations

from everyword.cli.main import app

app(prog_name="everyword")
