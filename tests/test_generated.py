"""What is written from the code: .env.example and docs/settings.md hold just that."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_settings import SettingsConfigDict

from graphrag_neo4j.settings import Settings
from tests.support.generated import BEGIN, END, generated
from tests.support.paths import ROOT

EXAMPLE = ROOT / ".env.example"


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_it_is_what_the_code_says(path: Path) -> None:
    assert path.read_text("utf-8") == generated()[path], "run: python -m tests.support.generated"


def test_what_people_wrote_beside_it_stays() -> None:
    introduction = EXAMPLE.read_text().split("\n\n", 1)[0]
    assert all(line.startswith("# ") for line in introduction.splitlines())
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert page.count(BEGIN) == page.count(END) == 1


class Strict(Settings):
    """Settings that refuse a name that is none."""

    model_config = SettingsConfigDict(extra="forbid")


def strictly(**given: Any) -> Strict:  # noqa: ANN401 - checked by pydantic
    return Strict(**given)


def test_uncommented_as_it_is_it_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(re.sub(r"^#(?=\w)", "", EXAMPLE.read_text(), flags=re.MULTILINE))
    assert strictly() == strictly(_env_file=None)
    (tmp_path / ".env").write_text("KG_MODELL=x\n")  # a name that isn't a setting would be noticed
    with pytest.raises(ValidationError, match="kg_modell"):
        strictly()
