from __future__ import annotations

import sys

import pytest

from everyword.errors import ModelMissingError
from everyword.models.extras import required


def test_a_package_that_is_there_is_returned() -> None:
    assert required("json", extra="e5").dumps(1) == "1"


def test_a_package_that_is_not_there_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelMissingError, match=r'pip install "everyword\[e5\]"'):
        required("onnxruntime", extra="e5")
