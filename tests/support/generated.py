"""What is written from the code: `.env.example`, and the table of settings in docs/settings.md.

python -m tests.support.generated     rewrites both
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from graphrag_neo4j.settings import Settings
from tests.support.paths import ROOT

BEGIN: Final = "<!-- settings: written by `python -m tests.support.generated` -->\n"
END: Final = "<!-- end of settings -->\n"
HEAD: Final = "| name | default | what it is |\n|---|---|---|\n"


class Setting(NamedTuple):
    """A setting as its users see it: its name in the environment, its default as text."""

    name: str
    default: str
    description: str


def settings() -> Iterator[Setting]:
    """Every setting, in the order of the code."""
    for name, field in Settings.model_fields.items():
        yield Setting(_name(name, field), _written(field.default), field.description or "")


def generated() -> Mapping[Path, str]:
    """Each file with the whole text that it is to have; what people wrote in it stays."""
    example, page = ROOT / ".env.example", ROOT / "docs" / "settings.md"
    introduction, blank, _ = example.read_text("utf-8").partition("\n\n")
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    return {
        example: introduction + blank + "\n".join(map(_entry, settings())),
        page: before + begin + HEAD + "".join(map(_row, settings())) + end + after,
    }


def _entry(setting: Setting) -> str:
    return f"# {setting.description}\n#{setting.name}={setting.default}\n"


def _row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    cells = (f"`{setting.name}`", default, setting.description)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _name(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    return str(alias.choices[-1]) if isinstance(alias, AliasChoices) else f"KG_{name.upper()}"


def _written(value: Any) -> str:  # noqa: ANN401 - any default
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, "utf-8")
