""".env.example: every setting with its default and what it is for, and nothing else."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import AliasChoices, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import SettingsConfigDict

from graphrag_neo4j.settings import Settings

EXAMPLE = Path(__file__).parent.parent / ".env.example"


def environment_name(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    return str(alias.choices[-1]) if isinstance(alias, AliasChoices) else f"KG_{name.upper()}"


def written(value: Any) -> str:  # noqa: ANN401 - any default
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def expected() -> str:
    entries = [
        f"# {field.description}\n#{environment_name(name, field)}={written(field.default)}\n"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(entries)


def test_it_lists_every_setting_with_its_description_and_default() -> None:
    introduction, entries = EXAMPLE.read_text().split("\n\n", 1)
    assert all(line.startswith("# ") for line in introduction.splitlines())
    assert entries == expected()


class Strict(Settings):
    """Settings that refuse a name that is none."""

    model_config = SettingsConfigDict(extra="forbid")


def strictly(**given: Any) -> Strict:  # noqa: ANN401 - checked by pydantic
    return Strict(**given)


def test_uncommented_as_it_is_it_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, field in Settings.model_fields.items():
        monkeypatch.delenv(environment_name(name, field), raising=False)
    (tmp_path / ".env").write_text(re.sub(r"^#(?=\w)", "", EXAMPLE.read_text(), flags=re.MULTILINE))
    monkeypatch.chdir(tmp_path)
    assert strictly() == strictly(_env_file=None)


def test_a_name_that_is_no_setting_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("KG_MODELL=x\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValidationError, match="kg_modell"):
        strictly()
