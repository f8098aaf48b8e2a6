"""What is written from the code: .env.example, docs/settings.md, the typed keyword arguments.

python -m tests.support.generated     rewrites them
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

from graphrag_neo4j.query.question import Question
from graphrag_neo4j.settings import OF_A_QUESTION, Settings, descriptions
from tests.support.paths import ROOT

BEGIN: Final = "<!-- settings: written by `python -m tests.support.generated` -->\n"
END: Final = "<!-- end of settings -->\n"
HEAD: Final = "| name | default | what it is |\n|---|---|---|\n"
MAIN: Final = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "KG_MODEL", "KG_EMBEDDING_MODEL", "KG_MAX_COST"),
    *("KG_CLAIMS", "KG_LANGUAGE", "KG_HOME", "NEO4J_URI", "NEO4J_PASSWORD"),
)
HEADINGS: Final = {  # by the first setting below each
    "OPENAI_API_KEY": "What most people set",
    "NEO4J_USERNAME": "Neo4j",
    "KG_EXTRACTION_MODEL": "Models and their limits",
    "KG_MAX_FILE_MB": "Documents",
    "KG_FULLTEXT_ANALYZER": "Indexing",
    "KG_RESPONSE_TYPE": "Questions",
    "KG_TRUST_ENV_FILE": "The file .env",
}


class Setting(NamedTuple):
    """A setting as its users see it: its name in the environment, its default as text."""

    name: str
    default: str
    description: str


def settings() -> Iterator[Setting]:
    """Every setting: first those that most people set, then in the order of the code."""
    described = descriptions()
    found = {
        (named := _name(name, field)): Setting(named, _written(field.default), described[name])
        for name, field in Settings.model_fields.items()
    }
    for name in [*MAIN, *(one for one in found if one not in MAIN)]:
        yield found[name]


def generated() -> Mapping[Path, str]:
    """Each file with the whole text that it is to have; what people wrote in it stays."""
    example, page = ROOT / ".env.example", ROOT / "docs" / "settings.md"
    introduction, blank, _ = example.read_text("utf-8").partition("\n\n")
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    options = ROOT / "graphrag_neo4j" / "settings" / "options.py"
    return {
        options: _options(),
        example: introduction + blank + "\n".join(map(_entry, settings())),
        page: before + begin + "".join(map(_row, settings())) + end + after,
    }


def _entry(setting: Setting) -> str:
    heading = f"# ── {HEADINGS[setting.name]} ──\n\n" if setting.name in HEADINGS else ""
    return f"{heading}# {setting.description}\n#{setting.name}={setting.default}\n"


def _row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    cells = (f"`{setting.name}`", default, setting.description)
    row = f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"
    return f"\n## {HEADINGS[setting.name]}\n\n{HEAD}{row}" if setting.name in HEADINGS else row


def _name(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    return str(alias.choices[-1]) if isinstance(alias, AliasChoices) else f"KG_{name.upper()}"


def _written(value: Any) -> str:  # noqa: ANN401 - any default
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


OPTIONS: Final = '''"""The typed keyword arguments of the Python API, which an editor completes.

Written by `python -m tests.support.generated` from `Settings` and `query.question.Question`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict
'''


def _options() -> str:
    settings = get_type_hints(Settings)
    asked = get_type_hints(Question)
    rest = [name for name in Settings.model_fields if name not in OF_A_QUESTION]
    search = [field.name for field in fields(Question) if field.name not in {"text", "method"}]
    return "\n\n".join(
        [
            OPTIONS,
            _class("AnswerOptions", "TypedDict", "Settings that can differ for one question.",
                   {name: settings[name] for name in OF_A_QUESTION}),
            _class("SettingsOptions", "AnswerOptions", "All settings, as `from_env` takes them.",
                   {name: settings[name] for name in rest}),
            _class("SearchOptions", "AnswerOptions", "The options of a question but its method.",
                   {name: asked[name] for name in search}),
            _class("QueryOptions", "SearchOptions", "The options of one question.",
                   {"method": asked["method"]}),
        ]
    )  # fmt: skip


def _class(name: str, base: str, about: str, hints: Mapping[str, object]) -> str:
    lines = "".join(f"    {name}: {_given_for(hint)}\n" for name, hint in hints.items())
    return f'class {name}({base}, total=False):\n    """{about}"""\n\n{lines}'


def _given_for(hint: object) -> str:
    """What a caller may give for a setting of this type: pydantic makes the one from the other."""
    given: Mapping[object, str] = {
        SecretStr: "str",
        Path: "str | Path",
        tuple[str, ...]: "str | Sequence[str]",
        NoneType: "None",
    }
    parts = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    words = [json.dumps(x) for one in parts if get_origin(one) is Literal for x in get_args(one)]
    types = [f"Literal[{', '.join(words)}]"] if words else []
    for one in parts:
        if get_origin(one) is not Literal:
            plain = isinstance(one, type) and not get_origin(one)
            name = one.__name__ if plain else str(one).replace("collections.abc.", "")
            types.append(given.get(one, name))
    return " | ".join(types)


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, "utf-8")
